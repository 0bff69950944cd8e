"""Standard errors of a model's coefficients, as if its features had been chosen before anyone saw the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from atmostk.inference.chosen import names_of, rows_of, support_of
from atmostk.inference.coefficient_table import CoefficientTable
from atmostk.inference.wald import fitted
from atmostk.objectives import Logistic, Multinomial, SquaredError
from atmostk.objectives.columns import taken as columns_taken

CONDITION = (
    "conditional on the selection: the errors are those of features fixed beforehand; "
    "where the same rows chose them, they are too small"
)


def refit_table(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, level: float = 0.95, robust: bool = False
) -> CoefficientTable:
    """The chosen features fitted anew, without ridge or bounds: coefficients, standard errors, intervals.

    They are right where the features were not chosen on these rows: by other rows, or beforehand. On the rows that
    chose them the intervals cover too rarely and the p-values are too small, because the features were chosen for
    being far from zero: `split_p_values` is for that. `robust` needs no model of the noise. Of several classes the
    coefficients of a feature sum to zero.

    >>> from atmostk import SparseRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 30))
    >>> y = X[:, 3] + rng.normal(size=400)
    >>> model = SparseRegressor(at_most=1).fit(X[:200], y[:200])
    >>> table = refit_table(model, X[200:], y[200:])     # rows that did not choose
    >>> table.names, table.standard_errors.round(1), bool(table.lower[0] < 1 < table.upper[0])
    (array(['x3', 'intercept'], dtype=object), array([0.1, 0.1]), True)
    """
    check_is_fitted(model)
    if not 0 < level < 1:
        raise ValueError(f"refit_table(level={level}): the share of intervals that cover lies between 0 and 1.")
    X = rows_of(X)
    support = support_of(model)
    matrix = X.to_numpy() if hasattr(X, "to_numpy") else X
    A = columns_taken(matrix, support)
    loss, target, classes = loss_and_target(model, y)
    intercept = bool(getattr(model, "fit_intercept", True))
    outputs = len(classes) if len(classes) > 2 else 1
    if len(target) <= support.size + intercept:
        raise ValueError(f"{len(target)} rows are too few for the errors of {support.size} features: give more rows.")
    found = fitted(loss, A, target, sample_weight, outputs=outputs, intercept=intercept, robust=robust)
    errors = np.sqrt(np.maximum(np.diag(found.covariance), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = found.values / errors
    law: Any = stats.norm if np.isinf(found.freedom) else stats.t(found.freedom)
    half = law.ppf(0.5 + level / 2) * errors
    names = np.append(names_of(X)[support], ["intercept"] * intercept).astype(object)
    return CoefficientTable(
        features=np.repeat(np.append(support, [-1] * intercept), outputs),
        names=np.repeat(names, outputs),
        outputs=np.tile(np.array(classes, dtype=object) if outputs > 1 else np.array([""], dtype=object), len(names)),
        coefficients=found.values,
        standard_errors=errors,
        statistics=statistics,
        p_values=2 * law.sf(np.abs(statistics)),
        lower=found.values - half,
        upper=found.values + half,
        covariance=found.covariance,
        level=level,
        condition=CONDITION,
    )


def loss_and_target(model: Any, y: Any) -> tuple[Any, np.ndarray, list[Any]]:
    """The loss that the model minimises, y as that loss reads it, and the classes where there are some."""
    y = np.asarray(y)
    if not is_classifier(model):
        return getattr(model, "loss_", SquaredError()), y.astype(np.float64), []
    known = getattr(model, "classes_", None)
    classes = np.unique(y) if known is None else np.asarray(known)
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if (classes[places] != y).any():
        raise ValueError(f"y holds {y[classes[places] != y][0]!r}, which is none of the model's classes.")
    return Logistic() if len(classes) == 2 else Multinomial(), places.astype(np.float64), classes.tolist()
