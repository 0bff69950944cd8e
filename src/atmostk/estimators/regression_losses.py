"""The losses of a regression by name."""

from __future__ import annotations

from typing import Any

from atmostk.objectives import Huber, Poisson, SquaredError
from atmostk.objectives.linear_predictor import LinearPredictorLoss

LOSSES: dict[str, type] = {"squared_error": SquaredError, "huber": Huber, "poisson": Poisson}


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
