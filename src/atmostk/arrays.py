"""The few operations that differ between NumPy, PyTorch and other arrays; the only place that knows they do.

NumPy arrays, and PyTorch tensors in CPU memory through a view of the same bytes, take NumPy's own functions: the same
numbers, bit for bit, and little overhead. Everything else goes through the array API and stays on its device.
Indices are always flat, ascending int64 NumPy arrays. No function writes to its argument.
"""

from __future__ import annotations

import math

import numpy as np

from atmostk import top_k
from atmostk.array_kinds import (
    Array,
    answers_itself,
    as_index,
    back,
    detached,
    in_memory,
    is_floating,
    is_scipy_sparse,
    like,
    namespace,
    to_numpy,
    torch_of,
    wide,
)

__all__ = [
    "Array",
    "answers_itself",
    "as_index",
    "clip",
    "copy",
    "count_nonzero",
    "distinct",
    "highest",
    "is_finite",
    "is_floating",
    "is_scipy_sparse",
    "keep",
    "largest",
    "like",
    "mean",
    "namespace",
    "norm",
    "place",
    "span",
    "support",
    "take",
    "to_numpy",
]

PIECE = 1 << 13  # entries added up at a time: few enough that BLAS uses one thread, so that their order never changes


def largest(x: Array, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """The flat indices of the min(count, n) entries largest in magnitude; on a tie `prefer` wins, then the lower index.

    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2)
    array([1, 3])
    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2, prefer=np.array([4]))
    array([1, 4])
    """
    values = in_memory(x)
    return _largest_elsewhere(x, count, prefer) if values is None else top_k.largest(values, count, prefer)


def highest(x: Array, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """As `largest`, by value instead of magnitude.

    >>> highest(np.array([1.0, -3.0, 2.0]), 2)
    array([0, 2])
    """
    return top_k.highest(to_numpy(x), count, prefer)


def norm(x: Array) -> float:
    """The Euclidean norm of all entries, added up in float64, whatever their scale.

    >>> norm(np.array([[3.0, 0.0], [0.0, 4.0]]))
    5.0
    """
    if answers_itself(x):
        return x.norm()
    square = _sum_of_squares(x)
    if 1e-280 < square < math.inf:
        return math.sqrt(square)
    scale = _largest_magnitude(x)
    if scale == 0.0 or not math.isfinite(scale):
        return scale
    return scale * math.sqrt(_sum_of_squares(x / scale))


def is_finite(x: Array) -> bool:
    """Whether no entry is infinite or not a number.

    >>> is_finite(np.array([1.0, np.inf]))
    False
    """
    if answers_itself(x):
        return x.is_finite()
    values = in_memory(x)
    if values is None:
        xp = namespace(x)
        return bool(xp.all(xp.isfinite(x)))
    # Found with nothing stored; the squares of finite entries may overflow, so infinite is no answer.
    flat = values.ravel()
    if values.dtype == np.float32 and math.isfinite(float(flat.dot(flat))):
        return True
    if values.dtype.kind == "f" and math.isfinite(_sum_of_squares(values)):
        return True
    return bool(np.isfinite(values).all())


def take(x: Array, indices: np.ndarray) -> Array:
    """The entries of x at these flat indices, one after the other.

    >>> take(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 3]))
    array([1., 4.])
    """
    if answers_itself(x):
        return x.take(indices)
    values = in_memory(x)
    if values is None:
        xp = namespace(x)
        return xp.take(xp.reshape(detached(x), (-1,)), as_index(indices, x), axis=0)
    return back(values.take(indices), x)


def keep(x: Array, indices: np.ndarray) -> Array:
    """A new array like x that is zero except at these flat indices.

    >>> keep(np.array([1.0, 2.0, 3.0]), np.array([2]))
    array([0., 0., 3.])
    """
    values = in_memory(x)
    if values is None:
        xp = namespace(x)
        kept = np.zeros(math.prod(x.shape), bool)
        kept[indices] = True
        mask = as_index(kept.reshape(x.shape), x)
        return xp.where(mask, detached(x), xp.zeros_like(x))
    new = np.zeros(values.shape, values.dtype)
    new.put(indices, values.take(indices))
    return back(new, x)


def place(values: np.ndarray, indices: np.ndarray, x: Array) -> Array:
    """A new array like x that has these values at these flat indices and is zero elsewhere.

    >>> place(np.array([5.0]), np.array([2]), np.ones(4))
    array([0., 0., 5., 0.])
    """
    new = np.zeros(tuple(x.shape), values.dtype)
    new.put(indices, values)
    return like(new, x)


def support(x: Array) -> np.ndarray:
    """The flat indices of the nonzeros, ascending.

    >>> support(np.array([0.0, 2.0, -0.0, 1.0]))
    array([1, 3])
    """
    if answers_itself(x):
        return x.support
    values = in_memory(x)
    if values is None:
        xp = namespace(x)
        return _indices(xp.nonzero(xp.reshape(x, (-1,)))[0])
    return np.flatnonzero(values)


def count_nonzero(x: Array) -> int:
    """How many entries are not zero.

    >>> count_nonzero(np.array([0.0, 2.0]))
    1
    """
    values = in_memory(x)
    if values is None:
        xp = namespace(x)
        return int(xp.sum(xp.astype(x != 0, xp.int64)))
    return int(np.count_nonzero(values))


def clip(x: Array, lower: Array | float, upper: Array | float) -> Array:
    """The nearest array to x with lower <= entry <= upper; a bound is a number, or an array of x's shape.

    >>> clip(np.array([-2.0, 0.5, 2.0]), 0.0, np.array([1.0, 1.0, 1.5]))
    array([0. , 0.5, 1.5])
    """
    bounds = (float(bound) if isinstance(bound, (int, float)) else like(bound, x) for bound in (lower, upper))
    return namespace(x).clip(detached(x), *bounds)


def copy(x: Array) -> Array:
    """A new array with the values of x, cut loose from any gradient.

    >>> copy(np.ones(2))
    array([1., 1.])
    """
    values = in_memory(x)
    return namespace(x).asarray(detached(x), copy=True) if values is None else back(values.copy(), x)


def mean(values: Array, weights: Array | None = None) -> float:
    """The (weighted) mean of all entries, added up in float64.

    >>> mean(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    1.5
    """
    known = in_memory(values)
    if known is None:
        xp = namespace(values)
        if weights is None:
            return float(xp.mean(wide(values)))
        return float(xp.sum(wide(values) * wide(weights)) / xp.sum(wide(weights)))
    if weights is None:
        return float(known.mean(dtype=np.float64))
    return float(
        np.average(known.astype(np.float64, copy=False), weights=to_numpy(weights).astype(np.float64, copy=False))
    )


def span(values: Array) -> tuple[float, float]:
    """The smallest and the largest entry.

    >>> span(np.array([2.0, -1.0, 0.0]))
    (-1.0, 2.0)
    """
    xp = namespace(values)
    return float(xp.min(values)), float(xp.max(values))


def distinct(values: Array) -> list[float]:
    """The different entries, ascending.

    >>> distinct(np.array([1.0, 0.0, 1.0]))
    [0.0, 1.0]
    """
    return np.unique(to_numpy(values)).tolist()


def _largest_magnitude(x: Array) -> float:
    xp = namespace(x)
    return float(xp.max(xp.abs(x))) if math.prod(x.shape) else 0.0


def _sum_of_squares(x: Array) -> float:
    values = in_memory(x)
    if values is None:
        entries = wide(x)
        return float(namespace(x).sum(entries * entries))
    flat = values.ravel()
    total = 0.0
    with np.errstate(over="ignore"):
        for start in range(0, flat.size, PIECE):
            piece = flat[start : start + PIECE].astype(np.float64, copy=False)
            total += float(piece.dot(piece))
    return total


def _indices(found: Array) -> np.ndarray:
    return to_numpy(found).astype(np.int64, copy=False)


def _largest_elsewhere(x: Array, count: int, prefer: np.ndarray | None) -> np.ndarray:
    """`largest` on the device of x, with its own sort; only the indices of those that win or tie travel."""
    xp = namespace(x)
    flat = xp.abs(xp.reshape(detached(x), (-1,)))
    size = flat.shape[0]
    if xp.isdtype(x.dtype, "real floating") and bool(xp.any(xp.isnan(flat))):
        top_k.refuse_nan(int(xp.nonzero(xp.isnan(flat))[0][0]))
    if not 0 < count < size:
        return top_k.largest(np.zeros(size, bool), count)  # all or none
    torch = torch_of(x)
    # PyTorch selects faster than it sorts; the standard has only the sort.
    threshold = xp.sort(flat)[size - count] if torch is None else torch.topk(flat, count, sorted=False).values.min()
    ties = _indices(xp.nonzero(flat == threshold)[0])
    preferred = ties[:0] if prefer is None else np.intersect1d(ties, prefer, assume_unique=True)
    return top_k.with_ties(_indices(xp.nonzero(flat > threshold)[0]), ties, preferred, count)
