"""What is known of pairs before the data is seen: which are edges, which are not, which are likelier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

KNOWN = np.float32(1e30)  # as a worth: always in


@dataclass(frozen=True, eq=False)
class Worth:
    """1 for every pair but those listed, by `keys` (row x variables + column, row below column, ascending).

    A pair's score is multiplied by its worth, and its l1 divided by it: 0 for a pair that must not be an edge, infinity
    for one that always is.

    >>> worth = Worth.of_matrix(np.array([[1.0, np.inf, 0.0], [np.inf, 1.0, 1.0], [0.0, 1.0, 1.0]]))
    >>> worth.at(np.array([1, 2, 5]))
    array([1.e+30, 0.e+00, 1.e+00], dtype=float32)
    """

    size: int
    keys: np.ndarray
    values: np.ndarray

    @classmethod
    def of_pairs(cls, size: int, rows: Any, columns: Any, values: Any) -> Worth:
        """Listed by pairs in any order; where one is listed twice the last counts."""
        rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        keys = np.minimum(rows, columns) * size + np.maximum(rows, columns)
        values = np.broadcast_to(np.minimum(np.asarray(values, np.float32), KNOWN), keys.shape)
        keys, last = np.unique(keys[::-1], return_index=True)
        return cls(size, keys, np.ascontiguousarray(values[::-1][last]))

    @classmethod
    def of_matrix(cls, matrix: Any) -> Worth:
        """Listed in the upper triangle of a matrix: dense, or of scipy, where what is not stored is worth 1."""
        if hasattr(matrix, "tocoo"):
            stored = matrix.tocoo()
            above = stored.row < stored.col
            return cls.of_pairs(matrix.shape[0], stored.row[above], stored.col[above], stored.data[above])
        matrix = np.asarray(matrix)
        rows, columns = np.nonzero(np.triu(matrix != 1, 1))
        return cls.of_pairs(len(matrix), rows, columns, matrix[rows, columns])

    def joined(self, other: Worth) -> Worth:
        """Both lists; where a pair is in both, the other's worth counts."""
        rows, columns = np.divmod(np.concatenate((self.keys, other.keys)), self.size)
        return Worth.of_pairs(self.size, rows, columns, np.concatenate((self.values, other.values)))

    def shrinkage(self, keys: np.ndarray, l1: float) -> np.ndarray:
        """The l1 of each pair: divided by its worth, none for a pair that is always an edge."""
        worth = self.at(keys).astype(np.float64)
        return np.where(worth >= KNOWN, 0.0, l1 / np.maximum(worth, 1e-30))

    def at(self, keys: np.ndarray) -> np.ndarray:
        """The worth of each pair."""
        if self.keys.size == 0:
            return np.ones(keys.size, np.float32)
        places = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        return np.where(self.keys[places] == keys, self.values[places], np.float32(1))

    @property
    def known(self) -> np.ndarray:
        """The keys of the pairs that are always edges."""
        return self.keys[self.values >= KNOWN]

    @property
    def raised(self) -> np.ndarray:
        """The keys of the pairs that are worth more than others."""
        return self.keys[self.values > 1]

    def to_dense(self) -> np.ndarray:
        """As a symmetric matrix."""
        dense = np.ones((self.size, self.size), np.float32)
        rows, columns = np.divmod(self.keys, self.size)
        dense[rows, columns] = dense[columns, rows] = self.values
        return dense
