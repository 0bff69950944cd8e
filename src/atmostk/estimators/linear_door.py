"""The door of the linear estimators: data as it comes in, checked once, becomes rows to learn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from atmostk import arrays
from atmostk.estimators.column_variances import Moments, column_moments
from atmostk.estimators.measurements import told
from atmostk.objectives.centred import Centred
from atmostk.samplers import Rows

FORMATS = ("csr", "csc")
FAR = 10.0  # standard deviations from zero, beyond which a column's products lose a digit or two to its mean
FLOATS = [np.float64, np.float32]


class CheckedRows(Rows):
    """Rows that were checked already: no second look at every number."""

    def __post_init__(self) -> None:
        """They are well."""


@dataclass(frozen=True)
class Opened:
    """Rows with what is known of their columns. A target is still as it came in: what it must be depends on the model.

    `X`, `y` and `weights` are whole columns; the rows to learn from are made by `sampler` once the target is encoded.
    """

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    moments: Moments
    names: np.ndarray | None

    def sampler(self, target: np.ndarray, weights: np.ndarray | None, *, intercept: bool) -> Any:
        """The rows with this target, in the precision of X.

        Where an intercept makes up for it, columns far from zero are seen from their means.
        """
        kind = self.X.dtype
        weights = None if weights is None else weights.astype(kind, copy=False)
        means, variances = self.moments
        far = intercept and bool((means**2 > FAR**2 * variances).any())
        X = Centred(self.X, means.astype(kind)) if far else self.X
        return CheckedRows(X, target.astype(kind, copy=False), weights)


def opened(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, numeric: bool, about_mean: bool, arriving: bool = False
) -> Opened:
    """X, y and weights as `fit` got them. The estimator learns the names of the columns; or knows them already, where
    the rows are `arriving` for a model that is there.
    """
    try:
        X, y = validate_data(
            estimator, X, y, accept_sparse=FORMATS, dtype=FLOATS, y_numeric=numeric, ensure_all_finite=False,
            ensure_min_samples=1 if arriving else 2, reset=not arriving,
        )  # fmt: skip
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        word = str(error).partition(": ")[2]
        raise ValueError(
            f"X or y holds text ({word}): encode such columns as numbers first (sklearn.preprocessing.OneHotEncoder "
            "does), and give classes to a SparseClassifier."
        ) from None
    names = getattr(estimator, "feature_names_in_", None)
    X, y = canonical(X), np.asarray(y)
    if numeric:
        check_target(y)
    weights = checked_weights(sample_weight, y.shape[0])
    moments = column_moments(X, weights, about_mean)
    check_finite(X, moments, names)
    return Opened(X, y, weights, moments, names)


def canonical(X: Any) -> Any:
    """Sparse rows in which no entry stands twice; a copy only if one does."""
    if arrays.is_scipy_sparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_target(y: np.ndarray) -> None:
    """Raise unless the target is finite amounts."""
    if y.dtype.kind not in "fiub":
        raise ValueError(f"y holds {str(y[0])!r}, which is no amount: a SparseClassifier takes classes.")
    if not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        raise ValueError(f"Input y holds NaN or infinity in row {row}: drop such rows or fill them in first.")


def checked_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """One finite number of 0 or more for each row, or None where all rows count the same."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}: give one number for each of the {rows} rows.")
    if not np.isfinite(weights).all() or weights.min() < 0:
        raise ValueError("sample_weight must hold finite numbers of 0 or more: Negative values are not weights.")
    if not weights.any():
        raise ValueError("sample_weight is zero everywhere: at least one row must have a weight above zero.")
    return None if (weights == weights[0]).all() else weights


def check_finite(X: Any, moments: Moments, names: np.ndarray | None) -> None:
    """Raise if a column holds NaN or infinity."""
    bad = np.flatnonzero(~np.isfinite(moments.variances))
    if bad.size == 0:
        return
    stored = X[:, bad].data if arrays.is_scipy_sparse(X) else X[:, bad]
    if np.isfinite(stored).all():
        raise ValueError(f"Input X holds numbers too large to square in {told(bad, names)}: rescale it.")
    kind = "NaN" if np.isnan(stored).any() else "infinity"
    raise ValueError(
        f"Input X holds {kind} in {told(bad, names)}: drop those rows or fill them in first "
        "(sklearn.impute.SimpleImputer does)."
    )


def read(estimator: Any, X: Any) -> Any:
    """X of a fitted estimator's predict."""
    return validate_data(estimator, X, accept_sparse=FORMATS, dtype=FLOATS, reset=False)
