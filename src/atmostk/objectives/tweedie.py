"""Amounts of which many are zero, as claims are: the compound Poisson-Gamma between Poisson and Gamma regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Tweedie(LinearPredictorLoss):
    """F(x) = mean of exp((2 - p) z_i) / (2 - p) + y_i exp((1 - p) z_i) / (p - 1), with y >= 0 and the mean exp(z).

    The variance grows as the mean to the power p, which lies between 1 (Poisson) and 2 (Gamma). What does not depend
    on x is left out of the deviance.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> Tweedie(1.5).value(np.zeros(1), Sample((np.eye(1), np.array([3.0])), size=1))
    8.0
    """

    power: float = 1.5

    def __post_init__(self) -> None:
        if not 1 < self.power < 2:
            raise ValueError(
                f"Tweedie(power={self.power}): the power lies between 1 and 2; Poisson() is 1, Gamma() is 2."
            )

    def check_target(self, y: Array, whole: bool, /) -> None:
        """Amounts are not negative, and not all zero."""
        smallest, largest = arrays.span(y)
        if smallest < 0:
            raise ValueError(f"Tweedie needs amounts of 0 or more, but y holds {smallest:g}.")
        if largest == 0 and whole:
            raise ValueError("Tweedie needs at least one amount above 0, but y is 0 everywhere.")

    def mean(self, z: Array, /) -> Array:
        """exp(z)."""
        return _exp(z)

    def loss(self, z: Array, y: Array, /) -> Array:
        """exp((2 - p) z) / (2 - p) + y exp((1 - p) z) / (p - 1)."""
        p = self.power
        return _exp((2 - p) * z) / (2 - p) + y * _exp((1 - p) * z) / (p - 1)

    def slope(self, z: Array, y: Array, /) -> Array:
        """exp((2 - p) z) - y exp((1 - p) z)."""
        p = self.power
        return _exp((2 - p) * z) - y * _exp((1 - p) * z)

    def bend(self, z: Array, y: Array, /) -> Array:
        """(2 - p) exp((2 - p) z) + (p - 1) y exp((1 - p) z)."""
        p = self.power
        return (2 - p) * _exp((2 - p) * z) + (p - 1) * y * _exp((1 - p) * z)


def _exp(z: Array) -> Array:
    # A trial step may overshoot: infinity there is an unsuccessful iteration (paper note 9), not a warning.
    with np.errstate(over="ignore"):
        return arrays.namespace(z).exp(z)
