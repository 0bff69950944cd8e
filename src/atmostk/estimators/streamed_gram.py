"""Products of variables from rows that cannot be kept: one pass adds them up; of many variables a sample must do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.estimators.standardised import Scales, checked_scale, columns_and_scales
from atmostk.sample import Sample

PIECE = 4096  # rows that are multiplied at a time


@dataclass(frozen=True, eq=False)
class Products:
    """The sums of X and of X'X about an origin: products in X's precision, sums of blocks in double."""

    origin: np.ndarray

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """Of one block."""
        X = block.data[0] if isinstance(block.data, tuple) else block.data
        if arrays.is_scipy_sparse(X):
            X = X.toarray()
        total, gram = np.zeros(X.shape[1]), np.zeros((X.shape[1], X.shape[1]))
        for first in range(0, X.shape[0], PIECE):
            part = X[first : first + PIECE] - self.origin.astype(X.dtype)
            weighted = part
            if block.weights is not None:
                weighted = part * block.weights[first : first + PIECE, None].astype(X.dtype)
            gram += part.T @ weighted
            total += weighted.sum(axis=0, dtype=np.float64)
        return {"weight": block.weight, "sum": total, "gram": gram}


def streamed_gram(source: Any, *, centered: bool, standardize: bool, names: Any) -> tuple[np.ndarray, Scales]:
    """X'X / rows of the variables on their scale, by one pass, and the scale."""
    few = source.draw(min(256, source.size), np.random.default_rng(0))
    X = few.data[0] if isinstance(few.data, tuple) else few.data
    width = X.shape[1]
    origin = np.zeros(width) if centered else np.asarray(X.mean(axis=0), np.float64).ravel()
    answer = source.ask(Products(origin))
    shift = np.zeros(width) if centered else answer["sum"] / answer["weight"]
    gram = answer.pop("gram")
    gram /= answer["weight"]
    gram -= np.outer(shift, shift)
    location = origin + shift
    scale = checked_scale(np.sqrt(np.maximum(gram.diagonal(), 0.0)), location, names)
    if not standardize:
        return gram, Scales(location, np.ones_like(scale))
    gram /= scale
    gram /= scale[:, None]
    np.fill_diagonal(gram, 1.0)
    return gram, Scales(location, scale)


def sampled_columns(
    source: Any, *, seed: int, centered: bool, standardize: bool, names: Any
) -> tuple[np.ndarray, Scales]:
    """The variables on their scale, one a row, from as many rows as may be in memory."""
    rows = min(source.size, max(2, source.sample_rows // 3))  # the search holds two more matrices of this size
    sample = source.draw(rows, np.random.default_rng(seed))
    X = sample.data[0] if isinstance(sample.data, tuple) else sample.data
    if arrays.is_scipy_sparse(X):
        X = X.toarray()
    return columns_and_scales(X, centered=centered, standardize=standardize, names=names)
