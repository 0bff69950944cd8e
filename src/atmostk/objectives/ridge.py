"""A little squared norm on top of any loss, for when rows are few or columns nearly alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.sample import Sample

Array = Any


def with_ridge(objective: Any, ridge: float | Array) -> Any:
    """The objective plus the sum of ridge_j x_j^2 / 2; a single number counts for every entry of x.

    An array (of a shape that broadcasts to that of x) leaves some entries free, an intercept say, or weighs each by the
    variance of its column, which is what a ridge on standardised columns amounts to.

    >>> import numpy as np
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.sample import Sample
    >>> with_ridge(SquaredError(), 2.0).value(np.ones(1), Sample((np.eye(1), np.ones(1)), size=1))
    1.0
    """
    levels = arrays.to_numpy(ridge) if hasattr(ridge, "shape") else np.asarray(ridge)
    if not (levels >= 0).all():
        raise ValueError(f"with_ridge(..., {levels.min():g}): the ridge must be 0 or more.")
    if levels.ndim:
        return WithRidge(objective, ridge)
    return WithRidge(objective, float(ridge)) if ridge else objective


@dataclass(frozen=True, eq=False)
class WithRidge:
    """F(x) + sum of ridge_j x_j^2 / 2; made by `with_ridge`.

    >>> from atmostk.objectives import SquaredError
    >>> with_ridge(SquaredError(), np.array([0.0, 1.0])).ridge  # the first entry is left free
    array([0., 1.])
    """

    objective: Any
    ridge: Any

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """As the loss has it, with the ridge; None where the loss has none."""
        made = getattr(self.objective, "landscape", None)
        return None if made is None else made(problem, x0)

    def check(self, x: Array, sample: Sample, /) -> None:
        """Whatever the loss checks; the ridge must fit x."""
        shape, wanted = np.shape(self.ridge), tuple(x.shape)
        if len(shape) > len(wanted) or any(
            size not in (1, room) for size, room in zip(reversed(shape), reversed(wanted), strict=False)
        ):
            raise ValueError(f"the ridge has shape {shape}, which does not fit x of shape {wanted}.")
        if hasattr(self.objective, "check"):
            self.objective.check(x, sample)

    def value(self, x: Array, sample: Sample, /) -> float:
        """The loss and the ridge."""
        return self.objective.value(x, sample) + self._penalty(x)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """The loss's gradient and ridge x."""
        return self.objective.gradient(x, sample) + self._levels(x) * x

    def value_and_gradient(self, x: Array, sample: Sample, /) -> tuple[float, Array]:
        """Both at once, where the loss has them so."""
        both = getattr(self.objective, "value_and_gradient", None)
        if both is None:
            return self.value(x, sample), self.gradient(x, sample)
        value, gradient = both(x, sample)
        return value + self._penalty(x), gradient + self._levels(x) * x

    def hessian_times(self, x: Array, directions: Array, sample: Sample, /) -> Array | None:
        """The loss's products and the ridge; None where the loss has none."""
        times = getattr(self.objective, "hessian_times", None)
        products = None if times is None else times(x, directions, sample)
        return None if products is None else products + self._levels(x) * directions

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """The ridge counts in every row, so that the mean is the value."""
        return self.objective.losses(x, sample) + self._penalty(x)

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """The loss's curvature and the ridge."""
        return self.objective.curvature(x, sample) + self._levels(x)

    def _penalty(self, x: Array) -> float:
        if isinstance(self.ridge, float):
            return 0.5 * self.ridge * arrays.norm(x) ** 2
        return 0.5 * float(arrays.namespace(x).sum(self._levels(x) * x * x))

    def _levels(self, x: Array) -> Any:
        return self.ridge if isinstance(self.ridge, float) else arrays.like(self.ridge, x)
