"""The mean and the variance of every column, in one pass that also tells whether all numbers are finite."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from atmostk import arrays
from atmostk.compiled import compiled

Array = Any


class Moments(NamedTuple):
    """The (weighted) mean and variance of each column; NaN or infinity where the column holds such."""

    means: np.ndarray
    variances: np.ndarray


def column_variances(X: Array, weights: np.ndarray | None, about_mean: bool) -> np.ndarray:
    """The (weighted) variance of each column, or its mean square where it is not to be taken about the mean.

    >>> column_variances(np.array([[1.0, 5.0], [3.0, 5.0]]), None, True)
    array([1., 0.])
    """
    return column_moments(X, weights, about_mean).variances


def column_moments(X: Array, weights: np.ndarray | None = None, about_mean: bool = True) -> Moments:
    """Means and variances of the columns of a dense, CSR or CSC matrix, added up in double precision; no copy."""
    rows, columns = X.shape
    by_row = np.empty(0) if weights is None else np.asarray(weights, np.float64)
    sums, squares = np.zeros(columns), np.zeros(columns)
    total = float(rows) if weights is None else float(by_row.sum())
    origin = np.zeros(columns)
    with np.errstate(all="ignore"):
        if arrays.is_scipy_sparse(X):
            add = _add_sparse_rows if X.format == "csr" else _add_sparse_columns
            add(X.data, X.indices, X.indptr, by_row, sums, squares)
        else:
            origin = X[0].astype(np.float64)  # sums about a row of the data do not cancel
            add = _add_columns if X.flags.f_contiguous and not X.flags.c_contiguous else _add_rows
            add(X, by_row, origin, sums, squares)
        shifts = sums / total
        means = origin + shifts
        variances = np.maximum(squares / total - shifts**2, 0.0)
        return Moments(means, variances if about_mean else variances + means**2)


@compiled
def _add_rows(X, weights, origin, sums, squares):
    for i in range(X.shape[0]):
        weight = weights[i] if weights.size else 1.0
        for j in range(X.shape[1]):
            apart = np.float64(X[i, j]) - origin[j]
            sums[j] += weight * apart
            squares[j] += weight * apart * apart


@compiled
def _add_columns(X, weights, origin, sums, squares):
    for j in range(X.shape[1]):
        first, second = 0.0, 0.0
        for i in range(X.shape[0]):
            weight = weights[i] if weights.size else 1.0
            apart = np.float64(X[i, j]) - origin[j]
            first += weight * apart
            second += weight * apart * apart
        sums[j], squares[j] = first, second


@compiled
def _add_sparse_rows(stored, columns, starts, weights, sums, squares):
    for i in range(starts.size - 1):
        weight = weights[i] if weights.size else 1.0
        for place in range(starts[i], starts[i + 1]):
            value = np.float64(stored[place])
            sums[columns[place]] += weight * value
            squares[columns[place]] += weight * value * value


@compiled
def _add_sparse_columns(stored, rows, starts, weights, sums, squares):
    for j in range(starts.size - 1):
        for place in range(starts[j], starts[j + 1]):
            weight = weights[rows[place]] if weights.size else 1.0
            value = np.float64(stored[place])
            sums[j] += weight * value
            squares[j] += weight * value * value
