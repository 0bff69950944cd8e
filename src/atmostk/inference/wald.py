"""The minimum of a linear predictor's loss on given columns, and the covariance of its coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import pinvh

from atmostk.constraints import AlwaysKept, AtMost
from atmostk.estimators.linear_door import CheckedRows
from atmostk.objectives import Logistic, Multinomial, Poisson, WithIntercept, with_ridge
from atmostk.objectives.linear_landscape import linear_landscape
from atmostk.problem import Problem

LIKELIHOODS = (Logistic, Multinomial, Poisson)
# So small that no coefficient shows it; it names one of the many minima of a multinomial or a separable sample.
SMALLEST_RIDGE = 1e-9


@dataclass(frozen=True)
class Fitted:
    """Coefficients of shape (columns, outputs), an intercept's last, flat with the covariance in the same order.

    `freedom` is how many rows are left over to know the noise by; infinite where the loss is a likelihood.
    """

    values: np.ndarray
    covariance: np.ndarray
    freedom: float


def fitted(
    loss: Any, A: np.ndarray, y: np.ndarray, weights: np.ndarray | None, *, outputs: int, intercept: bool, robust: bool
) -> Fitted:
    """Fit and covariance: by the Hessian and, where the loss is no likelihood, the noise's variance; `robust` puts the
    scatter of the rows' gradients between two Hessians, which holds without a model of the noise.

    >>> from atmostk.objectives import SquaredError
    >>> line = fitted(
    ...     SquaredError(), np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 2.0, 1.0]), None,
    ...     outputs=1, intercept=True, robust=False,
    ... )
    >>> line.values.round(6), line.freedom, line.covariance.round(6)
    (array([0.5, 0.5]), 1.0, array([[ 0.75, -0.75],
           [-0.75,  1.25]]))
    """
    A, y = np.asarray(A, np.float64), np.asarray(y, np.float64)
    count = A.shape[1] + int(intercept)
    shape = (count,) if outputs == 1 else (count, outputs)
    if isinstance(loss, LIKELIHOODS):
        spreads = np.append(A.var(axis=0), np.zeros(int(intercept))) * SMALLEST_RIDGE
        objective = with_ridge(WithIntercept(loss) if intercept else loss, np.resize(spreads, shape[::-1]).T)
    else:
        objective = WithIntercept(loss) if intercept else loss
    weights = None if weights is None else np.asarray(weights, np.float64)
    problem = Problem(objective, CheckedRows(A, y, weights), AlwaysKept(AtMost(0), np.arange(count * outputs)))
    landscape = linear_landscape(problem, np.zeros(shape))
    assert landscape is not None
    point = landscape.polish(landscape.start(np.zeros(shape)))
    hessian = landscape.derivatives(point).hessian
    assert hessian is not None
    hessian = hessian * landscape.weight
    inverse = _inverse(hessian, outputs)
    freedom = np.inf if isinstance(loss, LIKELIHOODS) else float(len(y) - count)
    if robust or not (loss.quadratic or isinstance(loss, LIKELIHOODS)):
        scatter = _scatter(loss, A, y, weights, point.values.reshape(shape), intercept)
        covariance = inverse @ scatter @ inverse * (len(y) / max(len(y) - count, 1))
    elif loss.quadratic:
        covariance = inverse * (2 * landscape.worth(point) * landscape.weight / max(freedom, 1))
    else:
        covariance = inverse
    values = point.values
    if outputs > 1:  # of the many that predict the same, those that sum to zero over the classes
        table = values.reshape(count, outputs)
        values = (table - table.mean(axis=1, keepdims=True)).ravel()
    return Fitted(values, covariance, freedom)


def _inverse(hessian: np.ndarray, outputs: int) -> np.ndarray:
    """The inverse, whatever the columns' scales; with several outputs that of coefficients that sum to zero."""
    by_column = np.diag(hessian).reshape(-1, outputs).mean(axis=1)
    scale = np.repeat(np.sqrt(np.where(by_column > 0, by_column, 1.0)), outputs)
    found: Any = pinvh(hessian / scale / scale[:, None])
    return found / scale / scale[:, None]


def _scatter(
    loss: Any, A: np.ndarray, y: np.ndarray, weights: np.ndarray | None, x: np.ndarray, intercept: bool
) -> np.ndarray:
    """The sum over rows of the outer product of their gradients."""
    A = np.concatenate((A, np.ones((len(A), 1))), axis=1) if intercept else A
    slopes = loss.slope(A @ x, y).reshape(len(A), -1)
    if weights is not None:
        slopes = slopes * weights[:, None]
    by_row = (A[:, :, None] * slopes[:, None, :]).reshape(len(A), -1)
    return by_row.T @ by_row
