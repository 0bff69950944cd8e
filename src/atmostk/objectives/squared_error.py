"""Half the squared residual: least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class SquaredError(LinearPredictorLoss):
    """F(x) = mean of (X_i x - y_i)^2 / 2.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(2), np.array([1.0, 2.0])), size=2)
    >>> SquaredError().value(np.zeros(2), sample)
    1.25
    """

    @property
    def quadratic(self) -> bool:
        """Its bend is always 1."""
        return True

    def loss(self, z: Array, y: Array, /) -> Array:
        """(z - y)^2 / 2."""
        residual = z - y
        return 0.5 * residual * residual

    def slope(self, z: Array, y: Array, /) -> Array:
        """z - y."""
        return z - y

    def bend(self, z: Array, y: Array, /) -> Array:
        """1."""
        return 0 * z + 1
