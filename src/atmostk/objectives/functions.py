"""An objective from plain Python functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from atmostk.sample import Sample

Array = Any


@dataclass(frozen=True)
class Functions:
    """F from functions of (x, data), where data is what the sampler draws; both are means over its rows.

    `losses` (one number a row) is only asked for by rules that measure how accurate a sample is.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> distance = Functions(
    ...     lambda x, rows: float(np.mean((rows - x) ** 2)) / 2,
    ...     lambda x, rows: x - rows.mean(axis=0),
    ... )
    >>> distance.gradient(np.zeros(2), Sample(np.ones((4, 2)), size=4))
    array([-1., -1.])
    """

    of_value: Callable[[Array, Any], float]
    of_gradient: Callable[[Array, Any], Array]
    of_losses: Callable[[Array, Any], Array] | None = None

    def value(self, x: Array, sample: Sample, /) -> float:
        """What the first function says."""
        return float(self.of_value(x, sample.data))

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """What the second function says."""
        return self.of_gradient(x, sample.data)

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """What the third function says."""
        if self.of_losses is None:
            raise TypeError(
                "Functions(value, gradient) has no row losses: pass of_losses=, a function of (x, data) too."
            )
        return self.of_losses(x, sample.data)
