"""Positive amounts whose spread grows with their mean, and whose logarithm of the mean is linear: Gamma regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Gamma(LinearPredictorLoss):
    """F(x) = mean of r_i - 1 - log r_i with r_i = y_i / exp(z_i): half the deviance, 0 where every row is met.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(2), np.array([1.0, np.e])), size=2)
    >>> Gamma().value(np.array([0.0, 1.0]), sample)
    0.0
    """

    def check_target(self, y: Array, whole: bool, /) -> None:
        """Amounts are above 0."""
        smallest, _ = arrays.span(y)
        if smallest <= 0:
            raise ValueError(f"Gamma needs amounts above 0, but y holds {smallest:g}: Tweedie allows zeros.")

    def mean(self, z: Array, /) -> Array:
        """exp(z)."""
        with np.errstate(over="ignore"):
            return arrays.namespace(z).exp(z)

    def loss(self, z: Array, y: Array, /) -> Array:
        """r - 1 - log r."""
        return _ratio(z, y) - 1 - arrays.namespace(z).log(y) + z

    def slope(self, z: Array, y: Array, /) -> Array:
        """1 - r."""
        return 1 - _ratio(z, y)

    def bend(self, z: Array, y: Array, /) -> Array:
        """r."""
        return _ratio(z, y)


def _ratio(z: Array, y: Array) -> Array:
    # A trial step may overshoot: infinity there is an unsuccessful iteration (paper note 9), not a warning.
    with np.errstate(over="ignore"):
        return y * arrays.namespace(z).exp(-z)
