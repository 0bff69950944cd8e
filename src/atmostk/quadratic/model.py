"""A quadratic function of a pool of entries whose Hessian columns are asked for when an entry first enters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri  # pyright: ignore[reportAttributeAccessIssue]

from atmostk.quadratic import gains, running_minimum

CERTAIN = 1e-9  # a curvature that falls below this share of its own is rounding


@dataclass(frozen=True)
class Pool:
    """The units of a pool and their entries, the free entries among them.

    `units` are their numbers, ascending; unit u's entries, as places in the pool, are members[u, :sizes[u]].
    """

    units: np.ndarray
    members: np.ndarray
    sizes: np.ndarray
    free: np.ndarray

    @staticmethod
    def of(units_of_entries: np.ndarray) -> Pool:
        """The pool whose entries belong to these units, -1 for a free one."""
        if units_of_entries.size and units_of_entries[0] >= 0 and (np.diff(units_of_entries) > 0).all():
            size = units_of_entries.size  # the common case: each entry a unit, none free
            each = np.arange(size)[:, None]
            return Pool(units_of_entries, each, np.ones(size, np.int64), np.empty(0, np.int64))
        order = np.argsort(units_of_entries, kind="stable")
        free = np.sort(order[: np.count_nonzero(units_of_entries < 0)])
        order = order[free.size :]
        units, starts, sizes = np.unique(units_of_entries[order], return_index=True, return_counts=True)
        widest = int(sizes.max()) if sizes.size else 1
        places = starts[:, None] + np.minimum(np.arange(widest), sizes[:, None] - 1)
        return Pool(units, order[places] if order.size else np.zeros((0, 1), np.int64), sizes, free)

    @property
    def single(self) -> bool:
        """Whether each unit is one entry."""
        return self.members.shape[1] == 1

    def places(self, units: np.ndarray) -> np.ndarray:
        """Where these units stand in the pool."""
        return np.searchsorted(self.units, units)

    def entries(self, places: np.ndarray) -> np.ndarray:
        """The free entries, and unit by unit those of the units at these places."""
        if self.single:
            return np.concatenate((self.free, self.members[places, 0]))
        parts = [self.members[place, : self.sizes[place]] for place in places]
        return np.concatenate((self.free, *parts))


@dataclass(frozen=True)
class Tableau:
    """The minimum on a support, and what it says of every entry of the pool."""

    entries: np.ndarray
    columns: np.ndarray  # of the Hessian, as rows
    inverse: np.ndarray  # of the Hessian on the support
    shares: np.ndarray  # that times the columns
    values: np.ndarray
    slopes: np.ndarray  # minus the gradient
    bends: np.ndarray  # the curvature of each entry when the support follows it
    value: float


class QuadraticModel:
    """q(v) = v'Hv/2 - b'v over the entries of a pool.

    `columns` gives columns of H as rows (entries asked for by entries of the pool), `diagonal` is that of H, `blocks`
    gives the part of H within each unit where units have several entries. b follows from the gradient at `point`, whose
    nonzeros are all in the pool.
    """

    def __init__(
        self,
        pool: Pool,
        columns: Callable[[np.ndarray], np.ndarray],
        diagonal: np.ndarray,
        gradient: np.ndarray,
        point: np.ndarray,
        *,
        lower: np.ndarray,
        upper: np.ndarray,
        blocks: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.pool = pool
        self.diagonal = diagonal * (1 + CERTAIN) + 1e-300
        self.lower, self.upper = lower, upper
        self.boxed = bool(np.isfinite(lower).any() or np.isfinite(upper).any())
        self._columns = columns
        self._place_of_entry = np.zeros(diagonal.size, np.int64)
        if pool.single:
            self._place_of_entry[pool.members[:, 0]] = np.arange(pool.units.size)
        self._known = np.full(diagonal.size, -1)
        self._store = np.empty((0, diagonal.size))  # a row for each column of H
        self._count = 0
        self.blocks = None if pool.single or blocks is None else blocks(pool.members, pool.sizes)
        used = np.flatnonzero(point)
        self.linear = point[used] @ self._take(used) - gradient

    def _take(self, entries: np.ndarray) -> np.ndarray:
        """Columns of the Hessian, as rows; those asked for the first time are computed."""
        new = entries[self._known[entries] < 0]
        if new.size:
            after = self._count + new.size
            if after > len(self._store):
                store = np.empty((max(2 * len(self._store), after + 8), self.diagonal.size))
                store[: self._count] = self._store[: self._count]
                self._store = store
            self._store[self._count : after] = self._columns(new)
            self._known[new] = np.arange(self._count, after)
            self._count = after
        return self._store[self._known[entries]]

    def tableau(self, places: np.ndarray, start: np.ndarray | None = None) -> Tableau:
        """The minimum on the units at these places of the pool."""
        entries = self.pool.entries(places)
        columns = self._take(entries)
        hessian = columns[:, entries]
        hessian = (hessian + hessian.T) / 2
        inverse = inverted(hessian, self.diagonal[entries])
        linear = self.linear[entries]
        values = inverse @ linear
        if self.boxed:
            lower, upper = self.lower[entries], self.upper[entries]
            if (values < lower).any() or (values > upper).any():
                values = gains.boxed_minimum(hessian, linear, np.clip(values, lower, upper), lower, upper)
        value = float(values @ (0.5 * (hessian @ values) - linear))
        shares = inverse @ columns
        bends = self.diagonal - np.einsum("ij,ij->j", shares, columns)
        np.maximum(bends, CERTAIN * self.diagonal, out=bends)
        return Tableau(entries, columns, inverse, shares, values, self.linear - values @ columns, bends, value)

    def descend(self, units: np.ndarray, moves: int, margin: float, /) -> np.ndarray:
        """Exchange by the largest gain until none exceeds the margin, several at a time where they hold together."""
        places = self.pool.places(units)
        now = self.tableau(places)
        if self.blocks is None and not self.boxed:
            return np.sort(self.pool.units[self._exchanged(now, places, moves, margin)])
        for _ in range(moves):
            found, entering = self._best(now, places)
            tried = False
            for leaving in _together(found, entering, margin):
                trial = places.copy()
                trial[leaving] = entering[leaving]
                after = self.tableau(trial)
                tried = after.value < now.value - (found.max() if len(leaving) > 1 else margin)
                if tried:
                    places, now = trial, after
                    break
            if not tried:
                break
        return np.sort(self.pool.units[places])

    def _exchanged(self, now: Tableau, places: np.ndarray, moves: int, margin: float) -> np.ndarray:
        """Where single entries without bounds are exchanged, one minimum is kept up to date; the places after that."""
        free, entries, wanted = self.pool.free.size, now.entries.copy(), np.empty(running_minimum.ORDERED, np.int64)
        if places.size == 0:
            return places
        while True:
            asked = running_minimum.exchanged(
                entries, free, now.columns, now.shares, now.inverse, now.values, now.slopes, now.bends,
                CERTAIN * self.diagonal, self._outside(entries), self._store, self._known, moves, margin, wanted,
            )  # fmt: skip
            if not asked:
                return self._place_of_entry[entries[free:]]
            self._take(wanted[:asked])

    def _outside(self, entries: np.ndarray) -> np.ndarray:
        """1 for each entry that may enter, 0 for those of the support and the free ones."""
        outside = np.ones(self.diagonal.size)
        outside[entries] = outside[self.pool.free] = 0.0
        return outside

    def minimum(self, units: np.ndarray, /) -> np.ndarray:
        """The values at the minimum on these units: of their entries and the free ones, in the order of the pool."""
        now = self.tableau(self.pool.places(units))
        return now.values[np.argsort(now.entries, kind="stable")]

    def exchanges(self, units: np.ndarray, count: int, /) -> list[tuple[int, int, float]]:
        """The best exchanges, one for each unit that leaves."""
        places = self.pool.places(units)
        found, entering = self._best(self.tableau(places), places)
        best = [i for i in np.argsort(-found, kind="stable")[:count] if entering[i] >= 0 and found[i] > 0]
        return [(int(units[i]), int(self.pool.units[entering[i]]), float(found[i])) for i in best]

    def refill(self, units: np.ndarray, limit: int, barred: np.ndarray, /) -> np.ndarray:
        """The units with the largest gains, as seen when the support follows each of them, all at once."""
        places = self.pool.places(units)
        now = self.tableau(places)
        outside = np.ones(self.pool.units.size, bool)
        outside[places] = False
        outside[self.pool.places(np.intersect1d(barred, self.pool.units))] = False
        found = np.empty(self.pool.units.size)
        bends, slopes = self._unit_bends(now), now.slopes
        gains.block_gains(slopes, bends, self.pool.members, self.pool.sizes, outside, self.lower, self.upper, found)
        wanted = np.argsort(-found, kind="stable")[: max(0, limit - units.size)]
        return np.sort(np.concatenate((units, self.pool.units[wanted[found[wanted] > -np.inf]])))

    def _unit_bends(self, now: Tableau) -> np.ndarray:
        """The block of each unit when the support follows it."""
        if self.blocks is None:
            return now.bends[self.pool.members[:, 0]][:, None, None]
        shares, columns = now.shares.T[self.pool.members], now.columns.T[self.pool.members]
        return self.blocks - shares @ columns.swapaxes(1, 2)

    def _best(self, now: Tableau, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each place of the support the best unit to take it, and what that gains."""
        pool, free = self.pool, self.pool.free.size
        found, entering = np.empty(places.size), np.empty(places.size, np.int64)
        outside = np.ones(pool.units.size, bool)
        outside[places] = False
        if self.blocks is None:
            order = pool.members[:, 0]
            inverse = 1 / np.diag(now.inverse)[free:]
            shares = now.shares.T[order][:, free:]
            gains.best_exchanges(
                np.ascontiguousarray(shares), inverse, now.values[free:], now.slopes[order], now.bends[order],
                outside, self.lower[order], self.upper[order], found, entering,
            )  # fmt: skip
            return found, entering
        widest = pool.members.shape[1]
        starts = free + np.concatenate(([0], np.cumsum(pool.sizes[places])))
        blocks, weighted = np.zeros((places.size, widest, widest)), np.zeros((places.size, widest))
        costs = np.empty(places.size)
        for i, (first, last) in enumerate(pairwise(starts)):
            block = np.linalg.inv(now.inverse[first:last, first:last])
            values = now.values[first:last]
            blocks[i, : last - first, : last - first] = block
            weighted[i, : last - first] = block @ values
            costs[i] = 0.5 * values @ block @ values
        gains.best_block_exchanges(
            np.ascontiguousarray(now.shares.T), blocks, weighted, costs, starts, now.slopes, self._unit_bends(now),
            pool.members, pool.sizes, outside, self.lower, self.upper, found, entering,
        )  # fmt: skip
        return found, entering


def inverted(hessian: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """The inverse of a symmetric matrix; what is singular is lifted by as little as makes it positive.

    Of a matrix that is not finite nothing can be learned: its inverse is zero, with which no step is made.
    """
    if scale.size == 0:
        return hessian
    if not np.isfinite(hessian).all():
        return np.zeros_like(hessian)
    lift, scale = CERTAIN, np.maximum(scale, scale.max(initial=1e-300) * 1e-6)
    while True:
        lifted = hessian.copy()
        lifted[np.diag_indices_from(lifted)] += lift * scale
        factor, failed = dpotrf(lifted, lower=1, clean=0)
        if not failed:
            inverse, _ = dpotri(factor, lower=1)
            inverse = np.tril(inverse)
            return inverse + np.tril(inverse, -1).T
        lift *= 100


def _together(found: np.ndarray, entering: np.ndarray, margin: float) -> list[Any]:
    """Which exchanges to try at once: up to four disjoint ones, each worth a fifth of the best, then the best alone."""
    best = int(found.argmax()) if found.size else -1
    if best < 0 or not found[best] > margin:
        return []
    leaving: list[int] = []
    for i in np.argsort(-found, kind="stable"):
        if len(leaving) == 4 or not found[i] > max(margin, 0.2 * found[best]):
            break
        if entering[i] not in [entering[k] for k in leaving]:
            leaving.append(int(i))
    return [leaving, [best]] if len(leaving) > 1 else [[best]]
