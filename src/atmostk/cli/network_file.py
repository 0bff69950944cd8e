"""A network in a file: TorchScript, a torch.export archive, or weights for a network that is named; never a pickle.

A file that holds a whole pickled module is refused: reading one runs whatever code is in it.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

BUILT_IN = {"paper_cnn": "atmostk.networks.paper_cnn", "lenet": "atmostk.networks.lenet"}
TO_SAVE = (
    "save it with torch.jit.save or torch.export.save, or its state_dict() as safetensors and name it with --network"
)


def read_network(place: Path, network: str | None) -> Any:
    """The network in a file: a module that gives logits."""
    if place.is_dir():
        raise IsADirectoryError(f"{place} is a folder: name a file in it.")
    if not place.is_file():
        raise FileNotFoundError(f"{place}: there is no such file.")
    if place.stat().st_size == 0:
        raise ValueError(f"{place} is empty.")
    _torch()
    kind = _kind(place)
    if kind in ("TorchScript", "torch.export"):
        if network is not None:
            raise ValueError(f"--network {network}: {place} is a whole network ({kind}), which needs none.")
        return _scripted(place) if kind == "TorchScript" else _exported(place)
    weights = _safetensors(place) if kind == "safetensors" else _state(place)
    if network is None:
        raise ValueError(
            f"{place} holds weights without their network: name it with --network paper_cnn, lenet, or "
            "module:function for a function of yours that makes it."
        )
    return _filled(_built(network), weights, place, network)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("an attack needs PyTorch: pip install 'atmostk[torch]'.") from None
    return torch


def _kind(place: Path) -> str:
    """What the file is, by what is in it."""
    with open(place, "rb") as opened:
        begins = opened.read(9)
    if not zipfile.is_zipfile(place):
        if begins[8:9] == b"{":
            return "safetensors"
        if begins[:2] == b"PK":
            raise ValueError(f"{place} is cut short or damaged: get it again.")
        return "weights"
    with zipfile.ZipFile(place) as archive:
        names = archive.namelist()
    if any("/code/" in name or name.endswith("/constants.pkl") for name in names):
        return "TorchScript"
    if any(name.endswith(("models/model.json", "serialized_exported_program.json")) for name in names):
        return "torch.export"
    return "weights"


def _scripted(place: Path) -> Any:
    try:
        return _torch().jit.load(str(place), map_location="cpu").eval()
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"{place} is no readable TorchScript file ({_first_line(error)}).") from None


def _exported(place: Path) -> Any:
    torch = _torch()
    try:
        with _weights_only():
            module = torch.export.load(str(place)).module()
    except Exception as error:  # a damaged archive raises errors of every kind
        raise ValueError(f"{place} is no readable torch.export archive ({_first_line(error)}).") from None
    return _any_number(module, place)


def _any_number(module: Any, place: Path) -> Any:
    """The module, unless it takes only as many images as it was exported with."""
    inputs = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    count = inputs[0].shape[0] if inputs and getattr(inputs[0], "ndim", 0) else None
    if isinstance(count, int):
        raise ValueError(
            f"{place} takes {count} images at a time and no other number: export it with "
            "dynamic_shapes=({0: torch.export.Dim('images')},)."
        )
    return module


@contextmanager
def _weights_only() -> Iterator[None]:
    """The reader of archives falls back to unpickling; PyTorch's own switch keeps it from that."""
    name = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _safetensors(place: Path) -> Any:
    try:
        import safetensors.torch
    except ImportError:
        raise ImportError(f"{place}: reading it needs safetensors: pip install 'atmostk[torch]'.") from None
    try:
        return safetensors.torch.load_file(str(place))
    except Exception as error:  # its own error type is not public in every version
        raise ValueError(f"{place} is no readable safetensors file ({_first_line(error)}).") from None


def _state(place: Path) -> Any:
    from pickle import UnpicklingError

    try:
        found = _torch().load(str(place), map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, ValueError, KeyError, AttributeError, OSError):
        raise ValueError(
            f"{place} is no file of weights alone, or is damaged; a pickled module is not read, because that would "
            f"run whatever is in it: {TO_SAVE}."
        ) from None
    found = found.get("state_dict", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or not all(hasattr(part, "shape") for part in found.values()):
        raise ValueError(f"{place} holds {type(found).__name__}, no weights of a network: {TO_SAVE}.")
    return found


def _built(network: str) -> Any:
    """The network that a name stands for, with fresh weights."""
    home, _, name = network.partition(":")
    if not name and home not in BUILT_IN:
        raise ValueError(f"--network {network}: it must be {', '.join(BUILT_IN)} or module:function.")
    if not name:
        return getattr(import_module(BUILT_IN[home]), home)()
    sys.path.insert(0, os.getcwd())  # as `python -m` does: the person's own file lies where they are
    try:
        return getattr(import_module(home), name)()
    except ImportError as error:
        raise ValueError(f"--network {network}: there is no module {home!r} ({error}).") from None
    except AttributeError:
        raise ValueError(f"--network {network}: the module {home!r} has no function {name!r}.") from None
    finally:
        sys.path.remove(os.getcwd())


def _filled(built: Any, weights: Any, place: Path, network: str) -> Any:
    if not hasattr(built, "load_state_dict"):
        raise ValueError(f"--network {network} makes a {type(built).__name__}: it must make a torch.nn.Module.")
    try:
        built.load_state_dict(weights)
    except RuntimeError as error:
        told = " ".join(str(error).split())[:200]
        raise ValueError(f"{place} does not fit the network {network} ({told}).") from None
    return built.eval()


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:160] if text else type(error).__name__
