"""What `Exchange` asks of a linear predictor's loss: least squares, logistic regression and the like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.landscape import Tally, room
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
FEW = 64  # entries, for which reading the rows costs more than their products


@dataclass(frozen=True)
class LinearPoint:
    """The minimum on a support: units, flat entries (free ones too), values."""

    units: np.ndarray
    entries: np.ndarray
    values: np.ndarray
    value: float
    rest: float = np.inf  # of the value: what the fit may still have to gain
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


def _every(block: Any, step: int) -> Any:
    """Every so many rows of a block, as views."""
    X, y = block.data
    rows = slice(step // 2, None, step)
    y = y[rows]
    X = replace(X, X=X.X[rows]) if isinstance(X, Centred) else X[rows]
    return replace(
        block, data=(X, y), size=len(y), weights=None if block.weights is None else block.weights[rows],
        whole=False,
    )  # fmt: skip


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class LinearLandscape:
    """F(x) = mean of loss(z_i, y_i) + sum of ridge_e x_e^2 / 2, z = X x, or X x[:-1] + x[-1] with an intercept."""

    def __init__(
        self, loss: Any, problem: Any, blocks: list[Any], x0: Array, *, ridge: Any, intercept: bool,
        tally: Tally | None = None,
    ) -> None:  # fmt: skip
        self._made_of = problem, x0, ridge
        self.sample = 0  # as how many rows it was asked for; 0 for all
        self.loss, self.sampler, self.shape, self.intercept = loss, problem.sampler, tuple(x0.shape), intercept
        self.like = x0[:0]
        self.outputs = 1 if len(self.shape) == 1 else self.shape[1]
        self.limit, self._units, self.lower, self.upper = room(problem.constraint, arrays.to_numpy(x0))
        self.count = int(self._units.max(initial=-1)) + 1
        self._order = np.argsort(self._units, kind="stable")
        self._starts = np.searchsorted(self._units[self._order], np.arange(self.count + 1))
        self.ridge = np.broadcast_to(np.asarray(ridge, np.float64), self.shape).ravel()
        self.tally = Tally() if tally is None else tally
        self.blocks = blocks
        self.weight = sum(block.weight for block in self.blocks)
        self.seen = SeenColumns(blocks, self.shape[0])
        self._spreads: Any = None
        self._free: LinearPoint | None = None

    @property
    def rows(self) -> int:
        """How many rows were evaluated so far."""
        return self.tally.rows

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(block.size for block in self.blocks)

    @property
    def first(self) -> int:
        """Forty for each unit of the budget; all of a sparse X, of which a sample misses the rare columns."""
        return self.size if self.seen.sparse else max(2000, 40 * self.limit)

    def on_fewer(self, rows: int, /) -> LinearLandscape:
        """Views of rows that lie evenly spread."""
        step = columns.stride(self.size, rows)
        problem, x0, ridge = self._made_of
        blocks = [_every(block, step) for block in self.blocks if block.size > step // 2]
        found = LinearLandscape(self.loss, problem, blocks, x0, ridge=ridge, intercept=self.intercept, tally=self.tally)
        found._spreads, found.sample = self.spreads(), rows
        return found

    def noise(self, point: LinearPoint, /) -> float:
        """The mean square of the slopes over the mean bend."""
        self.known_gradient(point)
        y = _joined([block.data[1] for block in self.blocks])
        slopes = self.loss.slope(point.predictor, y)
        bends = self.loss.bend(point.predictor, y)
        return float(np.mean(slopes * slopes, dtype=np.float64)) / max(float(np.mean(bends, dtype=np.float64)), 1e-12)

    def chance(self, point: LinearPoint, /) -> float:
        """What the best of so many useless units seems to gain; nothing where these are all the rows."""
        return self.noise(point) * np.log(max(self.count, 2)) / self.size if self.sample else 0.0

    def hardest(self, point: LinearPoint, /) -> float:
        """c^2 / (2 B_ii), B the inverse of the Hessian on the support."""
        if not point.units.size:
            return 0.0
        hessian = self._hessian_at(point)
        from atmostk.quadratic.model import inverted  # here, because numba is loaded with it

        costs = 0.5 * point.values**2 / np.diag(inverted(hessian, np.diag(hessian)))
        units = self._units[point.entries]
        return float(np.bincount(np.searchsorted(point.units, units[units >= 0]), costs[units >= 0]).min())

    def moved(self, point: LinearPoint, onto: LinearLandscape, /) -> LinearPoint:
        """As exactly as the precision allows, because few supports change on more rows."""
        return onto.polish(replace(point, rest=np.inf, predictor=None, gradient=None))

    def _hessian_at(self, point: LinearPoint) -> np.ndarray:
        parts, places = self._parts(point.entries)
        hessian = self._evaluate(parts, point.entries, places, point.values, True).hessian
        assert hessian is not None
        return hessian

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

    def refit(self, point: LinearPoint, units: np.ndarray, /, model: Any = None) -> LinearPoint:
        """Newton's method on the columns of these units, from where the model has its minimum."""
        return self._refit(point, units, MOST_FOR_TRIAL, model)

    def polish(self, point: LinearPoint, /) -> LinearPoint:
        """The same support, as exactly as the precision allows."""
        return point if point.rest <= self._exact() else self._refit(point, point.units, self._exact())

    def _exact(self) -> float:
        return MOST_FOR_EXACT if columns.precision(self.blocks[0].data[0]) == np.float32 else MOST_IN_DOUBLE

    def _refit(self, point: LinearPoint, units: np.ndarray, tolerance: float, model: Any = None) -> LinearPoint:
        entries = self.entries_of(units)
        values = np.zeros(entries.size)
        where = np.minimum(np.searchsorted(entries, point.entries), max(entries.size - 1, 0))
        kept = entries[where] == point.entries if entries.size else np.zeros(point.entries.size, bool)
        values[where[kept]] = point.values[kept]
        parts, places = self._parts(entries)
        costs = self.size * entries.size * entries.size
        start, others = values, []
        if model is not None:
            start = model.minimum(units)
            others.append(lambda value: None if value <= point.value else values)
        if not kept.all():
            others.append(lambda value: self._modest(value, entries))
        values, found = fitted(
            lambda at, hessian: self._evaluate(parts, entries, places, at, hessian),
            start,
            self.lower[entries],
            self.upper[entries],
            tolerance=tolerance,
            hessian=self._constant_columns(entries, entries) if self._constant() and self.seen.whole else None,
            keep_hessian=self.loss.quadratic or (costs > CHEAP_HESSIAN and entries.size > FEW),
            others=() if self.loss.quadratic else others,
        )
        return LinearPoint(units, entries, values, found.value, tolerance, found.predictor)

    def _modest(self, value: float, entries: np.ndarray) -> np.ndarray | None:
        """What is free alone, at its minimum, where that is better than the value.

        What is left when a column far from its mean leaves can be so wrong (an intercept that made up for it) that the
        loss is flat there, and Newton's method cannot find back.
        """
        free = np.sort(self._order[: self._starts[0]])
        if self._free is None:
            seen = self.on_fewer(columns.SEEN_ENOUGH) if self.size >= 2 * columns.SEEN_ENOUGH else self
            none = np.empty(0, np.int64)
            self._free = seen.refit(LinearPoint(none, free, np.zeros(free.size), np.inf), none)
        if value <= self._free.value:
            return None
        values = np.zeros(entries.size)
        values[np.searchsorted(entries, free)] = self._free.values
        return values

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
        """Whether the Hessian never changes."""
        return self.loss.quadratic and self.outputs == 1

    def _constant_columns(self, asked: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Columns of such a Hessian, as rows: of the entries asked for, by these entries (ascending)."""
        found = self.seen.products(asked, entries)
        found[np.arange(asked.size), np.searchsorted(entries, asked)] += self.ridge[asked] + self.seen.pseudo
        return found

    def _pieces(self, block: Any, features: np.ndarray) -> Any:
        X, y = block.data
        for rows, part in columns.pieces(X, features):
            yield part, y[rows], None if block.weights is None else block.weights[rows]

    def _evaluate(
        self, parts: list[Any], entries: np.ndarray, places: np.ndarray, values: np.ndarray, hessian: bool
    ) -> Evaluation:
        self.tally.rows += self.size
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
            return value, gradient, columns.products(columns.weighed(A, bend * share), A), z
        full = np.empty((self.outputs, self.outputs, A.shape[1], A.shape[1]))
        for a in range(self.outputs):
            for b in range(a + 1):
                full[a, b] = columns.products(columns.weighed(A, bend[:, a, b] * share), A)
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
        self.tally.rows += self.size
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
        y = _joined([block.data[1] for block in self.blocks])
        step = columns.stride(len(y), columns.SEEN_ENOUGH)
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
        gradient, ridge = self.known_gradient(point)[entries], self.ridge[entries]
        units, lower, upper = Pool.of(self._units[entries]), self.lower[entries], self.upper[entries]
        if self._constant() and units.single:
            diagonal = self.seen.squares(entries) + ridge
            return QuadraticModel(
                units,
                lambda asked: self._constant_columns(entries[asked], entries),
                diagonal,
                gradient,
                values,
                lower=lower,
                upper=upper,
            )
        predictor = self.seen.of_rows(point.predictor)
        seen = SeenRows.of(self.loss, self.seen, predictor, entries, self.outputs, ridge)
        return QuadraticModel(
            units, seen.columns, seen.diagonal(), gradient, values, lower=lower, upper=upper, blocks=seen.blocks
        )  # fmt: skip

    def dense(self, point: LinearPoint, /) -> Array:
        """x as it came in."""
        x = np.zeros(self.shape)
        x.ravel()[point.entries] = point.values
        return arrays.like(x, self.like)

    def entries(self, point: LinearPoint, /) -> np.ndarray:
        """The flat indices of the support."""
        return point.entries
