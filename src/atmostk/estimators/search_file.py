"""A search for the best graph on disk, between two looks at all pairs: killed at any moment, it goes on from the last.

The file is a zip of plain arrays (`.npz`), written whole or not at all, and never a pickle.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.checkpoint import write_whole
from atmostk.graphs.best_graph import Found, SoFar, best_graph
from atmostk.graphs.graph import Graph

FORMAT = "atmostk graph search 1"
ARRAYS = ("diagonal", "rows", "columns", "weights")


def best_graph_from(
    file: str | Path, phases: Any, edges: int, data: np.ndarray, *, passes: int = 6,
    after_each: Callable[[SoFar], object] = lambda now: None,
) -> Found:  # fmt: skip
    """`best_graph`, saved to a file after each look; the same call made again goes on from there to the same answer.

    `data` is what the search runs on: the file remembers its fingerprint, and that of the settings. It stays, with the
    answer, and the call after the last returns that at once, but for the final refit.
    """
    file = Path(file)
    if file.is_dir():
        raise ValueError(f"checkpoint={str(file)!r} is a folder: name a file in it.")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"checkpoint={str(file)!r}: there is no folder {str(file.parent)!r}, make it first.")
    of_search = fingerprint(phases, edges, data)
    start = load(file, of_search) if file.exists() else None

    def saved(now: SoFar) -> None:
        save(file, now, of_search)
        after_each(now)

    return best_graph(phases, edges, start=start, passes=passes, after_each=saved)


def fingerprint(phases: Any, edges: int, data: np.ndarray) -> str:
    """What tells this search from any other."""
    told = hashlib.sha256(repr((type(phases).__name__, int(edges), data.shape, str(data.dtype))).encode())
    penalty = getattr(phases, "penalty", phases)
    told.update(repr((float(penalty.ridge), float(penalty.l1))).encode())
    worth = phases.worth
    for array in (data, *(() if worth is None else (worth.keys, worth.values))):
        told.update(np.ascontiguousarray(array).data)
    return told.hexdigest()[:24]


def save(file: Path, now: SoFar, of_search: str) -> None:
    """Write where the search stands, replacing an older file only when the new one is safely on disk."""
    parts = {name: getattr(now.graph, name) for name in ARRAYS}
    parts["value"] = np.array(now.value)
    parts["counts"] = np.array([now.looks, now.exchanges, now.settled, *now.targets], np.int64)
    parts["header"] = np.array([FORMAT, of_search])
    write_whole(file, lambda opened: np.savez(opened, **parts))


def load(file: Path, of_search: str) -> SoFar:
    """Where the search stood."""
    try:
        with np.load(file, allow_pickle=False) as opened:
            parts = {name: opened[name] for name in opened.files}
        format_, whose = (str(word) for word in parts["header"])
        looks, exchanges, settled, *targets = parts["counts"].tolist()
        graph = Graph(*(parts[name] for name in ARRAYS))
        value = float(parts["value"])
    except PermissionError:
        raise
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        raise ValueError(f"{file} is not a saved graph search, or is damaged: remove it to start anew.") from None
    if format_ != FORMAT:
        raise ValueError(f"{file} was written by another version ({format_}): remove it to start anew.")
    if whose != of_search:
        raise ValueError(
            f"{file} belongs to another search (other data, edges or penalties): give this one another file, "
            "or remove that one."
        )
    return SoFar(graph, value, tuple(targets), looks, exchanges, bool(settled))
