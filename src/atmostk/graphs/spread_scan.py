"""A look at all pairs as a map over pairs of column blocks: by the processes of this machine or of a Dask cluster.

joblib does the map, so that whoever calls decides where it runs; each worker keeps the best pairs of its share, and the
best of all shares are the answer, the same for any number of workers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from atmostk.graphs.fused_products import available, screened
from atmostk.graphs.kept_pairs import KeptPairs, Pairs
from atmostk.graphs.pair_scores import Prices, Stacked, exact_scores

CHUNK = 1024  # variables that a worker meets at a time
SHARES = 3  # for each worker, so that none waits long for another


def elsewhere() -> bool:
    """Whether joblib is told to work on a cluster: `with joblib.parallel_config("dask"):`."""
    import sys

    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    return type(get_active_backend()[0]).__name__ == "DaskDistributedBackend"


def above(left: Any, right: Any, prices: Prices, count: int, least: np.float32, workers: int) -> Pairs:
    """The `count` pairs of the largest score above the least, each worker its shares of the columns.

    >>> rows = np.arange(8, dtype=np.float32)[:, None]
    >>> half = np.full(8, 0.5, np.float32)
    >>> above(rows, rows, Prices(half, 2 * half, np.float32(0)), 2, np.float32(0), 1)
    Pairs(rows=array([5, 6]), columns=array([7, 7]), scores=array([1225., 1764.], dtype=float32))
    """
    from joblib import Parallel, delayed

    size, shares = len(left), SHARES * max(1, workers) if workers > 0 else 16
    # The columns up to j meet j rows each: shares of as many pairs end where the square root says.
    ends = np.unique(np.round(size * np.sqrt(np.arange(shares + 1) / shares)).astype(np.int64))
    parts = _parts(left), _parts(right)
    found: Any = Parallel(n_jobs=workers)(
        # Arrays stand alone among the arguments: so joblib and Dask share or send each of them once.
        delayed(_share)(*parts[0], *parts[1], *prices, count, least, begin, end)
        for begin, end in pairwise(ends)
    )
    kept = KeptPairs(count, least)
    for some in found:
        kept.add(*some)
    return kept.pairs()


def _parts(matrix: Any) -> tuple[Any, Any, Any, int]:
    if isinstance(matrix, Stacked):
        return (*matrix.parts, matrix.scale, matrix.scaled)
    return matrix, None, None, 0


def _whole(first: Any, second: Any, scale: Any, scaled: int) -> Any:
    return first if second is None else Stacked(first, second, scale, scaled)


def _share(
    left: Any, left_too: Any, left_scale: Any, left_scaled: int, right: Any, right_too: Any, right_scale: Any,
    right_scaled: int, square: np.ndarray, inverse: np.ndarray, twice: Any, count: int, least: np.float32, begin: int,
    end: int,
) -> Pairs:  # fmt: skip
    """The best pairs whose column lies between `begin` and `end`."""
    prices = Prices(square, inverse, twice)
    lefts = _whole(left, left_too, left_scale, left_scaled)
    rights = _whole(right, right_too, right_scale, right_scaled)
    kept = KeptPairs(count, least)
    root = (square * inverse) ** np.float32(-0.25)
    rooted = np.multiply(lefts[:end], root[:end, None]).astype(np.float32, copy=False)
    for first in range(begin, end, CHUNK):
        last = min(first + CHUNK, end)
        part = np.multiply(rights[first:last], root[first:last, None]).astype(np.float32, copy=False)
        # b^2 / 2 of rows divided by the fourth root of square times inverse bounds the score.
        threshold = np.sqrt(2 * kept.least) * np.float32(1 - 1e-5)
        rows, columns = _above(rooted[:last], part, first, threshold)
        scores = exact_scores(lefts, rights, prices, rows, columns)
        better = scores > kept.least
        kept.add(rows[better], columns[better], scores[better])
    return kept.pairs()


def _above(left: np.ndarray, right: np.ndarray, begin: int, least: np.float32) -> tuple[np.ndarray, np.ndarray]:
    """The pairs i < begin + j whose product exceeds the least, in the order of their rows."""
    if available():
        room = 1 << 18
        while True:
            rows, columns = np.empty(room, np.int32), np.empty(room, np.int32)
            met = screened(left, right, begin, least, rows, columns)
            if met <= room:
                return rows[:met], columns[:met]
            room = met
    found = []
    for first in range(0, len(left), CHUNK):
        product = np.abs(left[first : first + CHUNK] @ right.T) > least
        rows, columns = np.nonzero(product)
        rows, columns = rows + first, columns + begin
        found.append((rows[rows < columns], columns[rows < columns]))
    return tuple(np.concatenate(each).astype(np.int32) for each in zip(*found, strict=True))  # pyright: ignore
