"""A little squared norm on top of any loss, for when rows are few or columns nearly alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.sample import Sample

Array = Any


def with_ridge(objective: Any, ridge: Any) -> Any:
    """The objective plus ridge / 2 times the squared norm of x, or with a ridge for each entry half their sum.

    >>> import numpy as np
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.sample import Sample
    >>> with_ridge(SquaredError(), 2.0).value(np.ones(1), Sample((np.eye(1), np.ones(1)), size=1))
    1.0
    """
    if np.ndim(ridge):
        ridge = np.array(arrays.to_numpy(ridge), np.float64)
        if not (ridge >= 0).all():
            raise ValueError(f"with_ridge: the ridge of an entry is {ridge.min()}; each must be 0 or more.")
        ridge.flags.writeable = False
        return WithRidge(objective, ridge)
    if not ridge >= 0:
        raise ValueError(f"with_ridge(..., {ridge}): the ridge must be 0 or more.")
    return WithRidge(objective, float(ridge)) if ridge else objective


@dataclass(frozen=True, eq=False)
class WithRidge:
    """F(x) + ridge / 2 ||x||^2; made by `with_ridge`."""

    objective: Any
    ridge: Any  # a number, or a read-only array like x

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """As the loss has it, with the ridge; None where the loss has none."""
        made = getattr(self.objective, "landscape", None)
        return None if made is None else made(problem, x0)

    def check(self, x: Array, sample: Sample, /) -> None:
        """Whatever the loss checks."""
        if hasattr(self.objective, "check"):
            self.objective.check(x, sample)
        if np.ndim(self.ridge) and self.ridge.shape != tuple(x.shape):
            raise ValueError(
                f"with_ridge has a ridge of shape {self.ridge.shape} for entries of shape {tuple(x.shape)}."
            )

    def value(self, x: Array, sample: Sample, /) -> float:
        """The loss and the ridge."""
        return self.objective.value(x, sample) + self._penalty(x)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """The loss's gradient and ridge x."""
        return self.objective.gradient(x, sample) + self._like(x) * x

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """The ridge counts in every row, so that the mean is the value."""
        return self.objective.losses(x, sample) + self._penalty(x)

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """The loss's curvature and the ridge."""
        return self.objective.curvature(x, sample) + self._like(x)

    def _penalty(self, x: Array) -> float:
        if np.ndim(self.ridge):
            return 0.5 * float((self._like(x) * x * x).sum())
        return 0.5 * self.ridge * arrays.norm(x) ** 2

    def _like(self, x: Array) -> Any:
        return arrays.like(self.ridge, x) if np.ndim(self.ridge) else self.ridge
