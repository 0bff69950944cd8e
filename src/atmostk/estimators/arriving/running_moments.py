"""Means, variances and fillings of columns over all batches so far, added up so that nothing cancels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.estimators.column_variances import Moments

Array = Any
# As if a row of each column's own kind had been seen so many times: what few rows show is not taken for flat.
PSEUDO_ROWS = 10


@dataclass(frozen=True)
class RunningMoments:
    """Of all rows so far: their weight, the mean and variance of each column, and the share of rows that fill it.

    >>> first, second = np.array([[1.0], [3.0]]), np.array([[0.0], [8.0]])
    >>> from atmostk.estimators.column_variances import column_moments
    >>> both = RunningMoments.none(1).seen(first, 2.0, column_moments(first)).seen(second, 2.0, column_moments(second))
    >>> both.means, both.variances, both.filled
    (array([3.]), array([9.5]), array([0.75]))
    """

    weight: float
    rows: int
    means: np.ndarray
    variances: np.ndarray
    filled: np.ndarray

    @staticmethod
    def none(features: int) -> RunningMoments:
        """Before the first batch."""
        return RunningMoments(0.0, 0, np.zeros(features), np.zeros(features), np.zeros(features))

    def seen(self, X: Array, weight: float, batch: Moments) -> RunningMoments:
        """With a batch more, of such a weight and such moments (about the mean, or means of 0 and mean squares)."""
        total = self.weight + weight
        share = weight / total if total > 0 else 0.0
        apart = batch.means - self.means
        variances = (1 - share) * self.variances + share * batch.variances + share * (1 - share) * apart**2
        rows = self.rows + X.shape[0]
        filled = self.filled + (filled_counts(X) - self.filled * X.shape[0]) / rows
        return RunningMoments(total, rows, self.means + share * apart, variances, filled)

    @property
    def spreads(self) -> np.ndarray:
        """The variance of each column, with the pseudo-observations."""
        return self.variances + PSEUDO_ROWS / max(self.rows, 1) * self.kinds + 1e-300

    @property
    def kinds(self) -> np.ndarray:
        """The variance among the rows that fill a column: what one row of its kind adds. 1 for a column never seen."""
        kinds = self.variances / np.maximum(self.filled, 1e-12)
        known = kinds > 0
        return np.where(known, kinds, kinds[known].mean() if known.any() else 1.0)


def filled_counts(X: Array) -> np.ndarray:
    """How many rows of an array, or of a CSR matrix, fill each column.

    >>> filled_counts(np.eye(2))
    array([1, 1])
    """
    if arrays.is_scipy_sparse(X):
        return np.bincount(X.indices, minlength=X.shape[1])
    return np.count_nonzero(X, axis=0)
