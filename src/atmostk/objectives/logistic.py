"""The log loss of a binary label: logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Logistic(LinearPredictorLoss):
    """F(x) = mean of log(1 + exp(z_i)) - y_i z_i, with labels y of 0 and 1.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(2), np.array([0.0, 1.0])), size=2)
    >>> round(Logistic().value(np.zeros(2), sample), 6)
    0.693147
    """

    def check_target(self, y: Array, whole: bool, /) -> None:
        """Labels are 0 and 1, and both occur."""
        lowest, highest = arrays.span(y)
        if lowest == highest and whole:
            raise ValueError(f"Logistic needs rows of both classes, but y holds only {lowest:g}.")
        if not bool(((y == 0) | (y == 1)).all()):
            labels = arrays.distinct(y)
            shown = ", ".join(f"{label:g}" for label in labels[:5]) + (", ..." if len(labels) > 5 else "")
            raise ValueError(f"Logistic needs labels 0 and 1, but y holds {shown}: encode them first.")

    def loss(self, z: Array, y: Array, /) -> Array:
        """log(1 + exp(z)) - y z, without overflow."""
        xp = arrays.namespace(z)
        return xp.log1p(xp.exp(-xp.abs(z))) + xp.where(z > 0, z, 0 * z) - y * z

    def slope(self, z: Array, y: Array, /) -> Array:
        """The probability of label 1, minus y."""
        return probability(z) - y

    def bend(self, z: Array, y: Array, /) -> Array:
        """q (1 - q) with q the probability of label 1."""
        q = probability(z)
        return q * (1 - q)


def probability(z: Array) -> Array:
    """1 / (1 + exp(-z)), by way of tanh, which cannot overflow."""
    return 0.5 + 0.5 * arrays.namespace(z).tanh(0.5 * z)
