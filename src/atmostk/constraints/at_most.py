"""At most K of the entries are not zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array


@dataclass(frozen=True)
class AtMost:
    """The points with at most K nonzeros; the nearest one keeps the K entries of largest magnitude.

    >>> v = np.array([0.5, -3.0, 1.0, 2.0])
    >>> constraint = AtMost(2)
    >>> constraint.restrict(v, constraint.choose(v))
    array([ 0., -3.,  0.,  2.])
    """

    at_most: int

    def __post_init__(self) -> None:
        count = self.at_most
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(f"AtMost({count!r}): at_most must be a whole number of entries, 0 or more.")

    def choose(self, v: Array, current: np.ndarray | None = None, /) -> np.ndarray:
        """The flat indices, ascending, of the entries of largest magnitude; on a tie `current` wins (paper note 3)."""
        if not arrays.is_finite(v):
            raise ValueError("AtMost cannot choose among entries that are not finite.")
        return arrays.largest(v, self.at_most, current)

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """v on the support, zero elsewhere."""
        return arrays.keep(v, support)

    def check(self, x: Array, /) -> None:
        """Any array will do; a budget larger than the number of entries keeps them all."""
        arrays.namespace(x)
