"""Squared near zero, absolute beyond: regression that a few wild rows cannot bend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Huber(LinearPredictorLoss):
    """F(x) = mean of r^2 / 2 where |r| <= threshold and threshold (|r| - threshold / 2) beyond, r = X_i x - y_i.

    The threshold is in units of y; 1.345 times the residuals' standard deviation is 95 % efficient on normal rows
    (Huber, 1964).

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> Huber(1.0).value(np.zeros(1), Sample((np.eye(1), np.array([3.0])), size=1))
    2.5
    """

    threshold: float = 1.345

    def __post_init__(self) -> None:
        if not self.threshold > 0:
            raise ValueError(f"Huber(threshold={self.threshold}): the threshold must be above 0.")

    def loss(self, z: Array, y: Array, /) -> Array:
        """c (r - c / 2) with r the residual and c the residual cut to the threshold."""
        residual = z - y
        cut = self._cut(residual)
        return cut * (residual - 0.5 * cut)

    def slope(self, z: Array, y: Array, /) -> Array:
        """The residual, cut to the threshold."""
        return self._cut(z - y)

    def bend(self, z: Array, y: Array, /) -> Array:
        """1 inside the threshold, 0 beyond."""
        xp = arrays.namespace(z)
        residual = z - y
        return xp.where(xp.abs(residual) <= self.threshold, 0 * z + 1, 0 * z)

    def couplings(self, z: Array, y: Array, /) -> Array:
        """`bend`, and a hundredth beyond the threshold: where no row is within it, the way must still have a length."""
        return arrays.namespace(z).clip(self.bend(z, y), 0.01, None)

    def _cut(self, residual: Array) -> Array:
        return arrays.namespace(residual).clip(residual, -self.threshold, self.threshold)
