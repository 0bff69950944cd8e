"""A little squared norm on top of any loss, for when rows are few or columns nearly alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.sample import Sample

Array = Any


def with_ridge(objective: Any, ridge: float) -> Any:
    """The objective plus ridge / 2 times the squared norm of x.

    >>> import numpy as np
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.sample import Sample
    >>> with_ridge(SquaredError(), 2.0).value(np.ones(1), Sample((np.eye(1), np.ones(1)), size=1))
    1.0
    """
    if not ridge >= 0:
        raise ValueError(f"with_ridge(..., {ridge}): the ridge must be 0 or more.")
    return WithRidge(objective, float(ridge)) if ridge else objective


@dataclass(frozen=True)
class WithRidge:
    """F(x) + ridge / 2 ||x||^2; made by `with_ridge`."""

    objective: Any
    ridge: float

    def check(self, x: Array, sample: Sample, /) -> None:
        """Whatever the loss checks."""
        if hasattr(self.objective, "check"):
            self.objective.check(x, sample)

    def value(self, x: Array, sample: Sample, /) -> float:
        """The loss and the ridge."""
        return self.objective.value(x, sample) + self._penalty(x)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """The loss's gradient and ridge x."""
        return self.objective.gradient(x, sample) + self.ridge * x

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """The ridge counts in every row, so that the mean is the value."""
        return self.objective.losses(x, sample) + self._penalty(x)

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """The loss's curvature and the ridge."""
        return self.objective.curvature(x, sample) + self.ridge

    def _penalty(self, x: Array) -> float:
        return 0.5 * self.ridge * arrays.norm(x) ** 2
