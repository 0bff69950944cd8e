"""The folds of a cross-validation as Gram matrices: what is left when a fold's rows are taken out of the sum of all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from atmostk.estimators.measurements import told
from atmostk.estimators.standardised import Scales


class Fold(NamedTuple):
    """X'X / rows of the rows to learn from and of those held out, both on the scale of the former."""

    learned: np.ndarray
    held: np.ndarray
    rows: int
    rows_held: int


def fold(
    X: np.ndarray, gram: np.ndarray, scales: Scales, out: np.ndarray, *, centered: bool, standardize: bool, names: Any
) -> Fold:  # fmt: skip
    """The fold that holds these rows out, from the Gram matrix and the scales of all rows.

    No copy of the rows that stay is made, and each row is read once more.
    """
    rows, size = X.shape
    kept = rows - out.size
    if kept < 2 or out.size < 1:
        raise ValueError(f"A fold holds {out.size} of {rows} rows out: leave at least two to learn from, one to judge.")
    taken = (X[out] - scales.location) / scales.scale
    sums = taken.sum(axis=0, dtype=np.float64)
    products = (taken.T @ taken).astype(np.float64, copy=False)
    # All rows together have mean 0 here, so that the sum of those that stay is minus that of those taken.
    mean = np.zeros(size) if centered else -sums / kept
    learned = (rows * gram.astype(np.float64) - products) / kept
    learned -= np.outer(mean, mean)
    held = products / out.size
    across = np.outer(mean, sums / out.size)
    held += np.outer(mean, mean) - across - across.T
    if standardize:
        scale = np.sqrt(np.maximum(learned.diagonal(), 0))
        flat = np.flatnonzero(scale < 1e-5)
        if flat.size:
            raise ValueError(f"A fold leaves no variation in {told(flat, names)}: take fewer folds, or drop it.")
        inverse = 1 / scale
        for matrix in (learned, held):
            matrix *= inverse
            matrix *= inverse[:, None]
        np.fill_diagonal(learned, 1.0)
    return Fold(learned.astype(np.float32), held.astype(np.float32), kept, out.size)
