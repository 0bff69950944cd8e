"""Columns of X, dense or sparse, in the pieces and the precision in which a fit reads them; X is never copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csc_array, hstack

from atmostk import arrays
from atmostk.objectives.centred import Centred

Array = Any
ROWS_AT_A_TIME = 8192  # what a piece of a support's columns may hold and stay in the processor's cache
SEEN_ENOUGH = 20_000  # rows from which a curvature is known well enough to rank by
PSEUDO_ROWS = 10  # an average row so many times, so that a column that few rows show is not taken for a flat one


def stride(rows: int, enough: int) -> int:
    """Every how many of the rows about `enough` of them lie: 1, or an odd prime, so that rows in an order that repeats
    itself (days of a week, cases beside controls) are met in all their places.

    >>> stride(1000, 1000), stride(50_000, 2_000), stride(2_000, 1_000)
    (1, 29, 3)
    """
    step = max(1, rows // max(1, enough))
    if step == 1:
        return 1
    step = max(step, 3) | 1
    while any(step % divisor == 0 for divisor in range(3, int(step**0.5) + 1, 2)):
        step += 2
    return step


def precision(X: Array) -> Any:
    """The floating type in which X is computed with."""
    return X.dtype if X.dtype in (np.float32, np.float64) else np.dtype(np.float64)


def taken(X: Array, features: np.ndarray, first: int = 0, last: int | None = None, step: int = 1) -> np.ndarray:
    """These columns of some rows as a dense array; a feature beyond the last column is a column of ones.

    >>> taken(np.eye(2), np.array([1, 2]))
    array([[0., 1.],
           [1., 1.]])
    """
    real = features[features < X.shape[1]]
    if isinstance(X, Centred):
        found = taken(X.X, features, first, last, step)
        found[:, features < X.shape[1]] -= X.origin[real].astype(found.dtype)
        return found
    rows = X[first:last:step] if (first, last, step) != (0, None, 1) else X
    if arrays.is_scipy_sparse(X):
        part = rows[:, real].toarray()
    else:
        # As it lies in memory: what comes from a store by columns lies column by column.
        by_columns = isinstance(rows, np.ndarray) and rows.strides[0] < rows.strides[1]
        part = rows.T.take(real, axis=0).T if by_columns else rows.take(real, axis=1)
    part = part.astype(precision(X), copy=False)
    if real.size == features.size:
        return part
    ones = np.ones((part.shape[0], 1), part.dtype)
    whole = np.concatenate((part, ones), axis=1)
    return whole[:, np.where(features < X.shape[1], np.cumsum(features < X.shape[1]) - 1, real.size)]


def taken_as_stored(X: Array, features: np.ndarray, step: int = 1) -> Array:
    """As `taken`, but sparse columns stay sparse."""
    if not arrays.is_scipy_sparse(X):
        return taken(X, features, step=step)
    real = features < X.shape[1]
    part: Any = csc_array(X[::step][:, features[real]]).astype(precision(X), copy=False)
    if real.all():
        return part
    ones = csc_array(np.ones((part.shape[0], 1), part.dtype))
    return csc_array(hstack((part, ones)))[:, np.where(real, np.cumsum(real) - 1, part.shape[1])]


def weighed(A: Array, by_row: np.ndarray) -> Array:
    """Each row of A times its number."""
    by_row = by_row.astype(A.dtype, copy=False)
    if arrays.is_scipy_sparse(A):
        return csc_array((A.data * by_row[A.indices], A.indices, A.indptr), shape=A.shape)
    return A * by_row[:, None]


def products(A: Array, B: Array) -> np.ndarray:
    """A'B in double precision."""
    found = A.T @ B
    return np.asarray(found.toarray() if arrays.is_scipy_sparse(found) else found, np.float64)


def squares(A: Array, by_row: np.ndarray) -> np.ndarray:
    """The sum of each column's squares, each row's times its number."""
    if arrays.is_scipy_sparse(A):
        return np.asarray(by_row @ csc_array((A.data * A.data, A.indices, A.indptr), shape=A.shape), np.float64)
    by_row, some = by_row.astype(A.dtype, copy=False), max(1, 2**18 // max(1, A.shape[0]))
    parts = [(part * part).T @ by_row for first in range(0, A.shape[1], some) for part in [A[:, first : first + some]]]
    return np.concatenate(parts or [np.empty(0)]).astype(np.float64)


def pieces(X: Array, features: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """These columns, some rows at a time."""
    for first in range(0, X.shape[0], ROWS_AT_A_TIME):
        last = min(first + ROWS_AT_A_TIME, X.shape[0])
        yield slice(first, last), taken(X, features, first, last)


def transposed_times(X: Array, by_row: np.ndarray) -> np.ndarray:
    """X' by_row in double precision."""
    by_row = by_row.astype(precision(X), copy=False)
    if isinstance(X, Centred):
        return _centred_times(X, by_row)
    product = X.T @ by_row if arrays.is_scipy_sparse(X) or by_row.ndim > 1 else by_row @ X
    return np.asarray(product, np.float64)


def _centred_times(X: Centred, by_row: np.ndarray) -> np.ndarray:
    """(X - origin)' by_row; dense rows are shifted piece by piece, so that nothing large cancels."""
    if arrays.is_scipy_sparse(X.X):
        total = by_row.sum(axis=0, dtype=np.float64)
        return np.asarray(X.X.T @ by_row, np.float64) - np.multiply.outer(X.origin, total)
    origin = X.origin.astype(by_row.dtype)
    product = np.zeros((X.shape[1], *by_row.shape[1:]))
    at_a_time = max(1, 65536 // X.shape[1])
    for first in range(0, X.shape[0], at_a_time):
        rows = slice(first, first + at_a_time)
        product += (X.X[rows] - origin).T @ by_row[rows]
    return product


def mean_squares(X: Array, weights: np.ndarray | None, about_mean: bool) -> np.ndarray:
    """The (weighted) mean square of each column, about the column's mean if asked; never zero.

    All rows of sparse X are read, at most 20,000 of a dense one, evenly spread; ten average rows are added.
    """
    if isinstance(X, Centred):
        return mean_squares(X.X, weights, about_mean)
    if arrays.is_scipy_sparse(X):
        share = np.full(X.shape[0], 1 / X.shape[0]) if weights is None else weights / weights.sum()
        squared = type(X)((X.data.astype(np.float64) ** 2, X.indices, X.indptr), shape=X.shape)
        squares, means = np.asarray(squared.T @ share), np.asarray(X.T @ share)
        rows = X.shape[0]
    else:
        step = stride(X.shape[0], SEEN_ENOUGH)
        seen = X[::step]
        rows = seen.shape[0]
        share = np.full(rows, 1 / rows) if weights is None else weights[::step] / max(weights[::step].sum(), 1e-300)
        squares, means = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        at_a_time = max(1, 65536 // X.shape[1])
        origin = seen[0].astype(np.float64) if about_mean else 0.0
        for first in range(0, rows, at_a_time):
            part = seen[first : first + at_a_time]
            if about_mean:
                part = part - origin
            by_row = share[first : first + at_a_time]
            squares += (
                np.einsum("ij,ij,i->j", part, part, by_row)
                if weights is not None
                else np.einsum("ij,ij->j", part, part).astype(np.float64) / rows
            )
            if about_mean:
                means += by_row @ part
    if about_mean:
        squares = np.maximum(squares - means**2, 0.0)
    average = float(squares.mean()) or 1.0
    return squares + PSEUDO_ROWS / rows * average + 1e-12 * average
