"""At most K positive entries that add up to a total: sparse portfolios, sparse mixtures."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.constraints.at_most import AtMost
from atmostk.constraints.budget import check_finite


@dataclass(frozen=True)
class OnSimplex:
    """The points with at most K positive entries, none negative, that add up to `total`.

    The nearest one takes the K largest entries, sign included, and projects those onto the simplex: exact (Kyrillidis,
    Becker, Cevher and Koch, Sparse projections onto the simplex, 2013).

    >>> v = np.array([0.9, 0.5, -2.0, 0.2])
    >>> constraint = OnSimplex(AtMost(2))
    >>> constraint.restrict(v, constraint.choose(v))
    array([0.7, 0.3, 0. , 0. ])
    """

    constraint: AtMost
    total: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.constraint, AtMost):
            raise TypeError(f"OnSimplex goes around AtMost(...), not around {type(self.constraint).__name__}.")
        if self.constraint.at_most == 0:
            raise ValueError("OnSimplex(AtMost(0)) has no points: at_most must be at least 1 to reach the total.")
        if not (isinstance(self.total, (int, float, np.number)) and 0 < self.total < math.inf):
            raise ValueError(f"OnSimplex cannot reach the total {self.total!r}: it must be a positive number.")

    def choose(self, v: Array, current: np.ndarray | None = None, /) -> np.ndarray:
        """The largest entries, sign included; on a tie `current` wins, then the lower index (paper note 3)."""
        check_finite(v, self)
        return arrays.highest(v, self.constraint.at_most, current)

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """The nearest point to v of the simplex on the support, zero elsewhere."""
        return arrays.place(_onto_simplex(arrays.to_numpy(arrays.take(v, support)), float(self.total)), support, v)

    def check(self, x: Array, /) -> None:
        """Any array with an entry will do; a budget larger than the array keeps all of it."""
        arrays.namespace(x)
        if math.prod(x.shape) == 0:
            raise ValueError("OnSimplex cannot reach its total on an array without entries.")


def _onto_simplex(values: np.ndarray, total: float) -> np.ndarray:
    """max(values - t, 0) for the one t with which they add up to the total."""
    # Only differences matter, and what lies more than the total below the largest one is zero for certain.
    with np.errstate(over="ignore"):
        lowered = np.maximum(values.astype(np.float64) - float(values.max()), -total)
    falling = np.sort(lowered)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    positive = np.flatnonzero(falling > shifts)[-1]
    return np.maximum(lowered - shifts[positive], 0.0)
