"""A quantile of y in place of its mean: the pinball loss, its corner rounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss

Array = Any


@dataclass(frozen=True)
class Quantile(LinearPredictorLoss):
    """F(x) = mean of (level - 1/2) u_i + |u_i| / 2, u = y - X x: the slope of loss is -level above, 1 - level below.

    `smoothing`, in units of y, rounds the corner: within it |u| is (u^2 / smoothing + smoothing) / 2, which makes the
    loss its mean over a window of that half-width (conquer; He, Pan, Tan and Zhou, 2023). 0 is the exact loss, whose
    curvature is 0: `Exchange` needs a smoothing, and the estimators take one from the data.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> Quantile(0.9).value(np.zeros(1), Sample((np.eye(1), np.array([2.0])), size=1))
    1.8
    """

    level: float = 0.5
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"Quantile(level={self.level}): the level lies between 0 and 1.")
        if not self.smoothing >= 0:
            raise ValueError(f"Quantile(smoothing={self.smoothing}): it must be 0 or more.")

    def loss(self, z: Array, y: Array, /) -> Array:
        """(level - 1/2) u + the rounded |u| / 2."""
        u = y - z
        sizes = arrays.namespace(z).abs(u)
        return (self.level - 0.5) * u + 0.5 * self._rounded(sizes)

    def slope(self, z: Array, y: Array, /) -> Array:
        """1/2 - level, less half the sign of u, which is u / smoothing within the smoothing."""
        xp = arrays.namespace(z)
        u = y - z
        if self.smoothing == 0:
            return 0.5 - self.level - 0.5 * xp.sign(u)
        return 0.5 - self.level - 0.5 * xp.clip(u / self.smoothing, -1.0, 1.0)

    def bend(self, z: Array, y: Array, /) -> Array:
        """1 / (2 smoothing) within the smoothing, 0 beyond."""
        if self.smoothing == 0:
            return 0 * z
        xp = arrays.namespace(z)
        return xp.where(xp.abs(y - z) <= self.smoothing, 0 * z + 0.5 / self.smoothing, 0 * z)

    def couplings(self, z: Array, y: Array, /) -> Array:
        """`bend`, and a hundredth beyond the smoothing: where no row is within it, the way must still have a length."""
        return arrays.namespace(z).clip(self.bend(z, y), 0.005 / (self.smoothing or 1.0), None)

    def _rounded(self, sizes: Array) -> Array:
        if self.smoothing == 0:
            return sizes
        within = 0.5 * (sizes * sizes / self.smoothing + self.smoothing)
        return arrays.namespace(sizes).where(sizes <= self.smoothing, within, sizes)
