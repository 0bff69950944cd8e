"""Any estimator that chooses features: what it chose, and the rows and names of the data that it was given."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from atmostk import arrays

Array = Any


def rows_of(X: Any) -> Any:
    """X in a form of which rows can be taken: CSC comes as CSR, lists as arrays, all else as it is."""
    if arrays.is_scipy_sparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def taken(X: Any, rows: np.ndarray) -> Any:
    """Some rows of an array, a sparse matrix or a frame."""
    return _safe_indexing(X, rows)


def names_of(X: Any) -> np.ndarray:
    """The names of the columns, x0, x1, ... where they have none."""
    columns = getattr(X, "columns", None)
    if columns is not None:
        return np.array([str(name) for name in columns], dtype=object)
    return np.array([f"x{place}" for place in range(X.shape[1])], dtype=object)


def support_of(fitted: Any) -> np.ndarray:
    """The places of the features that a fitted estimator chose, ascending.

    >>> from sklearn.linear_model import Lasso
    >>> support_of(Lasso(alpha=0.5).fit([[1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [1.0, 2.0, 3.0]))
    array([0])
    """
    if hasattr(fitted, "support_"):
        found = np.asarray(fitted.support_)
        return np.flatnonzero(found) if found.dtype == bool else np.sort(found)
    if hasattr(fitted, "get_support"):
        return np.flatnonzero(fitted.get_support())
    if hasattr(fitted, "coef_"):
        return np.flatnonzero(np.atleast_2d(fitted.coef_).any(axis=0))
    raise TypeError(
        f"{type(fitted).__name__} does not say which features it chose: it needs support_, get_support or coef_."
    )


def chosen(estimator: Any, X: Any, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """What a fresh copy of the estimator chooses on these rows."""
    fresh: Any = clone(estimator)
    return support_of(fresh.fit(taken(X, rows), y[rows]))


def halves(estimator: Any, y: np.ndarray, share: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of rows without a row in common, the first with such a share; classes in the same shares in both."""
    groups = [np.arange(len(y))]
    if is_classifier(estimator):
        labels = np.unique(y, return_inverse=True)[1].reshape(-1)
        groups = [np.flatnonzero(labels == label) for label in range(labels.max() + 1)]
    first, second = [], []
    for group in groups:
        mixed = rng.permutation(group)
        # Of an odd number the one that is left over goes where chance says.
        count = int(share * len(group) + rng.random())
        first.append(mixed[:count])
        second.append(mixed[count:])
    return np.sort(np.concatenate(first)), np.sort(np.concatenate(second))
