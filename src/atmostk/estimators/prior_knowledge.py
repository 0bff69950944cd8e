"""What is known of pairs before the data is seen, in the forms people have it: pairs, names, matrices, functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atmostk.graphs.worth import KNOWN, Worth

ROWS = 256  # of pairs that a function is asked about at a time


def prior_worth(size: int, names: np.ndarray | None, edge_weights: Any, known: Any, forbidden: Any) -> Worth | None:
    """The worth of each pair, or None if nothing is known.

    >>> prior_worth(3, np.array(["a", "b", "c"]), None, [("a", "c")], [(0, 1)]).to_dense()[0]
    array([1.e+00, 0.e+00, 1.e+30], dtype=float32)
    """
    worth = None if edge_weights is None else _weighed(size, edge_weights)
    out, always = pair_places(size, names, forbidden, "forbidden"), pair_places(size, names, known, "known")
    if out is not None and always is not None:
        both = np.intersect1d(_keys(out, size), _keys(always, size))
        if both.size:
            i, j = divmod(int(both[0]), size)
            raise ValueError(f"the pair ({i}, {j}) is in known and in forbidden: take it out of one.")
    for pairs, value in ((out, 0.0), (always, np.inf)):
        if pairs is not None and len(pairs):
            listed = Worth.of_pairs(size, pairs[:, 0], pairs[:, 1], value)
            worth = listed if worth is None else worth.joined(listed)
    return worth


def _weighed(size: int, weights: Any) -> Worth:
    if callable(weights):
        return _asked(size, weights)
    matrix: Any = weights if hasattr(weights, "tocoo") else np.asarray(weights, np.float64)
    if tuple(matrix.shape) != (size, size):
        raise ValueError(f"edge_weights has shape {tuple(matrix.shape)}: for {size} variables it is {size} x {size}.")
    stored = matrix.tocoo().data if hasattr(matrix, "tocoo") else matrix
    if not (stored >= 0).all():
        raise ValueError("edge_weights holds a negative number or NaN: a weight is 0 (never an edge) or more.")
    if abs(matrix - matrix.T).max() > 0:
        raise ValueError("edge_weights is not symmetric: give each pair the same weight on both sides.")
    return Worth.of_matrix(matrix)


def _asked(size: int, weights: Callable[[np.ndarray, np.ndarray], Any]) -> Worth:
    """Those of a function of rows and columns; only weights other than 1 are kept."""
    keys, values = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    every = np.arange(size)
    for top in range(0, size, ROWS):
        rows, columns = np.nonzero(every[top : top + ROWS, None] < every[None])
        rows = rows + top
        given = np.broadcast_to(np.asarray(weights(rows, columns), np.float32), rows.shape)
        if not (given >= 0).all():
            raise ValueError("edge_weights gave a negative number or NaN: a weight is 0 (never an edge) or more.")
        told = given != 1
        keys.append(rows[told] * size + columns[told])
        values.append(given[told])
    return Worth(size, np.concatenate(keys), np.minimum(np.concatenate(values), KNOWN))


def pair_places(size: int, names: np.ndarray | None, given: Any, what: str) -> np.ndarray | None:
    """Known or forbidden pairs, in any of their forms, as an array of places, one pair a row.

    >>> pair_places(3, np.array(["a", "b", "c"]), [("a", "c"), (1, 2)], "known")
    array([[0, 2],
           [1, 2]])
    """
    if given is None:
        return None
    if hasattr(given, "tocoo") or (isinstance(given, np.ndarray) and given.shape == (size, size) and size != 2):
        if tuple(given.shape) != (size, size):
            raise ValueError(f"{what} is a matrix of shape {tuple(given.shape)}: it must be {size} x {size}.")
        return _off(given)
    pairs = [tuple(pair) for pair in given]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{what} must hold pairs, such as [(0, 3), ('TP53', 'MDM2')].")
    places: dict[Any, int] = {} if names is None else {str(name): place for place, name in enumerate(names)}
    found = np.array([[_place(end, places, size, what) for end in pair] for pair in pairs], np.int64).reshape(-1, 2)
    if (found[:, 0] == found[:, 1]).any():
        raise ValueError(f"{what} holds a pair of a variable with itself: an edge joins two.")
    return found


def _off(matrix: Any) -> np.ndarray:
    rows, columns = matrix.nonzero()
    apart = rows != columns
    return np.column_stack((rows[apart], columns[apart])).astype(np.int64)


def _place(end: Any, places: dict[Any, int], size: int, what: str) -> int:
    if isinstance(end, str):
        if end not in places:
            raise ValueError(
                f"{what} names {end!r}, which is no variable" + (" of X." if places else ": X has no names.")
            )
        return places[end]
    if not 0 <= int(end) < size:
        raise ValueError(f"{what} names variable {end}: there are {size}, from 0 to {size - 1}.")
    return int(end)


def _keys(pairs: np.ndarray, size: int) -> np.ndarray:
    return pairs.min(axis=1) * size + pairs.max(axis=1)


def only_between(groups: Any) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Weights that allow edges between groups of variables alone: pass it as `edge_weights`.

    >>> only_between(["gene", "gene", "drug"])(np.array([0, 0]), np.array([1, 2]))
    array([0., 1.], dtype=float32)
    """
    _, label = np.unique(np.asarray(groups), return_inverse=True)
    return lambda rows, columns: (label[rows] != label[columns]).astype(np.float32)


def only_within(groups: Any, *, between: float = 0.0) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Weights that allow edges within modules of variables alone; `between` above 0 makes others possible but dearer.

    >>> only_within([1, 1, 2], between=0.5)(np.array([0, 0]), np.array([1, 2]))
    array([1. , 0.5], dtype=float32)
    """
    _, label = np.unique(np.asarray(groups), return_inverse=True)
    return lambda rows, columns: np.where(label[rows] == label[columns], 1.0, between).astype(np.float32)
