"""Variables on one scale: their means and deviations, and the products or the columns that the search works on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from atmostk.estimators.measurements import told

BLOCK = 4096  # rows, or variables, that are copied at a time


class Scales(NamedTuple):
    """The mean (0 where it is not taken away) and the deviation (1 where it is left) of each variable."""

    location: np.ndarray
    scale: np.ndarray


def filled(X: np.ndarray) -> np.ndarray:
    """A copy whose missing entries are the means of their columns."""
    gaps = np.isnan(X)
    return np.where(gaps, np.nanmean(X, axis=0), X).astype(X.dtype, copy=False)


def normal_scores(X: np.ndarray) -> np.ndarray:
    """Each column's ranks as quantiles of the normal: what heavy tails cannot bend. Ties share their mean rank.

    >>> normal_scores(np.array([[1.0], [5.0], [900.0]])).round(2).T
    array([[-0.67,  0.  ,  0.67]])
    """
    from scipy.stats import rankdata

    return ndtri(rankdata(X, axis=0) / (len(X) + 1)).astype(X.dtype, copy=False)


def gram_and_scales(X: np.ndarray, *, centered: bool, standardize: bool, names: Any) -> tuple[np.ndarray, Scales]:
    """X'X / rows of the variables on their scale, added up in blocks of rows, and the scale."""
    rows, size = X.shape
    location = np.zeros(size, X.dtype) if centered else X.mean(axis=0)
    gram = None
    for top in range(0, rows, BLOCK):
        block = X[top : top + BLOCK] - location
        part = block.T @ block
        gram = part if gram is None else gram + part
    assert gram is not None
    gram = gram / X.dtype.type(rows)
    scale = checked_scale(np.sqrt(gram.diagonal()), location, names)
    if not standardize:
        return gram, Scales(location, np.ones_like(scale))
    gram /= scale
    gram /= scale[:, None]
    np.fill_diagonal(gram, 1.0)
    return gram, Scales(location, scale)


def columns_and_scales(X: np.ndarray, *, centered: bool, standardize: bool, names: Any) -> tuple[np.ndarray, Scales]:
    """The variables, one a row, on their scale and over the root of the number of rows, in single precision."""
    rows, size = X.shape
    columns = np.empty((size, rows), np.float32)
    location, scale = np.zeros(size, X.dtype), np.ones(size, X.dtype)
    for begin in range(0, size, BLOCK):
        part = slice(begin, begin + BLOCK)
        block = np.ascontiguousarray(X[:, part].T)
        if not centered:
            location[part] = block.mean(axis=1)
            block = block - location[part, None]
        scale[part] = np.sqrt(np.einsum("ik,ik->i", block, block) / rows)
        columns[part] = block / ((scale[part, None] if standardize else 1) * X.dtype.type(rows**0.5))
    checked_scale(scale, location, names)
    return columns, Scales(location, scale if standardize else np.ones_like(scale))


def checked_scale(scale: np.ndarray, location: np.ndarray, names: Any) -> np.ndarray:
    """The scale, unless a variable has none."""
    least = 8 * np.finfo(scale.dtype).eps * np.abs(location)
    flat = np.flatnonzero(scale <= np.maximum(least, np.finfo(scale.dtype).tiny))
    if flat.size:
        raise ValueError(f"X is constant in {told(flat, names)}: drop what never varies.")
    return scale
