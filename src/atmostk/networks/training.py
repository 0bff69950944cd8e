"""Training a classifier so that it can be had again: same seed, same weights; a kill costs at most an epoch."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import nn

from atmostk import arrays
from atmostk.checkpoint import write_whole
from atmostk.networks.threads import torch_threads

NetworkT = TypeVar("NetworkT", bound=nn.Module)


def train(
    network: NetworkT,
    images: Any,
    labels: Any,
    *,
    seed: int = 0,
    epochs: int = 10,
    batch_size: int = 64,
    learning_rate: float = 1e-3,
    threads: int = 1,
    cache: str | Path | None = None,
    max_seconds: float | None = None,
    progress: bool = False,
) -> NetworkT:
    """A trained copy of a network of logits: Adam on the cross-entropy. In evaluation mode; `network` stays as it is.

    With `cache`, a folder, the trained weights are kept there and found again by the next call with the same network,
    data and settings; a training that was killed goes on from its last whole epoch. When `max_seconds` are over or
    Ctrl-C is pressed, the network is handed over as far as it has come, with a warning. One thread gives the same
    weights on every run; more are faster, and give weights that differ in their last digits.

    >>> images = np.eye(4, dtype=np.float32).reshape(4, 1, 2, 2)
    >>> network = nn.Sequential(nn.Flatten(), nn.Linear(4, 4))
    >>> trained = train(network, images, np.arange(4), epochs=200, learning_rate=0.1)
    >>> trained(torch.from_numpy(images)).argmax(1)
    tensor([0, 1, 2, 3])
    """
    x, y = _checked(images, labels, epochs, batch_size)
    # Channels-last is the layout in which convolutions are fastest on a CPU.
    trained: Any = deepcopy(network).train()
    trained = trained.to(memory_format=torch.channels_last)
    optimiser = torch.optim.Adam(trained.parameters(), lr=learning_rate)
    file = _file(cache, trained, x, y, (seed, epochs, batch_size, learning_rate))
    done = _resumed(file, trained, optimiser)
    begun = time.perf_counter()
    with torch_threads(threads), torch.random.fork_rng(devices=[]), _shown(progress, epochs) as show:
        try:
            for epoch in range(done, epochs):
                for step, batch in enumerate(_batches(len(x), batch_size, seed, epoch)):
                    if max_seconds is not None and time.perf_counter() - begun > max_seconds:
                        raise TimeoutError
                    loss = nn.functional.cross_entropy(trained(x[batch]), y[batch])
                    optimiser.zero_grad()
                    loss.backward()
                    optimiser.step()
                    show(epoch, step * batch_size / len(x), loss)
                done = epoch + 1
                if file is not None:
                    _save(file, trained, optimiser, done)
        except (TimeoutError, KeyboardInterrupt):
            warnings.warn(f"the training was ended after {done} of {epochs} epochs.", stacklevel=2)
    return trained.eval().to(memory_format=torch.contiguous_format)


def _checked(images: Any, labels: Any, epochs: int, batch_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    for name, number in (("epochs", epochs), ("batch_size", batch_size)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{name}={number!r}: it must be a whole number of 1 or more.")
    x = torch.as_tensor(images, dtype=torch.float32)
    y = torch.as_tensor(labels, dtype=torch.int64)
    if len(x) == 0:
        raise ValueError("there are no images to train on.")
    if y.shape != x.shape[:1]:
        raise ValueError(f"labels have shape {tuple(y.shape)} for {len(x)} images: give one label for each image.")
    if not arrays.is_finite(x):
        raise ValueError("the images hold NaN or infinity: drop those images first.")
    return x, y


def _batches(count: int, size: int, seed: int, epoch: int) -> Iterator[torch.Tensor]:
    """Every image once, in an order that the seed and the epoch alone decide, as they do the dropout."""
    rng = np.random.default_rng([seed, epoch])
    torch.manual_seed(int(rng.integers(2**31)))
    yield from torch.from_numpy(rng.permutation(count)).split(size)


def _file(
    cache: str | Path | None, network: nn.Module, x: torch.Tensor, y: torch.Tensor, settings: tuple[float, ...]
) -> Path | None:
    """The file in the folder that belongs to this network, data and settings, and to no others."""
    if cache is None:
        return None
    told = hashlib.sha256(repr((repr(network), settings, tuple(x.shape))).encode())
    for values in (x, y, *network.state_dict().values()):
        told.update(np.ascontiguousarray(arrays.to_numpy(values)).tobytes())
    Path(cache).mkdir(parents=True, exist_ok=True)
    return Path(cache) / f"trained-{told.hexdigest()[:20]}.safetensors"


def _save(file: Path, network: nn.Module, optimiser: torch.optim.Optimizer, epochs: int) -> None:
    parts = {f"network.{name}": values for name, values in network.state_dict().items()}
    for number, moments in optimiser.state_dict()["state"].items():
        parts |= {f"optimiser.{number}.{name}": values for name, values in moments.items()}
    whole = save({name: values.contiguous() for name, values in parts.items()}, {"epochs": json.dumps(epochs)})
    write_whole(file, lambda opened: opened.write(whole))


def _resumed(file: Path | None, network: nn.Module, optimiser: torch.optim.Optimizer) -> int:
    """Bring network and optimiser to where the file left them; how many epochs that are."""
    if file is None or not file.exists():
        return 0
    try:
        with safe_open(file, framework="pt") as opened:
            parts = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  (it is no dictionary)
            epochs = int(opened.metadata()["epochs"])
        network.load_state_dict({name[8:]: part for name, part in parts.items() if name.startswith("network.")})
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for name in parts:
            if name.startswith("optimiser."):
                _, number, moment = name.split(".")
                moments.setdefault(int(number), {})[moment] = parts[name]
        optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})
    except (SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{file} is damaged ({error}): remove it to train anew.") from None
    return epochs


@contextmanager
def _shown(wanted: bool, epochs: int) -> Iterator[Callable[[int, float, torch.Tensor], None]]:
    """A bar on standard error."""
    if not wanted:
        yield lambda epoch, share, loss: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("training", total=epochs)
        yield lambda epoch, share, loss: bar.update(
            task,
            completed=epoch + share,
            description=f"training, epoch {epoch + 1} of {epochs}, loss {loss.item():.3f}",
        )
