"""What makes a constraint one that goes inside another, and what the budgets have in common.

A budget says how many entries (groups, pairs) may stay. What wraps it changes one of two things: which entries
compete at all (`AlwaysKept`, by `apart`), or what an entry is worth (`WithinBox`, by the magnitudes it hands on). So
any wrapper goes around any budget, and they go around each other in any order.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.ascending import among, without


@runtime_checkable
class Budget(Protocol):
    """A constraint that others can build on; `apart` are flat indices, ascending, that stay outside the competition."""

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """The entries to keep, ascending: the best by the squares of v that they save; those `apart` use no budget."""
        ...

    def free(self, x: Array, /) -> np.ndarray:
        """The entries of points shaped like x, ascending, that are kept without using the budget."""
        ...

    def units(self, x: Array, /) -> np.ndarray:
        """For each entry of points shaped like x the number of what it enters and leaves with; -1 for a free entry."""
        ...

    def unlimited(self, v: Array, /) -> Array:
        """The nearest point to v if the budget had no limit; v itself where there is nothing else to obey."""
        ...

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """The nearest allowed point to v whose nonzeros lie in `support`; a new array, v is not touched."""
        ...

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """Raise ValueError with one sentence if points shaped like x cannot be constrained this way."""
        ...


def largest_beside(v: Array, count: int, current: np.ndarray | None, apart: np.ndarray | None) -> np.ndarray:
    """The `count` entries of v largest in magnitude that are not apart.

    >>> largest_beside(np.array([9.0, 1.0, 2.0]), 1, None, np.array([0]))
    array([2])
    """
    if apart is None or apart.size == 0:
        return arrays.largest(v, count, current)
    # However many of those apart are among the largest, enough others are there too.
    contenders = without(arrays.largest(v, count + apart.size, current), apart)
    prefer = None if current is None else among(contenders, current).nonzero()[0]
    return contenders[arrays.largest(arrays.take(v, contenders), count, prefer)]


def check_count(count: Any, owner: object, field: str) -> None:
    """Raise unless the count is a whole number, 0 or more."""
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
        raise ValueError(f"{type(owner).__name__}({count!r}): {field} must be a whole number, 0 or more.")


def check_budget(constraint: Any, owner: object) -> None:
    """Raise unless the constraint can go inside another."""
    if isinstance(constraint, type) or not isinstance(constraint, Budget):
        inner = constraint.__name__ if isinstance(constraint, type) else type(constraint).__name__
        name = type(owner).__name__
        raise TypeError(f"{inner} cannot go inside {name}: give it a budget such as AtMost(10).")


def check_finite(v: Array, owner: object) -> None:
    """Raise if an entry is infinite or not a number: there is no nearest point to that."""
    if not arrays.is_finite(v):
        flat = arrays.to_numpy(v).ravel()
        position = int(np.argmin(np.isfinite(flat)))
        name = type(owner).__name__
        raise ValueError(f"{name} finds no nearest point: entry {position} is {flat[position]}, which is not finite.")
