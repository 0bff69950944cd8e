"""The few operations that differ between NumPy, PyTorch and other arrays; the only place that knows they do.

NumPy arrays, and PyTorch tensors in CPU memory through a view of the same bytes, take NumPy's own functions: the same
numbers, bit for bit, and little overhead. Everything else goes through the array API and stays on its device.
Indices are always flat, ascending int64 NumPy arrays. No function writes to its argument.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import array_api_compat
import numpy as np

from atmostk import top_k

Array = Any  # NumPy, PyTorch, or any array that array-api-compat knows

PIECE = 1 << 13  # entries added up at a time: few enough that BLAS uses one thread, so that their order never changes


def namespace(x: Array) -> Any:
    """The module whose functions work on x.

    >>> namespace(np.ones(2)).__name__
    'numpy'
    """
    if isinstance(x, np.ndarray) and np.__version__ >= "2":
        return np  # itself the array API since version 2, and nothing more to import
    if not array_api_compat.is_array_api_obj(x):
        raise TypeError(f"{type(x).__name__} is not an array: pass a NumPy array or a PyTorch tensor.")
    return array_api_compat.array_namespace(x)


def largest(x: Array, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """The flat indices of the min(count, n) entries largest in magnitude; on a tie `prefer` wins, then the lower index.

    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2)
    array([1, 3])
    >>> largest(np.array([1.0, -3.0, 2.0, 3.0, 3.0]), 2, prefer=np.array([4]))
    array([1, 4])
    """
    values = _in_memory(x)
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
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return bool(xp.all(xp.isfinite(x)))
    if values.dtype in (np.float64, np.float32):
        flat = values.ravel()
        with np.errstate(over="ignore"):
            if math.isfinite(flat.dot(flat)):  # one pass and nothing stored; it may be infinite for finite entries
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
        return xp.take(xp.reshape(_detached(x), (-1,)), _indices_like(indices, x), axis=0)
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
        return xp.where(mask, _detached(x), xp.zeros_like(x))
    new = np.zeros(values.shape, values.dtype)
    new.put(indices, values.take(indices))
    return _back(new, x)


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
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        return _as_indices(xp.nonzero(xp.reshape(x, (-1,)))[0])
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
    """The nearest array to x with lower <= entry <= upper; a bound is a number, or an array of x's shape.

    >>> clip(np.array([-2.0, 0.5, 2.0]), 0.0, np.array([1.0, 1.0, 1.5]))
    array([0. , 0.5, 1.5])
    """
    bounds = (float(bound) if isinstance(bound, (int, float)) else like(bound, x) for bound in (lower, upper))
    return namespace(x).clip(_detached(x), *bounds)


def copy(x: Array) -> Array:
    """A new array with the values of x, cut loose from any gradient.

    >>> copy(np.ones(2))
    array([1., 1.])
    """
    values = _in_memory(x)
    return namespace(x).asarray(_detached(x), copy=True) if values is None else _back(values.copy(), x)


def to_numpy(x: Array) -> np.ndarray:
    """The values of x as a NumPy array in CPU memory; a view of x where that is possible.

    >>> to_numpy(np.ones(2))
    array([1., 1.])
    """
    values = _in_memory(x)
    if values is not None:
        return values
    torch = _torch_of(x)
    if torch is None:
        return np.asarray(x)
    x = x.detach().cpu()
    return (x.float() if x.dtype == torch.bfloat16 else x).numpy()


def like(values: Array, x: Array) -> Array:
    """`values` as an array of x's kind, dtype and device; it may share memory with `values`.

    >>> like(np.array([1, 2]), np.ones(1, np.float32))
    array([1., 2.], dtype=float32)
    """
    if isinstance(x, np.ndarray):
        return np.asarray(to_numpy(values), dtype=x.dtype)
    if isinstance(values, np.ndarray):
        values = np.require(values, requirements=["C", "W"])  # what a tensor can share; copied only if it is not so
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


def _torch_of(x: Array) -> Any:
    """PyTorch, when x is a tensor of it; who has no tensors never loads it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def _in_memory(x: Array) -> np.ndarray | None:
    """The entries of x as a NumPy array without copying them, or None where that cannot be."""
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    torch = _torch_of(x)
    if torch is None or not x.is_cpu or x.dtype == torch.bfloat16:
        return None
    return x.detach().numpy()


def _back(values: np.ndarray, x: Array) -> Array:
    """A NumPy result as what x is: itself, or the tensor that shares its memory."""
    torch = _torch_of(x)
    return values if torch is None else torch.from_numpy(values)


def _detached(x: Array) -> Array:
    return x if _torch_of(x) is None else x.detach()


def _indices_like(indices: np.ndarray, x: Array) -> Array:
    return namespace(x).asarray(indices, device=array_api_compat.device(x))


def _as_indices(found: Array) -> np.ndarray:
    return to_numpy(found).astype(np.int64, copy=False)


def _largest_magnitude(x: Array) -> float:
    xp = namespace(x)
    return float(xp.max(xp.abs(x))) if math.prod(x.shape) else 0.0


def _sum_of_squares(x: Array) -> float:
    values = _in_memory(x)
    if values is None:
        xp = namespace(x)
        device = array_api_compat.device(x)
        has_float64 = "float64" in xp.__array_namespace_info__().dtypes(device=device, kind="real floating")
        return float(xp.sum(x * x, dtype=xp.float64 if has_float64 else x.dtype))
    flat = values.ravel()
    total = 0.0
    with np.errstate(over="ignore"):
        for start in range(0, flat.size, PIECE):
            piece = flat[start : start + PIECE].astype(np.float64, copy=False)
            total += float(piece.dot(piece))
    return total


def _largest_elsewhere(x: Array, count: int, prefer: np.ndarray | None) -> np.ndarray:
    """`largest` on the device of x, with its own sort; only the indices of those that win or tie travel."""
    xp = namespace(x)
    flat = xp.abs(xp.reshape(_detached(x), (-1,)))
    size = flat.shape[0]
    if xp.isdtype(x.dtype, "real floating") and bool(xp.any(xp.isnan(flat))):
        top_k.refuse_nan(int(xp.nonzero(xp.isnan(flat))[0][0]))
    if not 0 < count < size:
        return top_k.largest(np.zeros(size, bool), count)  # all or none
    torch = _torch_of(x)
    # PyTorch selects faster than it sorts; the standard has only the sort.
    threshold = xp.sort(flat)[size - count] if torch is None else torch.topk(flat, count, sorted=False).values.min()
    ties = _as_indices(xp.nonzero(flat == threshold)[0])
    preferred = ties[:0] if prefer is None else np.intersect1d(ties, prefer, assume_unique=True)
    return top_k.with_ties(_as_indices(xp.nonzero(flat > threshold)[0]), ties, preferred, count)
