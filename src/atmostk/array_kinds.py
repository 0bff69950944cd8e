"""Which library an array comes from, and the ways to NumPy and back."""

from __future__ import annotations

import sys
from typing import Any

import array_api_compat
import numpy as np

Array = Any  # NumPy, PyTorch, or any array that array-api-compat knows
STANDARD = int(np.__version__.split(".")[0]) >= 2  # NumPy itself is the array API since version 2


def namespace(x: Array) -> Any:
    """The module whose functions work on x.

    >>> namespace(np.ones(2)).__name__
    'numpy'
    """
    if STANDARD and isinstance(x, np.ndarray):
        return np
    if not array_api_compat.is_array_api_obj(x):
        raise TypeError(f"{type(x).__name__} is not an array: pass a NumPy array or a PyTorch tensor.")
    return array_api_compat.array_namespace(x)


def to_numpy(x: Array) -> np.ndarray:
    """The values of x as a NumPy array in CPU memory; a view of x where that is possible.

    >>> to_numpy(np.ones(2))
    array([1., 1.])
    """
    values = in_memory(x)
    if values is not None:
        return values
    torch = torch_of(x)
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


def as_index(indices: np.ndarray, x: Array) -> Array:
    """Indices in the form with which x can be indexed, on its device.

    >>> as_index(np.array([1]), np.ones(2))
    array([1])
    """
    if isinstance(x, np.ndarray) or is_scipy_sparse(x):
        return indices
    return namespace(x).asarray(indices, device=array_api_compat.device(x))


def is_floating(x: Array) -> bool:
    """Whether the entries are floating-point numbers.

    >>> is_floating(np.ones(2, int))
    False
    """
    kind = getattr(x.dtype, "kind", None)
    return kind == "f" if kind is not None else bool(getattr(x.dtype, "is_floating_point", False))


def is_scipy_sparse(x: Array) -> bool:
    """Whether x is one of scipy's sparse matrices or arrays; scipy is not imported to find out.

    >>> is_scipy_sparse(np.ones(2))
    False
    """
    return type(x).__module__.startswith("scipy.sparse")


def answers_itself(x: Array) -> bool:
    """Whether x is one of this package's own, such as a sparse graph: it has `shape` and answers by its methods.

    >>> answers_itself(np.ones(2))
    False
    """
    return type(x).__module__.startswith("atmostk.")


def in_memory(x: Array) -> np.ndarray | None:
    """The entries of x as a NumPy array without copying them, or None where that cannot be."""
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    torch = torch_of(x)
    if torch is None or not x.is_cpu or x.dtype == torch.bfloat16:
        return None
    return x.detach().numpy()


def back(values: np.ndarray, x: Array) -> Array:
    """A NumPy result as what x is: itself, or the tensor that shares its memory."""
    torch = torch_of(x)
    return values if torch is None else torch.from_numpy(values)


def detached(x: Array) -> Array:
    """x cut loose from any gradient."""
    return x if torch_of(x) is None else x.detach()


def torch_of(x: Array) -> Any:
    """PyTorch, when x is a tensor of it; who has no tensors never loads it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(x, torch.Tensor) else None


def wide(x: Array) -> Array:
    """x in float64 where its device knows that, for sums of many entries; else x."""
    xp = namespace(x)
    known = xp.__array_namespace_info__().dtypes(device=array_api_compat.device(x), kind="real floating")
    return xp.astype(detached(x), xp.float64) if "float64" in known else detached(x)
