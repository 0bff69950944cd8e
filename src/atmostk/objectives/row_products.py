"""Products of many rows with few numbers, added up in double precision: no row is copied to that for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.compiled import compiled
from atmostk.objectives import columns

Array = Any


def sparse_times(X: Array, x: np.ndarray) -> np.ndarray:
    """X x for CSR rows, x with a column for each output.

    >>> from scipy.sparse import csr_array
    >>> sparse_times(csr_array(np.eye(2, dtype=np.float32)), np.array([[1.0], [2.0]])).ravel()
    array([1., 2.])
    """
    X = X if X.format == "csr" else X.tocsr()
    found = np.zeros((X.shape[0], x.shape[1]))
    _times(X.data, X.indices, X.indptr, x, found)
    return found


def add_products(X: Array, slopes: np.ndarray, bends: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    """Add X' slopes to `first` and (X * X)' bends to `second`, whose rows beyond those of X' stay as they are."""
    if arrays.is_scipy_sparse(X):
        X = X if X.format == "csr" else X.tocsr()
        _add(X.data, X.indices, X.indptr, slopes, bends, first, second)
        return
    kind = columns.precision(X)
    X = X.astype(kind, copy=False)
    narrow, squares = slopes.astype(kind, copy=False), bends.astype(kind, copy=False)
    first[: X.shape[1]] += X.T @ narrow
    second[: X.shape[1]] += (X * X).T @ squares


@compiled(nogil=True)
def _times(stored, indices, starts, x, found):
    for i in range(starts.size - 1):
        for place in range(starts[i], starts[i + 1]):
            value = np.float64(stored[place])
            for output in range(x.shape[1]):
                found[i, output] += value * x[indices[place], output]


@compiled(nogil=True)
def _add(stored, indices, starts, slopes, bends, first, second):
    for i in range(starts.size - 1):
        for place in range(starts[i], starts[i + 1]):
            value = np.float64(stored[place])
            column = indices[place]
            for output in range(slopes.shape[1]):
                first[column, output] += value * slopes[i, output]
                second[column, output] += value * value * bends[i, output]
