"""Counts whose logarithm of the mean is linear: Poisson regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Poisson(LinearPredictorLoss):
    """F(x) = mean of exp(z_i) - y_i z_i, with counts y >= 0 (log y! is left out: it does not depend on x).

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(2), np.array([0.0, 3.0])), size=2)
    >>> Poisson().value(np.zeros(2), sample)
    1.0
    """

    def check_target(self, y: Array, whole: bool, /) -> None:
        """Counts are not negative, and not all zero."""
        smallest, largest = arrays.span(y)
        if smallest < 0:
            raise ValueError(f"Poisson needs counts of 0 or more, but y holds {smallest:g}.")
        if largest == 0 and whole:
            raise ValueError("Poisson needs at least one count above 0, but y is 0 everywhere.")

    def mean(self, z: Array, /) -> Array:
        """exp(z)."""
        return _exp(z)

    def loss(self, z: Array, y: Array, /) -> Array:
        """exp(z) - y z."""
        return _exp(z) - y * z

    def slope(self, z: Array, y: Array, /) -> Array:
        """exp(z) - y."""
        return _exp(z) - y

    def bend(self, z: Array, y: Array, /) -> Array:
        """exp(z)."""
        return _exp(z)


def _exp(z: Array) -> Array:
    # A trial step may overshoot: infinity there is an unsuccessful iteration (paper note 9), not a warning.
    with np.errstate(over="ignore"):
        return arrays.namespace(z).exp(z)
