"""The few operations that differ between NumPy, PyTorch and other arrays; the only place that knows they do.

NumPy arrays, and PyTorch tensors in CPU memory through a view of the same bytes, take NumPy's own functions: the same
numbers, bit for bit, and little overhead. Everything else goes through the array API, and stays on its device.
Indices are always flat, ascending int64 NumPy arrays. No function writes to its argument.
"""

from __future__ import annotations

import math
from typing import Any

import array_api_compat
import numpy as np

from atmostk import top_k

Array = Any  # NumPy, PyTorch, or any array that array-api-compat knows

PIECE = 1 << 16  # entries of a lower precision that are widened to float64 at a time


def namespace(x: Array) -> Any:
    """The module whose functions work on x.

    >>> namespace(np.ones(2)).__name__
    'numpy'
    """
    if isinstance(x, np.ndarray) and np.__version__ >= "2":
        return np  # itself the array API, with less to import
    return array_api_compat.array_namespace(x)


def largest(x: Array, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """The flat indices of the min(count, n) entries largest in magnitude; on a tie `prefer` wins, then the lower index.

    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2)
    array([1, 3])
    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2, prefer=np.array([4]))
    array([1, 4])
    """
    values = _in_memory(x)
    if values is None:
        return _largest_elsewhere(x, count, prefer)
    return top_k.largest(values, count, prefer)


def highest(x: Array, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """As `largest`, by value instead of magnitude.

    >>> highest(np.array([1.0, -3.0, 2.0]), 2)
    array([0, 2])
    """
    return top_k.highest(to_numpy(x), count, prefer)


def norm(x: Array) -> float:
    """The Euclidean norm of all entries, added up in float64.

    >>> norm(np.array([3e200, 4e200]))
    5e+200
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        largest_magnitude = float(xp.max(xp.abs(x))) if math.prod(x.shape) else 0.0
        if largest_magnitude == 0.0 or not math.isfinite(largest_magnitude):
            return largest_magnitude
        scaled = xp.astype(x / largest_magnitude, xp.float64)
        return largest_magnitude * math.sqrt(float(xp.sum(scaled * scaled)))
    square = _sum_of_squares(values)
    if 1e-280 < square < math.inf:
        return math.sqrt(square)
    scale = float(np.abs(values).max()) if values.size else 0.0
    if scale == 0.0 or not math.isfinite(scale):
        return scale
    return scale * math.sqrt(_sum_of_squares(values / scale))


def _sum_of_squares(values: np.ndarray) -> float:
    flat = values.ravel()
    if flat.dtype == np.float64:
        return float(flat.dot(flat))
    total = 0.0
    for start in range(0, flat.size, PIECE):
        piece = flat[start : start + PIECE].astype(np.float64)
        total += float(piece.dot(piece))
    return total


def is_finite(x: Array) -> bool:
    """Whether no entry is infinite or not a number.

    >>> is_finite(np.array([1.0, np.inf]))
    False
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return bool(xp.all(xp.isfinite(x)))
    if values.dtype.kind == "f" and values.dtype.itemsize >= 4:
        flat = values.ravel()
        if math.isfinite(flat.dot(flat)):  # one pass with nothing stored; infinite too where squares overflow
            return True
    return bool(np.isfinite(values).all())


def take(x: Array, indices: np.ndarray) -> Array:
    """The entries of x at these flat indices, one after the other.

    >>> take(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 3]))
    array([1., 4.])
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return xp.take(xp.reshape(x, (-1,)), _indices_like(indices, x), axis=0)
    return _back(values.take(indices), x)


def keep(x: Array, indices: np.ndarray) -> Array:
    """A new array like x that is zero except at these flat indices.

    >>> keep(np.array([1.0, 2.0, 3.0]), np.array([2]))
    array([0., 0., 3.])
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        kept = np.zeros(math.prod(x.shape), bool)
        kept[indices] = True
        mask = xp.asarray(kept.reshape(x.shape), device=array_api_compat.device(x))
        return xp.where(mask, x, xp.zeros_like(x))
    new = np.zeros(values.shape, values.dtype)
    new.put(indices, values.take(indices))
    return _back(new, x)


def support(x: Array) -> np.ndarray:
    """The flat indices of the nonzeros, ascending.

    >>> support(np.array([0.0, 2.0, -0.0, 1.0]))
    array([1, 3])
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return to_numpy(xp.nonzero(xp.reshape(x, (-1,)))[0])
    return np.flatnonzero(values)


def count_nonzero(x: Array) -> int:
    """How many entries are not zero.

    >>> count_nonzero(np.array([0.0, 2.0]))
    1
    """
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return int(xp.sum(xp.astype(x != 0, xp.int64)))
    return int(np.count_nonzero(values))


def clip(x: Array, lower: Array | float, upper: Array | float) -> Array:
    """The nearest array to x with lower <= entry <= upper; bounds are numbers or arrays like x.

    >>> clip(np.array([-2.0, 0.5, 2.0]), 0.0, 1.0)
    array([0. , 0.5, 1. ])
    """
    xp = namespace(x)
    return xp.clip(x, lower, upper)


def copy(x: Array) -> Array:
    """A new array with the values of x, cut loose from any gradient.

    >>> copy(np.ones(2))
    array([1., 1.])
    """
    values = _in_memory(x)
    if values is None:
        return namespace(x).asarray(_detached(x), copy=True)
    return _back(values.copy(), x)


def to_numpy(x: Array) -> np.ndarray:
    """The values of x as a NumPy array in CPU memory; a view of x where that is possible.

    >>> to_numpy(np.ones(2))
    array([1., 1.])
    """
    values = _in_memory(x)
    if values is not None:
        return values
    if array_api_compat.is_torch_array(x):
        x = x.detach().cpu()
        return (x.float() if x.dtype.is_floating_point and x.itemsize == 2 else x).numpy()
    return np.asarray(x)


def like(values: Array, x: Array) -> Array:
    """`values` as an array of x's kind, dtype and device; it may share memory with `values`.

    >>> like(np.array([1, 2]), np.ones(1, np.float32))
    array([1., 2.], dtype=float32)
    """
    if isinstance(x, np.ndarray):
        return np.asarray(to_numpy(values) if not isinstance(values, np.ndarray) else values, dtype=x.dtype)
    return namespace(x).asarray(values, dtype=x.dtype, device=array_api_compat.device(x))


def mean(values: Array, weights: Array | None = None) -> float:
    """The (weighted) mean of all entries, added up in float64.

    >>> mean(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    1.5
    """
    known = _in_memory(values)
    if known is None:
        xp = namespace(values)
        wide = xp.astype(values, xp.float64)
        if weights is None:
            return float(xp.mean(wide))
        heavy = xp.astype(weights, xp.float64)
        return float(xp.sum(wide * heavy) / xp.sum(heavy))
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


def is_scipy_sparse(x: Array) -> bool:
    """Whether x is one of scipy's sparse matrices or arrays; scipy is not imported to find out.

    >>> is_scipy_sparse(np.ones(2))
    False
    """
    return type(x).__module__.startswith("scipy.sparse")


def is_floating(x: Array) -> bool:
    """Whether the entries are floating-point numbers.

    >>> is_floating(np.ones(2, int))
    False
    """
    kind = getattr(x.dtype, "kind", None)
    return kind == "f" if kind is not None else bool(getattr(x.dtype, "is_floating_point", False))


def as_index(indices: np.ndarray, x: Array) -> Array:
    """Indices in the form with which x can be indexed, on its device.

    >>> as_index(np.array([1]), np.ones(2))
    array([1])
    """
    return indices if isinstance(x, np.ndarray) or is_scipy_sparse(x) else _indices_like(indices, x)


def _in_memory(x: Array) -> np.ndarray | None:
    """The entries of x as a NumPy array without copying them, or None where that cannot be."""
    if isinstance(x, np.ndarray):
        return x
    if array_api_compat.is_torch_array(x) and x.device.type == "cpu" and x.dtype not in _torch_only(x):
        return x.detach().numpy()
    return None


def _torch_only(x: Array) -> tuple[Any, ...]:
    import torch  # x is a tensor of it, so it is loaded already

    return (torch.bfloat16,)


def _back(values: np.ndarray, x: Array) -> Array:
    """A NumPy result as what x is: itself, or the tensor that shares its memory."""
    if isinstance(x, np.ndarray):
        return values
    import torch  # x is a tensor of it, so it is loaded already

    return torch.from_numpy(values)


def _detached(x: Array) -> Array:
    return x.detach() if array_api_compat.is_torch_array(x) else x


def _indices_like(indices: np.ndarray, x: Array) -> Array:
    xp = namespace(x)
    return xp.asarray(indices, dtype=xp.int64, device=array_api_compat.device(x))


def _largest_elsewhere(x: Array, count: int, prefer: np.ndarray | None) -> np.ndarray:
    """On the device of x: its own sort for the threshold; only the indices that may win travel."""
    return top_k.largest(to_numpy(x), count, prefer)
