"""At most K entries are not zero."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.constraints.budget import check_count, check_finite, largest_beside


@dataclass(frozen=True)
class AtMost:
    """The points with at most K nonzeros: the nearest one keeps the K entries of largest magnitude.

    Exactly min(K, n) entries are kept, whatever ties.

    >>> v = np.array([0.5, -3.0, 1.0, 2.0])
    >>> constraint = AtMost(2)
    >>> constraint.restrict(v, constraint.choose(v))
    array([ 0., -3.,  0.,  2.])
    """

    at_most: int

    def __post_init__(self) -> None:
        check_count(self.at_most, self, "at_most")

    @property
    def limit(self) -> int:
        """How many entries may stay."""
        return self.at_most

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """The entries of largest magnitude; on a tie `current` wins, then the lower index (paper note 3)."""
        check_finite(v, self)
        return largest_beside(v, self.at_most, current, apart)

    def free(self, x: Array, /) -> np.ndarray:
        """None: every entry competes."""
        return np.empty(0, np.int64)

    def units(self, x: Array, /) -> np.ndarray:
        """Each entry enters and leaves alone."""
        return np.arange(math.prod(x.shape))

    def unlimited(self, v: Array, /) -> Array:
        """v itself: all points are allowed but for the budget."""
        return v

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """v on the support, zero elsewhere."""
        return arrays.keep(v, support)

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """Any array will do; a budget larger than the array keeps all of it."""
        arrays.namespace(x)
