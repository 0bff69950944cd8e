"""At most K groups of entries are not zero; a group stays or goes as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.ascending import without
from atmostk.constraints.budget import check_count, check_finite, largest_beside


@dataclass(frozen=True, eq=False)
class AtMostGroups:
    """The points with nonzeros in at most K groups: the nearest one keeps the K groups of largest Euclidean norm.

    `groups` gives each entry, in flat order, the whole number that names its group.

    >>> v = np.array([2.0, 2.0, -2.5, 0.0])
    >>> constraint = AtMostGroups(1, groups=[0, 0, 1, 1])
    >>> constraint.restrict(v, constraint.choose(v))
    array([2., 2., 0., 0.])
    """

    at_most: int
    groups: Any
    labels: np.ndarray = field(init=False, repr=False)  # the groups, numbered from 0 in the order of their names
    order: np.ndarray = field(init=False, repr=False)  # the entries, group by group
    starts: np.ndarray = field(init=False, repr=False)  # where in that order each group begins

    def __post_init__(self) -> None:
        check_count(self.at_most, self, "at_most")
        groups = np.array(arrays.to_numpy(self.groups)).ravel()
        if groups.dtype.kind not in "iu":
            raise ValueError(
                f"AtMostGroups takes one whole number for each entry as its group, not {groups.dtype} values."
            )
        labels = np.unique(groups, return_inverse=True)[1].reshape(-1)
        order = np.argsort(labels, kind="stable")
        starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
        for name, value in (("groups", groups), ("labels", labels), ("order", order), ("starts", starts)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def limit(self) -> int:
        """How many groups may stay."""
        return self.at_most

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """All entries of the groups of largest norm; on a tie a group with entries in `current` wins, then the first.

        A group counts with those of its entries that compete, and not at all when none does.
        """
        check_finite(v, self)
        sizes = np.abs(arrays.to_numpy(v).ravel().astype(np.float64))
        settled = None
        if apart is not None and apart.size:
            sizes[apart] = 0.0
            competing = np.ones(sizes.size, bool)
            competing[apart] = False
            settled = np.setdiff1d(np.arange(self.starts.size), self.labels[competing])
        present = None if current is None else np.unique(self.labels[without(current, apart)])
        kept = np.zeros(self.starts.size, bool)
        kept[largest_beside(self._norms(sizes), self.at_most, present, settled)] = True
        return np.flatnonzero(kept[self.labels])

    def free(self, x: Array, /) -> np.ndarray:
        """None: every entry competes."""
        return np.empty(0, np.int64)

    def units(self, x: Array, /) -> np.ndarray:
        """A group enters and leaves as one."""
        return self.labels

    def unlimited(self, v: Array, /) -> Array:
        """v itself: all points are allowed but for the budget."""
        return v

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """v on the support, zero elsewhere."""
        return arrays.keep(v, support)

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """Each entry of x needs its group."""
        arrays.namespace(x)
        entries = int(np.prod(x.shape))
        if entries != self.labels.size:
            raise ValueError(
                f"AtMostGroups knows the group of {self.labels.size} entries and cannot constrain {entries}: "
                "give one group for each entry."
            )

    def _norms(self, sizes: np.ndarray) -> np.ndarray:
        """The norm of each group, by the group's own largest entry, so that no square is lost or overflows."""
        if sizes.size == 0:
            return sizes
        tops = np.maximum.reduceat(sizes[self.order], self.starts)
        scaled = sizes / np.where(tops > 0, tops, 1.0)[self.labels]
        return tops * np.sqrt(np.bincount(self.labels, scaled * scaled, minlength=tops.size))
