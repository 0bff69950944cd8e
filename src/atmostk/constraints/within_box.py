"""A budget and bounds on each entry; non-negative is one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.ascending import without
from atmostk.constraints.always_kept import AlwaysKept
from atmostk.constraints.budget import Budget, check_budget, check_finite


@dataclass(frozen=True, eq=False)
class WithinBox:
    """The points of `constraint` with lower <= entry <= upper; a bound is a number, or an array of the points' shape.

    Keeping an entry v at c = clip(v) saves v^2 - (v - c)^2 = c (2v - c). So it competes as the magnitude
    sqrt(c (2v - c)) would without bounds, and the nearest point of both together is found, not one after the other.

    >>> from atmostk.constraints import AtMost
    >>> v = np.array([-9.0, 1.0, 2.0])
    >>> constraint = WithinBox(AtMost(1), lower=0.0)
    >>> constraint.restrict(v, constraint.choose(v))
    array([0., 0., 2.])
    """

    constraint: Budget
    lower: Any = -math.inf
    upper: Any = math.inf

    def __post_init__(self) -> None:
        check_budget(self.constraint, self)
        inside = self.constraint
        while isinstance(inside, AlwaysKept):
            inside = inside.constraint
        if isinstance(inside, WithinBox):
            raise ValueError("WithinBox goes around a constraint once: give the tighter one of each two bounds.")
        lower, upper = (_bound(self.lower, "lower"), _bound(self.upper, "upper"))
        if np.shape(lower) and np.shape(upper) and np.shape(lower) != np.shape(upper):
            raise ValueError(
                f"WithinBox has lower bounds of shape {np.shape(lower)} and upper bounds of shape {np.shape(upper)}."
            )
        crossed = np.ravel(np.greater(lower, upper))
        if crossed.any():
            position = int(np.argmax(crossed))
            raise ValueError(
                f"WithinBox leaves no room for entry {position}: its lower bound is above its upper bound."
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    def limit(self) -> int:
        """As the constraint has it."""
        return self.constraint.limit  # pyright: ignore[reportAttributeAccessIssue]

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """What the constraint chooses when each entry counts with what keeping it inside the box saves."""
        check_finite(v, self)
        xp = arrays.namespace(v)
        wanted = self.constraint.unlimited(v)
        clipped = arrays.clip(wanted, self.lower, self.upper)
        # A root of each factor, not of their product: neither overflows, and what was not clipped stays as it is.
        worth = xp.sqrt(xp.abs(clipped)) * xp.sqrt(xp.abs(wanted + (wanted - clipped)))
        worth = xp.where(clipped == wanted, xp.abs(wanted), worth)
        return self.constraint.choose(worth, current, apart)

    def free(self, x: Array, /) -> np.ndarray:
        """As the constraint has it."""
        return self.constraint.free(x)

    def units(self, x: Array, /) -> np.ndarray:
        """As the constraint has it."""
        return self.constraint.units(x)

    def unlimited(self, v: Array, /) -> Array:
        """The nearest point in the box."""
        return arrays.clip(self.constraint.unlimited(v), self.lower, self.upper)

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """The nearest point in the box with these nonzeros."""
        return arrays.keep(self.unlimited(v), support)

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """The bounds must have the shape of x, allow zero wherever an entry may be dropped, and suit the constraint."""
        self.constraint.check(x, apart)
        bounds = []
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if np.shape(bound) not in ((), tuple(x.shape)):
                raise ValueError(
                    f"WithinBox has {name} bounds of shape {np.shape(bound)} for entries of shape {tuple(x.shape)}."
                )
            bound = np.broadcast_to(np.asarray(bound, float), tuple(x.shape))
            if not np.array_equal(self.constraint.unlimited(bound), bound):
                raise ValueError(f"WithinBox needs a symmetric array of {name} bounds for a symmetric matrix.")
            bounds.append(bound)
        never_zero = np.flatnonzero((bounds[0] > 0) | (bounds[1] < 0))
        dropped = without(without(never_zero, self.constraint.free(x)), apart)
        if dropped.size:
            raise ValueError(
                f"WithinBox does not allow entry {dropped[0]} to be zero, and the budget may drop it: "
                "its lower bound must be at most 0 and its upper bound at least 0."
            )


def _bound(bound: Any, name: str) -> Any:
    """A float, or a read-only array of floats."""
    values = np.array(arrays.to_numpy(bound))
    if values.dtype.kind not in "fiu" or np.isnan(values).any():
        raise ValueError(f"WithinBox takes numbers as {name} bounds, and nan is none.")
    if values.ndim == 0:
        return float(values)
    values.flags.writeable = False
    return values
