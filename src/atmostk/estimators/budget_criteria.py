"""Which budget is the right one: information criteria, and what rows that were kept apart say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaln

from atmostk.estimators.linear_search import Found
from atmostk.objectives import Huber, Logistic, Multinomial, Poisson, SquaredError

CRITERIA = ("cv", "bic", "ebic", "gic")


def information(criterion: str, found: list[Found], loss: Any, rows: float, features: int) -> np.ndarray:
    """The criterion of each model: fit + price of its coefficients, lower is better.

    The fit is twice the negative log-likelihood. With d coefficients of p features, k of these used, on n rows the
    price is d log n for BIC, with 2 log(p choose k) on top for EBIC (Chen and Chen, 2008, gamma = 1), and
    d log p log log n for GIC (Fan and Tang, 2013).
    """
    counts = np.array([_parameters(one) for one in found], float)
    used = np.array([one.support.size for one in found], float)
    fits = _fits(np.array([one.loss for one in found]), loss, rows)
    if criterion == "gic":
        return fits + counts * math.log(max(features, 2)) * math.log(max(math.log(max(rows, 3.0)), 1e-3))
    prices = counts * math.log(max(rows, 2.0))
    if criterion == "ebic":
        prices = prices + 2 * (gammaln(features + 1) - gammaln(used + 1) - gammaln(features - used + 1))
    return fits + prices


def _parameters(found: Found) -> float:
    """How many numbers a model has chosen; one class of several follows from the others where all use a feature."""
    outputs = len(found.coefficients)
    by_feature = np.count_nonzero(found.coefficients, axis=0)
    return float(np.where(by_feature == outputs, by_feature - (outputs > 1), by_feature).sum())


def _fits(losses: np.ndarray, loss: Any, rows: float) -> np.ndarray:
    """Twice the negative log-likelihood, but for what no model changes."""
    if isinstance(loss, Logistic | Multinomial | Poisson):
        return 2 * rows * losses
    if isinstance(loss, Huber):
        return 2 * rows * losses / (loss.threshold / 1.345) ** 2  # the threshold is 1.345 deviations
    tiny = np.finfo(float).tiny
    scale = 1.0 if isinstance(loss, SquaredError) else 2.0
    return scale * rows * np.log(np.maximum(2 * losses, tiny))


def smallest_within_one_error(means: np.ndarray, errors: np.ndarray) -> int:
    """The place of the first (smallest) budget whose mean is within one standard error of the best.

    >>> smallest_within_one_error(np.array([3.0, 1.2, 1.0]), np.array([0.3, 0.3, 0.3]))
    1
    """
    best = int(np.argmin(means))
    return int(np.flatnonzero(means <= means[best] + errors[best])[0])
