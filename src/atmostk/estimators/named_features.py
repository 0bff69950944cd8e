"""Features as people name them, by place, by name or by a mask, as places."""

from __future__ import annotations

from typing import Any

import numpy as np


def places(given: Any, features: int, names: np.ndarray | None, what: str) -> np.ndarray:
    """The places, ascending and each once.

    >>> places(["b", 0], 3, np.array(["a", "b", "c"]), "always")
    array([0, 1])
    """
    if given is None:
        return np.empty(0, np.int64)
    if isinstance(given, str | int | np.integer):
        given = [given]
    if isinstance(given, np.ndarray) and given.dtype == bool:
        if given.shape != (features,):
            raise ValueError(f"{what} is a mask of shape {given.shape}: for {features} features it is ({features},).")
        return np.flatnonzero(given)
    return np.unique([place(one, features, names, what) for one in given]).astype(np.int64)


def place(one: Any, features: int, names: np.ndarray | None, what: str) -> int:
    """The place of one feature."""
    if isinstance(one, str):
        found = np.flatnonzero(names == one) if names is not None else np.empty(0)
        if found.size == 0:
            why = "which is no column of X" if names is not None else "but X has no column names: say its place"
            raise ValueError(f"{what} names {one!r}, {why}.")
        return int(found[0])
    if isinstance(one, bool | np.bool_) or not isinstance(one, int | np.integer):
        raise ValueError(f"{what} holds {one!r}: name features by place or by column name.")
    if not -features <= one < features:
        raise ValueError(f"{what} names feature {one}: there are {features}, from 0 to {features - 1}.")
    return int(one) % features
