"""The losses of a regression by name, and those whose scale comes from the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.objectives import Gamma, Huber, Poisson, Quantile, SquaredError, Tweedie
from atmostk.objectives.linear_predictor import LinearPredictorLoss

LOSSES: dict[str, type] = {
    "squared_error": SquaredError,
    "huber": Huber,
    "quantile": Quantile,
    "poisson": Poisson,
    "gamma": Gamma,
    "tweedie": Tweedie,
}
EFFICIENT = 1.345  # standard deviations, at which Huber's loss is 95 % efficient on normal rows (Huber, 1964)
LEAST_WINDOW = 0.05  # standard deviations, as in conquer (He, Pan, Tan and Zhou, 2023)


def checked_loss(loss: Any) -> LinearPredictorLoss:
    """The loss that is meant: a name, or an objective of a linear predictor such as `Huber(0.5)`.

    >>> checked_loss("poisson")
    Poisson()
    """
    if isinstance(loss, LinearPredictorLoss):
        return loss
    if isinstance(loss, str) and loss in LOSSES:
        return LOSSES[loss]()
    known = ", ".join(repr(name) for name in LOSSES)
    raise ValueError(f"loss={loss!r} is not known: take one of {known}, or an objective such as Huber(0.5).")


def needs_scale(loss: Any) -> bool:
    """Whether the loss, as the person gave it, is to be scaled by the data.

    >>> needs_scale("huber"), needs_scale(Huber(0.5)), needs_scale(Quantile(0.9))
    (True, False, True)
    """
    return loss == "huber" or loss == "quantile" or (isinstance(loss, Quantile) and loss.smoothing == 0)


def scaled(loss: LinearPredictorLoss, scale: float, rows: int, features: int) -> LinearPredictorLoss:
    """Huber's or the quantile's loss for residuals with this standard deviation.

    >>> scaled(Huber(), 2.0, 100, 3)
    Huber(threshold=2.69)
    """
    if isinstance(loss, Quantile):
        window = max(LEAST_WINDOW, ((features + np.log(rows)) / rows) ** 0.4)
        return Quantile(loss.level, float(scale * min(window, 1.0)))
    return Huber(float(EFFICIENT * scale))


def spread(residuals: np.ndarray, weights: np.ndarray | None) -> float:
    """A standard deviation that wild rows do not move: 1.4826 times the median distance from the median.

    >>> round(spread(np.array([-1.0, 0.0, 1.0, 500.0]), None), 2)
    1.48
    """
    center = _median(residuals, weights)
    found = 1.4826 * _median(np.abs(residuals - center), weights)
    if found > 0:
        return found
    return float(np.sqrt(np.average((residuals - center) ** 2, weights=weights))) or 1.0


def _median(values: np.ndarray, weights: np.ndarray | None) -> float:
    """The smallest value with half of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    counted = np.arange(1.0, values.size + 1) if weights is None else np.cumsum(weights[order], dtype=np.float64)
    return float(values[order[np.searchsorted(counted, counted[-1] / 2)]])
