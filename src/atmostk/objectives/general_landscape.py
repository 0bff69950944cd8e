"""What `Exchange` asks of any objective that has a value and a gradient, and nothing more."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.landscape import room
from atmostk.objectives.hessian_store import HessianStore
from atmostk.objectives.quasi_newton import settled
from atmostk.objectives.row_scales import alike
from atmostk.objectives.whole_data import WholeData

Array = Any
FOR_TRIAL, FOR_EXACT = 1e-7, 1e-11  # of the value: what a fit may still have to gain
SWAPS_SEEN = 4  # points that may be judged by the Hessian of one: as many as there are stages of growth
DEAR = 0.4  # of the candidates asked for, where each costs a pass or more
MOST_WITH_HESSIAN = 3000  # entries of a support


@dataclass(frozen=True)
class GeneralPoint:
    """The minimum on a support, and the point at which the Hessian was taken that it is judged by.

    That point is saved, not its Hessian: a run that goes on from a checkpoint computes the same columns again.
    """

    units: np.ndarray
    entries: np.ndarray
    values: np.ndarray
    value: float
    seen_entries: np.ndarray
    seen_values: np.ndarray
    age: int
    gradient: Any = field(default=None, metadata={"saved": False}, compare=False)


class GeneralLandscape:
    """Any objective on the whole data. Candidates are known by columns of the Hessian, nothing else is priced.

    The columns come from products with the Hessian where the loss offers `hessian_times`, else from differences of
    gradients. They are taken anew every four accepted points, unless the objective turned out to be quadratic.
    """

    def __init__(self, problem: Any, x0: Array) -> None:
        if arrays.answers_itself(x0):
            raise TypeError(
                f"Exchange knows no landscape of {type(problem.objective).__name__} on {type(x0).__name__}."
            )
        self.limit, self._units, self.lower, self.upper = room(problem.constraint, arrays.to_numpy(x0))
        self.constraint = problem.constraint
        self.count = int(self._units.max(initial=-1)) + 1
        self._order = np.argsort(self._units, kind="stable")
        self._starts = np.searchsorted(self._units[self._order], np.arange(self.count + 1))
        self.data = WholeData(problem, x0, self.lower, self.upper)
        self.quadratic = False
        self._scales: np.ndarray | None = None
        self._stores: list[tuple[bytes, HessianStore]] = []

    @property
    def rows(self) -> int:
        """How many rows were evaluated so far."""
        return self.data.rows

    def entries_of(self, units: np.ndarray) -> np.ndarray:
        """The free entries and those of the units, ascending."""
        ranges = [self._order[self._starts[unit] : self._starts[unit + 1]] for unit in units]
        return np.sort(np.concatenate((self._order[: self._starts[0]], *ranges)))

    def start(self, x0: Array, /) -> GeneralPoint:
        """The minimum on the units of x0; whether the objective is quadratic is found out on the way."""
        flat = np.clip(arrays.to_numpy(x0).ravel().astype(np.float64), self.lower, self.upper)
        units = np.unique(self._units[np.flatnonzero(flat)])
        units = units[units >= 0]
        entries = self.entries_of(units)
        value, gradient = self.data.evaluate(flat)
        self._at_start = (flat, value, gradient)
        self.floor = 1e-9 * abs(value) + 1e-300
        self.quadratic = self._is_quadratic(flat, value, gradient)
        before = GeneralPoint(units, entries, flat[entries], value, entries, flat[entries], 0, gradient)
        return self._fitted(before, units, FOR_TRIAL, 50) if entries.size else before

    def refit(self, point: GeneralPoint, units: np.ndarray, /, model: Any = None) -> GeneralPoint:
        """Newton's steps from the Hessian that the point is judged by."""
        return self._fitted(point, units, FOR_TRIAL, 50)

    def polish(self, point: GeneralPoint, /) -> GeneralPoint:
        """The same support, as exactly as the precision allows; a warning where there seems to be no minimum."""
        found = self._fitted(self.renewed(point) or point, point.units, FOR_EXACT, 300)
        if self._has_gone_flat(found):
            warnings.warn(
                "the objective still falls as the values on the support grow, as it does where classes can be told "
                "apart without error: add a ridge, with_ridge(objective, 1e-4), or bounds, WithinBox.",
                RuntimeWarning,
                stacklevel=2,
            )
        return found

    def renewed(self, point: GeneralPoint, /) -> GeneralPoint | None:
        """The point, to be judged by its own Hessian; None where that is what it is judged by."""
        if self.quadratic or point.age == 0:
            return None
        return replace(point, seen_entries=point.entries, seen_values=point.values, age=0)

    def _fitted(self, point: GeneralPoint, units: np.ndarray, tolerance: float, steps: int) -> GeneralPoint:
        entries = self.entries_of(units)
        start = np.zeros(entries.size)
        _, here, there = np.intersect1d(entries, point.entries, assume_unique=True, return_indices=True)
        start[here] = point.values[there]
        whole: Any = None

        def evaluate(values: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal whole
            flat = self._flat(entries, values)
            value, gradient = self.data.evaluate(flat)
            whole = gradient
            return value, gradient[entries] / scale

        hessian = self._hessian(point, entries)
        scale = np.sqrt(np.diag(hessian))  # the fit is made in coordinates that bend alike
        lower, upper = self.lower[entries] * scale, self.upper[entries] * scale
        values, value, slopes = settled(
            lambda scaled: evaluate(scaled / scale), start * scale, hessian / np.outer(scale, scale), lower, upper,
            tolerance=tolerance, floor=self.floor, steps=steps,
        )  # fmt: skip
        gradient = whole if np.array_equal(whole[entries] / scale, slopes) else None
        after = GeneralPoint(
            units, entries, values / scale, value, point.seen_entries, point.seen_values, point.age, gradient
        )
        if self.quadratic:
            return after
        after = replace(after, age=point.age + 1)
        return self.renewed(after) or after if after.age >= SWAPS_SEEN else after

    def _has_gone_flat(self, point: GeneralPoint) -> bool:
        """Whether the objective and its curvature have both all but vanished, so that values could grow for ever."""
        if self.quadratic or point.value > 1e6 * self.floor:
            return False
        flat = self._flat(point.entries, point.values)
        columns = self.data.columns(flat, point.value, self.known_gradient(point), point.entries)
        bends = columns[np.arange(point.entries.size), point.entries]
        return float(np.abs(bends) @ point.values**2) < 1e7 * self.floor

    def _flat(self, entries: np.ndarray, values: np.ndarray) -> np.ndarray:
        flat = np.zeros(self._units.size)
        flat[entries] = values
        return flat

    def _is_quadratic(self, flat: np.ndarray, value: float, gradient: np.ndarray) -> bool:
        """Whether the gradient changes along its own direction as its Hessian says."""
        if not np.isfinite(gradient).all() or not gradient.any():
            return False
        direction = -gradient / np.linalg.norm(gradient)
        bent = self.data.products(flat, value, gradient, direction[None])[0]
        along = float(direction @ bent)
        length = float(np.linalg.norm(gradient)) / along if along > 0 else 1.0
        there = np.clip(flat + length * direction, self.lower, self.upper)
        moved = there - flat
        change = self.data.slope(there) - gradient
        promised = self.data.products(flat, value, gradient, moved[None])[0] if moved.any() else change
        return bool(np.linalg.norm(change - promised) <= 1e-5 * np.linalg.norm(change))

    def _store(self, point: GeneralPoint) -> HessianStore:
        """The Hessian at the point by which this one is judged."""
        name = b"" if self.quadratic else point.seen_entries.tobytes() + point.seen_values.tobytes()
        for known, store in self._stores:
            if known == name:
                return store
        flat = self._flat(point.seen_entries, point.seen_values)
        if point.gradient is not None and np.array_equal(flat, self._flat(point.entries, point.values)):
            value, gradient = point.value, point.gradient
        else:
            value, gradient = self.data.evaluate(flat)
        store = HessianStore(lambda entries: self.data.columns(flat, value, gradient, entries), flat.size)
        self._stores = [*self._stores[-1:], (name, store)]
        return store

    def _hessian(self, point: GeneralPoint, entries: np.ndarray) -> np.ndarray:
        if entries.size > MOST_WITH_HESSIAN:
            return np.eye(entries.size) * max(abs(point.value), 1.0)
        hessian = self._store(point).among(entries)
        hessian[np.diag_indices_from(hessian)] = _firm(np.diag(hessian))
        return hessian

    def known_gradient(self, point: GeneralPoint) -> np.ndarray:
        """The gradient in every entry, computed once for a point."""
        gradient = point.gradient
        if gradient is None:
            _, gradient = self.data.evaluate(self._flat(point.entries, point.values))
            object.__setattr__(point, "gradient", gradient)
        return gradient

    def entering(self, point: GeneralPoint, count: int, /) -> tuple[np.ndarray, np.ndarray]:
        """By the best step of each entry alone; fewer than asked for, because each will cost columns."""
        outside = self.count - point.units.size
        wanted = self._candidates(count)
        slopes = -self.known_gradient(point)
        bends = np.ones(slopes.size) if outside <= wanted else self._bends(point)
        steps = np.clip(slopes / bends, self.lower, self.upper)
        competing = self._units >= 0
        gains = np.bincount(
            self._units[competing], (slopes * steps - 0.5 * bends * steps * steps)[competing], self.count
        )
        gains[point.units] = -np.inf
        best = np.argsort(-gains, kind="stable")[: min(wanted, outside)]
        return best, gains[best]

    def _bends(self, point: GeneralPoint) -> np.ndarray:
        """About how strongly the objective bends in each entry, from the rows of the Hessian at the start."""
        if self._scales is None:
            flat, value, gradient = self._at_start
            self._scales = alike(lambda directions: self.data.products(flat, value, gradient, directions), flat.size)
        known = _firm(np.diag(self._hessian(point, point.entries)))
        usual = np.median(known * self._scales[point.entries] ** 2) if known.size else 1.0
        return usual / self._scales**2

    def _candidates(self, count: int) -> int:
        if self.quadratic and self._units.size <= 2 * count:
            return self.count  # each column is computed once and for all, one for each entry
        return max(1, round(DEAR * count))

    def leaving(self, point: GeneralPoint, /) -> np.ndarray:
        """h x^2 / 2."""
        costs = 0.5 * np.diag(self._hessian(point, point.entries)) * point.values**2
        units = self._units[point.entries]
        return np.bincount(np.searchsorted(point.units, units[units >= 0]), costs[units >= 0], point.units.size)

    def model(self, point: GeneralPoint, pool: np.ndarray, /) -> Any:
        """The quadratic model between the entries of the pool."""
        from atmostk.quadratic.model import Pool, QuadraticModel

        if point.entries.size > MOST_WITH_HESSIAN:
            return None
        entries = self.entries_of(np.union1d(pool, point.units))
        hessian = self._hessian(point, entries)
        scale = np.sqrt(np.diag(hessian))  # in coordinates that bend alike, nothing is lost in rounding
        hessian = hessian / np.outer(scale, scale)
        values = np.zeros(entries.size)
        values[np.searchsorted(entries, point.entries)] = point.values
        return QuadraticModel(
            Pool.of(self._units[entries]), lambda asked: hessian[asked], np.ones(entries.size),
            self.known_gradient(point)[entries] / scale, values * scale,
            lower=self.lower[entries] * scale, upper=self.upper[entries] * scale,
            blocks=lambda members, sizes: _blocks(hessian, members, sizes),
        )  # fmt: skip

    def dense(self, point: GeneralPoint, /) -> Array:
        """x as it came in."""
        return self.constraint.unlimited(self.data.point(self._flat(point.entries, point.values)))

    def entries(self, point: GeneralPoint, /) -> np.ndarray:
        """The flat indices of the support."""
        return point.entries


def _firm(diagonal: np.ndarray) -> np.ndarray:
    """Curvatures that can be divided by: bent down counts as bent up, and flat as the others."""
    firm = np.abs(diagonal)
    usual = float(np.median(firm[firm > 0])) if (firm > 0).any() else 1.0
    return np.where(firm > 0, firm, usual)


def _blocks(hessian: np.ndarray, members: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The Hessian within each unit; what stands in for missing entries of a small unit couples with nothing."""
    found = hessian[members[:, :, None], members[:, None, :]]
    beyond = np.arange(members.shape[1]) >= sizes[:, None]
    found[beyond[:, :, None] | beyond[:, None, :]] = 0.0
    return found
