"""The last rows of a stream, as many as a bounded memory holds: on them a new support is fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from atmostk import arrays

Array = Any
MOST_ROWS = 10_000
MOST_BYTES = 200_000_000  # where rows are wide, fewer of them


@dataclass(frozen=True)
class RecentRows:
    """Batches of (X, y, weights), oldest first; never fewer rows than the last batch has, up to the limits.

    >>> recent = RecentRows()
    >>> for first in range(0, 25_000, 5_000):
    ...     recent = recent.seen(np.zeros((5_000, 3)), np.arange(first, first + 5_000.0), None)
    >>> X, y, weights = recent.joined()
    >>> len(y), int(y[0])
    (10000, 15000)
    """

    parts: tuple[tuple[Array, np.ndarray, np.ndarray | None], ...] = ()

    def seen(self, X: Array, y: np.ndarray, weights: np.ndarray | None) -> RecentRows:
        """With a batch more; what is kept of it is a copy, because a stream may use its arrays again."""
        most = _rows_in(X)
        kept = slice(max(0, len(y) - most), None)
        parts = [*self.parts, (X[kept].copy(), y[kept].copy(), None if weights is None else weights[kept].copy())]
        rows = sum(len(part[1]) for part in parts)
        while rows - len(parts[0][1]) >= most:
            rows -= len(parts.pop(0)[1])
        return RecentRows(tuple(parts))

    def joined(self) -> tuple[Array, np.ndarray, np.ndarray | None]:
        """All of them as one batch."""
        if len(self.parts) == 1:
            return self.parts[0]
        Xs, ys, weights = zip(*self.parts, strict=True)
        X = sparse.vstack(Xs, format="csr") if arrays.is_scipy_sparse(Xs[0]) else np.concatenate(Xs)
        if all(part is None for part in weights):
            return X, np.concatenate(ys), None
        filled = [np.ones_like(y) if part is None else part for y, part in zip(ys, weights, strict=True)]
        return X, np.concatenate(ys), np.concatenate(filled)


def _rows_in(X: Array) -> int:
    rows = max(1, X.shape[0])
    held = X.nnz * (X.dtype.itemsize + 4) if arrays.is_scipy_sparse(X) else X.size * X.dtype.itemsize
    return int(max(1, min(MOST_ROWS, MOST_BYTES // max(1, held // rows))))
