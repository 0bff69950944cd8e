"""Some entries always stay (an intercept, known features); the budget is for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.ascending import union
from atmostk.constraints.budget import Budget, check_budget


@dataclass(frozen=True, eq=False)
class AlwaysKept:
    """What `constraint` allows, and besides it these entries (flat indices) may be anything at no cost to the budget.

    >>> from atmostk.constraints import AtMost
    >>> v = np.array([0.1, -3.0, 1.0, 2.0])
    >>> constraint = AlwaysKept(AtMost(1), entries=[0])
    >>> constraint.restrict(v, constraint.choose(v))
    array([ 0.1, -3. ,  0. ,  0. ])
    """

    constraint: Budget
    entries: Any

    def __post_init__(self) -> None:
        check_budget(self.constraint, self)
        entries = np.array(arrays.to_numpy(self.entries)).ravel()
        if entries.size == 0:
            entries = entries.astype(np.int64)
        if entries.dtype.kind not in "iu":
            raise ValueError(f"AlwaysKept takes the flat indices of its entries, not {entries.dtype} values.")
        entries = np.unique(entries).astype(np.int64)
        if entries.size and entries[0] < 0:
            raise ValueError(f"AlwaysKept entry {entries[0]} is negative: flat indices count from 0.")
        entries.flags.writeable = False
        object.__setattr__(self, "entries", entries)

    @property
    def limit(self) -> int:
        """As the constraint has it."""
        return self.constraint.limit  # pyright: ignore[reportAttributeAccessIssue]

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """These entries, and what the constraint chooses among the others."""
        return union(self.entries, self.constraint.choose(v, current, union(self.entries, apart)))

    def free(self, x: Array, /) -> np.ndarray:
        """These entries, and those that the constraint has free."""
        return union(self.entries, self.constraint.free(x))

    def units(self, x: Array, /) -> np.ndarray:
        """As the constraint has it, without these entries."""
        units = self.constraint.units(x).copy()
        units[self.entries] = -1
        return units

    def unlimited(self, v: Array, /) -> Array:
        """As the constraint has it."""
        return self.constraint.unlimited(v)

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """As the constraint has it."""
        return self.constraint.restrict(v, support)

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """The entries must exist, and the constraint must be able to do without them."""
        if not arrays.answers_itself(x):
            arrays.namespace(x)
        size = int(np.prod(x.shape))
        if self.entries.size and self.entries[-1] >= size:
            raise ValueError(
                f"AlwaysKept entry {self.entries[-1]} is not among the {size} entries: flat indices count from 0."
            )
        self.constraint.check(x, union(self.entries, apart))
