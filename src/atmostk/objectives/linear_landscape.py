"""What `Exchange` asks of a linear predictor's loss: least squares, logistic regression and the like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.landscape import room
from atmostk.objectives import columns
from atmostk.objectives.centred import Centred
from atmostk.objectives.seen_columns import SeenColumns, features_of
from atmostk.objectives.support_fit import Evaluation, fitted, summed
from atmostk.passes import Asked

Array = Any
MOST_FOR_EXACT = 1e-10  # of the value: what a polished fit may still have to gain
MOST_IN_DOUBLE = 1e-14  # where rounding allows more: the values are then right to seven digits or more
MOST_FOR_TRIAL = 1e-6
CHEAP_HESSIAN = 1e7  # multiplications


@dataclass(frozen=True)
class LinearPoint:
    """The minimum on a support: units, flat entries (free ones too), values."""

    units: np.ndarray
    entries: np.ndarray
    values: np.ndarray
    value: float
    predictor: Any = field(default=None, metadata={"saved": False}, compare=False)
    gradient: Any = field(default=None, metadata={"saved": False}, compare=False)


def linear_landscape(problem: Any, x0: Array, *, spreads: Any = None) -> Any:
    """The landscape of a linear predictor's loss, whatever ridge or intercept goes with it.

    `spreads` are the mean squares of the features (about the mean where there is an intercept, and 1 for it) if they
    are known better than these rows tell them.
    """
    if isinstance(problem.sampler, Asked):
        from atmostk.objectives.streamed_landscape import StreamedLandscape

        return StreamedLandscape(problem, x0)
    objective, ridge, intercept = problem.objective, 0.0, False
    while not hasattr(objective, "slope"):
        if hasattr(objective, "ridge"):
            ridge = ridge + np.asarray(objective.ridge)
        else:
            intercept = True
        objective = objective.objective
    blocks = [seen for block in problem.sampler.blocks() if (seen := _in_memory(block)) is not None]
    if len(blocks) == 0:
        return None
    found = LinearLandscape(objective, problem, blocks, x0, ridge=ridge, intercept=intercept)
    found._spreads = spreads
    return found


def _in_memory(block: Any) -> Any:
    """The block with its tensors as arrays over the same memory; None where that cannot be."""
    X, y = block.data
    X = X if arrays.is_scipy_sparse(X) or isinstance(X, Centred) else arrays.in_memory(X)
    y, weights = arrays.in_memory(y), None if block.weights is None else arrays.in_memory(block.weights)
    if X is None or y is None or (weights is None and block.weights is not None):
        return None
    return replace(block, data=(X, y), weights=weights)


class LinearLandscape:
    """F(x) = mean of loss(z_i, y_i) + sum of ridge_e x_e^2 / 2, z = X x, or X x[:-1] + x[-1] with an intercept."""

    def __init__(self, loss: Any, problem: Any, blocks: list[Any], x0: Array, *, ridge: Any, intercept: bool) -> None:
        self.loss, self.sampler, self.shape, self.intercept = loss, problem.sampler, tuple(x0.shape), intercept
        self.like = x0[:0]
        self.outputs = 1 if len(self.shape) == 1 else self.shape[1]
        self.limit, self._units, self.lower, self.upper = room(problem.constraint, arrays.to_numpy(x0))
        self.count = int(self._units.max(initial=-1)) + 1
        self._order = np.argsort(self._units, kind="stable")
        self._starts = np.searchsorted(self._units[self._order], np.arange(self.count + 1))
        self.ridge = np.broadcast_to(np.asarray(ridge, np.float64), self.shape).ravel()
        self.rows = 0
        self.blocks = blocks
        self.weight = sum(block.weight for block in self.blocks)
        self.seen = SeenColumns(blocks, self.shape[0])
        self._spreads: Any = None
        self._free: LinearPoint | None = None

    def entries_of(self, units: np.ndarray) -> np.ndarray:
        """The free entries and those of the units, ascending."""
        free = self._order[: self._starts[0]]
        if self._units.size - free.size == self.count:  # as many units as entries
            return np.sort(np.concatenate((free, self._order[self._starts[units]])))
        ranges = [self._order[self._starts[unit] : self._starts[unit + 1]] for unit in units]
        return np.sort(np.concatenate((free, *ranges)))

    def units_of(self, entries: np.ndarray) -> np.ndarray:
        """The units that these entries belong to, ascending; free entries belong to none."""
        units = np.unique(self._units[entries])
        return units[units >= 0]

    def start(self, x0: Array, /) -> LinearPoint:
        """The minimum on the units of x0."""
        flat = arrays.to_numpy(x0).ravel().astype(np.float64)
        units = self.units_of(np.flatnonzero(flat))
        entries = self.entries_of(units)
        before = LinearPoint(units, entries, flat[entries], np.inf)
        return self.refit(before, units)

    def refit(self, point: LinearPoint, units: np.ndarray, /) -> LinearPoint:
        """Newton's method on the columns of these units."""
        return self._refit(point, units, MOST_FOR_TRIAL)

    def polish(self, point: LinearPoint, /) -> LinearPoint:
        """The same support, as exactly as the precision allows."""
        single = columns.precision(self.blocks[0].data[0]) == np.float32
        return self._refit(point, point.units, MOST_FOR_EXACT if single else MOST_IN_DOUBLE)

    def _refit(self, point: LinearPoint, units: np.ndarray, tolerance: float) -> LinearPoint:
        entries = self.entries_of(units)
        values = np.zeros(entries.size)
        _, here, there = np.intersect1d(entries, point.entries, assume_unique=True, return_indices=True)
        values[here] = point.values[there]
        parts, places = self._parts(entries)
        costs = self.weight_rows() * entries.size * entries.size
        values, found = fitted(
            lambda at, hessian: self._evaluate(parts, entries, places, at, hessian),
            values,
            self.lower[entries],
            self.upper[entries],
            tolerance=tolerance,
            hessian=self._constant_columns(entries, entries) if self._constant() else None,
            keep_hessian=self.loss.quadratic or costs > CHEAP_HESSIAN,
            otherwise=None if self.loss.quadratic or here.size == point.entries.size else lambda: self._modest(entries),
        )
        return LinearPoint(units, entries, values, found.value, found.predictor)

    def _modest(self, entries: np.ndarray) -> tuple[float, np.ndarray]:
        """What is free alone, at its minimum: its value, and its place among these entries.

        What is left when a column far from its mean leaves can be so wrong (an intercept that made up for it) that the
        loss is flat there, and Newton's method cannot find back.
        """
        free = np.sort(self._order[: self._starts[0]])
        if self._free is None:
            none = np.empty(0, np.int64)
            self._free = self.refit(LinearPoint(none, free, np.zeros(free.size), np.inf), none)
        values = np.zeros(entries.size)
        values[np.searchsorted(entries, free)] = self._free.values
        return self._free.value, values

    def weight_rows(self) -> int:
        """How many rows there are."""
        return sum(block.size for block in self.blocks)

    def _parts(self, entries: np.ndarray) -> tuple[list[Any], np.ndarray]:
        """The columns of these entries with y and the weights, piece by piece, and where in them each entry stands."""
        features, places = features_of(entries, self.outputs)
        if self.seen.whole and len(self.blocks) == 1:
            block = self.blocks[0]
            return [(self.seen.taken(features), block.data[1], block.weights)], places
        return [piece for block in self.blocks for piece in self._pieces(block, features)], places

    def _constant(self) -> bool:
        """Whether the Hessian never changes and all rows are looked at."""
        return self.loss.quadratic and self.seen.whole and self.outputs == 1

    def _constant_columns(self, asked: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Columns of such a Hessian, as rows: of the entries asked for, by these entries (ascending)."""
        found = self.seen.products(asked, entries)
        found[np.arange(asked.size), np.searchsorted(entries, asked)] += self.ridge[asked]
        return found

    def _pieces(self, block: Any, features: np.ndarray) -> Any:
        X, y = block.data
        for rows, part in columns.pieces(X, features):
            yield part, y[rows], None if block.weights is None else block.weights[rows]

    def _evaluate(
        self, parts: list[Any], entries: np.ndarray, places: np.ndarray, values: np.ndarray, hessian: bool
    ) -> Evaluation:
        self.rows += self.weight_rows()
        found = summed(self._part(part, entries, places, values, hessian) for part in parts)
        ridge = self.ridge[entries]
        value = found.value + 0.5 * float(ridge @ values**2)
        bent = found.hessian
        if bent is not None:
            bent = bent + np.diag(ridge)
        return Evaluation(value, found.gradient + ridge * values, bent, found.predictor)

    def _part(
        self, part: Any, entries: np.ndarray, places: np.ndarray, values: np.ndarray, hessian: bool
    ) -> tuple[float, np.ndarray, np.ndarray | None, np.ndarray]:
        A, y, weights = part
        share: Any = (1 / self.weight) if weights is None else (weights.astype(np.float64) / self.weight)
        by_row = share if weights is None or self.outputs == 1 else share[:, None]
        if self.outputs == 1:
            z = A @ values.astype(A.dtype)
        else:
            table = np.zeros((A.shape[1], self.outputs), A.dtype)
            table[places, entries % self.outputs] = values
            z = A @ table
        losses = self.loss.loss(z, y)
        value = float(losses.sum(dtype=np.float64)) / self.weight if weights is None else float(losses @ share)
        slopes = (self.loss.slope(z, y) * by_row).astype(A.dtype, copy=False)
        gradient = np.asarray(A.T @ slopes, np.float64)
        if self.outputs > 1:
            gradient = gradient[places, entries % self.outputs]
        if not hessian:
            return value, gradient, None, z
        bend = self.loss.couplings(z, y)
        if self.outputs == 1:
            weighted = A * (bend * share).astype(A.dtype)[:, None]
            return value, gradient, np.asarray(weighted.T @ A, np.float64), z
        full = np.empty((self.outputs, self.outputs, A.shape[1], A.shape[1]))
        for a in range(self.outputs):
            for b in range(a + 1):
                weighted = A * (bend[:, a, b] * share).astype(A.dtype)[:, None]
                full[a, b] = weighted.T @ A
                full[b, a] = full[a, b].T
        outputs = entries % self.outputs
        return value, gradient, full[outputs[:, None], outputs, places[:, None], places], z

    def derivatives(self, point: LinearPoint) -> Evaluation:
        """Value, gradient and Hessian in the point's own entries."""
        parts, places = self._parts(point.entries)
        return self._evaluate(parts, point.entries, places, point.values, True)

    def worth(self, point: LinearPoint) -> float:
        """The value at the point, which need not be a minimum on its support."""
        parts, places = self._parts(point.entries)
        return self._evaluate(parts, point.entries, places, point.values, False).value

    def gradient(self, point: LinearPoint) -> np.ndarray:
        """The gradient in every entry."""
        self.rows += self.weight_rows()
        total = np.zeros((self.shape[0], self.outputs))
        first = 0
        for block in self.blocks:
            X, y = block.data
            z = point.predictor[first : first + block.size]
            first += block.size
            slopes = self.loss.slope(z, y)
            if block.weights is not None:
                slopes = slopes * (block.weights if self.outputs == 1 else block.weights[:, None])
            part = columns.transposed_times(X, slopes).reshape(X.shape[1], self.outputs)
            total[: X.shape[1]] += part
            if self.intercept:
                total[-1] += slopes.sum(axis=0, dtype=np.float64)
        gradient = total.ravel() / self.weight
        gradient[point.entries] += self.ridge[point.entries] * point.values
        return gradient

    def spreads(self) -> np.ndarray:
        """The mean square of each feature, about its mean where the intercept follows it."""
        if self._spreads is None:
            X = self.blocks[0].data[0]
            self._spreads = columns.mean_squares(X, self.blocks[0].weights, self.intercept)
            if self.intercept:
                self._spreads = np.append(self._spreads, 1.0)
        return self._spreads

    def curvature(self, point: LinearPoint) -> np.ndarray:
        """The curvature of each entry, as if bend and square did not depend on each other."""
        y = np.concatenate([block.data[1] for block in self.blocks]) if len(self.blocks) > 1 else self.blocks[0].data[1]
        step = max(1, len(y) // columns.SEEN_ENOUGH)
        bend = self.loss.bend(point.predictor[::step], y[::step])
        mean = np.maximum(bend.mean(axis=0, dtype=np.float64), 1e-12)
        return np.outer(self.spreads(), mean).ravel() + self.ridge

    def entering(self, point: LinearPoint, count: int, /) -> tuple[np.ndarray, np.ndarray]:
        """By the best step of each entry alone."""
        slopes, bends = -self.known_gradient(point), self.curvature(point)
        steps = np.clip(slopes / bends, self.lower, self.upper)
        gains = slopes * steps - 0.5 * bends * steps * steps
        competing = self._units >= 0
        if self.count == self._units.size:
            by_unit = gains
        else:
            by_unit = np.bincount(self._units[competing], gains[competing], self.count)
        by_unit[point.units] = -np.inf
        count = min(count, self.count - point.units.size)
        best = np.argpartition(-by_unit, count - 1)[:count] if 0 < count < self.count else np.arange(self.count)[:count]
        best = best[np.argsort(-by_unit[best], kind="stable")]
        return best, by_unit[best]

    def known_gradient(self, point: LinearPoint) -> np.ndarray:
        """The gradient, computed once for a point."""
        if point.predictor is None:
            parts, places = self._parts(point.entries)
            found = self._evaluate(parts, point.entries, places, point.values, False)
            object.__setattr__(point, "predictor", found.predictor)
        gradient = point.gradient
        if gradient is None:
            gradient = self.gradient(point)
            object.__setattr__(point, "gradient", gradient)
        return gradient

    def leaving(self, point: LinearPoint, /) -> np.ndarray:
        """h x^2 / 2."""
        bends = self.curvature(point)[point.entries]
        costs = 0.5 * bends * point.values**2
        units = self._units[point.entries]
        return np.bincount(np.searchsorted(point.units, units[units >= 0]), costs[units >= 0], point.units.size)

    def model(self, point: LinearPoint, pool: np.ndarray, /) -> Any:
        """The quadratic model over the columns of the pool, curvature from at most 20,000 rows."""
        from atmostk.objectives.linear_model import SeenRows
        from atmostk.quadratic.model import Pool, QuadraticModel

        entries = self.entries_of(np.union1d(pool, point.units))
        values = np.zeros(entries.size)
        values[np.searchsorted(entries, point.entries)] = point.values
        gradient = self.known_gradient(point)[entries]
        seen = SeenRows.of(
            self.loss, self.seen, self.seen.of_rows(point.predictor), entries, self.outputs, self.ridge[entries]
        )
        columns_of: Any = seen.columns
        if self._constant():
            columns_of = lambda asked: self._constant_columns(entries[asked], entries)  # noqa: E731
        return QuadraticModel(
            Pool.of(self._units[entries]), columns_of, seen.diagonal(), gradient, values,
            lower=self.lower[entries], upper=self.upper[entries], blocks=seen.blocks,
        )  # fmt: skip

    def dense(self, point: LinearPoint, /) -> Array:
        """x as it came in."""
        x = np.zeros(self.shape)
        x.ravel()[point.entries] = point.values
        return arrays.like(x, self.like)

    def entries(self, point: LinearPoint, /) -> np.ndarray:
        """The flat indices of the support."""
        return point.entries
