"""Save a run and go on with it: one file, written whole or not at all, and never a pickle.

The file is a zip of plain arrays (NumPy's `.npz`) with a JSON header. A solver's state is taken apart by the fields
of its dataclass and put together again with the types of the code, never with types named in the file. Fields marked
`metadata={"saved": False}` are caches: they are left out, and come back as None; with `"started": True` as well, as
what a start of the same run makes of them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import typing
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.run import History, Run

FORMAT = "atmostk run 1"


def save(path: Path, run: Run, rng_state: Mapping[str, Any], of_run: str) -> None:
    """Write the run to a file, replacing an older one only when the new one is safely on disk."""
    parts: dict[str, np.ndarray] = {}
    header = {
        "format": FORMAT,
        "run": of_run,
        "rng": dict(rng_state),
        "seconds": run.seconds,
        "state": _taken_apart(run.state, "state", parts),
        "columns": _columns(run, parts),
    }
    parts["seconds"] = np.asarray(run.history.seconds, dtype=np.float64)
    parts["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_whole(path, lambda file: np.savez(file, **parts))  # pyright: ignore[reportArgumentType]


def write_whole(path: Path, write: Callable[[Any], object]) -> None:
    """Write a file so that a reader finds the old one or the new one, whenever the power goes."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load(path: Path, run: Run, of_run: str) -> tuple[Run, dict[str, Any]]:
    """The run that was saved, and the state of its random numbers. `run` is one just started, for its types."""
    try:
        with np.load(path, allow_pickle=False) as file:
            parts = {name: file[name] for name in file.files}
        header = json.loads(parts.pop("header").tobytes())
        known = header["format"] == FORMAT
    except PermissionError:
        raise
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        # NumPy's own words would advise to unpickle what it cannot read.
        raise ValueError(f"{path} is not a checkpoint of atmostk, or is damaged: remove it to start anew.") from None
    if not known:
        raise ValueError(f"{path} was written by another version ({header['format']}): remove it to start anew.")
    if header["run"] != of_run:
        raise ValueError(
            f"{path} belongs to another run (another solver, budget, objective, data, start or seed): "
            "give this one another file, or remove that one."
        )
    try:
        state = _put_together(header["state"], run.state, type(run.state), parts, run.state.x)
        records = [
            run.solver.Record(**dict(zip(header["columns"], row, strict=True)))
            for row in zip(*(parts[f"history.{name}"].tolist() for name in header["columns"]), strict=True)
        ]
        history = History(records, parts["seconds"].tolist())
        return Run(run.problem, run.solver, state, header["seconds"], history), header["rng"]
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(
            f"{path} does not fit this version of the solver ({error}): remove it to start anew."
        ) from None


def fingerprint(run: Run, x0: Any, seed: int) -> str:
    """A word that only the same problem, solver, start and seed share, so that no file is taken for another run's.

    The data is told by its size and a few of its rows.
    """
    problem, sampler = run.problem, run.problem.sampler
    few = 16 if sampler.size is None else min(16, sampler.size)
    data = (sampler.size, sampler.draw(few, np.random.default_rng(0)).data)
    told = _told((problem.objective, data, problem.constraint, run.solver, x0, seed))
    return hashlib.sha256(repr(told).encode()).hexdigest()[:24]


def _told(thing: Any) -> Any:
    if isinstance(thing, str | int | float | bool | None):
        return repr(thing)
    if isinstance(thing, tuple | list):
        return tuple(_told(part) for part in thing)
    if arrays.is_scipy_sparse(thing):
        return thing.shape, _told((thing.data, thing.indices))
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {part.name: _told(getattr(thing, part.name)) for part in dataclasses.fields(thing) if part.repr}
        return type(thing).__name__, fields
    if hasattr(thing, "shape") and hasattr(thing, "dtype"):
        values = np.ascontiguousarray(arrays.to_numpy(thing))
        return values.shape, str(values.dtype), hashlib.sha256(values.tobytes()).hexdigest()
    return getattr(thing, "__qualname__", type(thing).__name__)


def _columns(run: Run, parts: dict[str, np.ndarray]) -> list[str]:
    names = [field.name for field in dataclasses.fields(run.solver.Record)]
    for name in names:
        parts[f"history.{name}"] = np.asarray(run.history.column(name))
    return names


def _taken_apart(value: Any, name: str, parts: dict[str, np.ndarray]) -> Any:
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float | np.integer | np.floating):
        return value.item() if isinstance(value, np.generic) else value
    if dataclasses.is_dataclass(value):
        saved = [part.name for part in dataclasses.fields(value) if part.metadata.get("saved", True)]
        return {part: _taken_apart(getattr(value, part), f"{name}.{part}", parts) for part in saved}
    if isinstance(value, tuple | list):
        return [_taken_apart(part, f"{name}.{place}", parts) for place, part in enumerate(value)]
    if hasattr(value, "shape"):
        parts[name] = arrays.to_numpy(value)
        return {"array": name, "numpy": isinstance(value, np.ndarray)}
    raise TypeError(f"{name} is a {type(value).__name__}, which a checkpoint cannot hold.")


def _put_together(told: Any, template: Any, hint: Any, parts: dict[str, np.ndarray], kind: Any) -> Any:
    if isinstance(told, dict) and "array" in told:
        values = parts[told["array"]]
        if told["numpy"]:
            return values
        return arrays.like(values, template if hasattr(template, "shape") else kind)
    if isinstance(told, dict):
        made: Any = type(template) if dataclasses.is_dataclass(template) else _dataclass_in(hint)
        hints = typing.get_type_hints(made)
        values = {
            name: _put_together(part, getattr(template, name, None), hints.get(name), parts, kind)
            for name, part in told.items()
        }
        unsaved = {
            part.name: getattr(template, part.name, None) if part.metadata.get("started") else None
            for part in dataclasses.fields(made)
            if not part.metadata.get("saved", True)
        }
        return made(**values, **unsaved)
    if isinstance(told, list):
        return tuple(_put_together(part, None, hint, parts, kind) for part in told)
    return told


def _dataclass_in(hint: Any) -> Any:
    """The dataclass that a type such as `Best | None` or `tuple[Best, ...]` speaks of."""
    if dataclasses.is_dataclass(hint):
        return hint
    for part in typing.get_args(hint):
        found = _dataclass_in(part)
        if found is not None:
            return found
    return None
