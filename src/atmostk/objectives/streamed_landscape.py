"""What `Exchange` asks of a linear predictor's loss whose rows cannot be kept: every answer is a pass over them.

A pass is dear, so few are made: a sample in memory says where a fit begins and how columns go together; passes say
what the value, the gradient and the curvature really are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.landscape import room
from atmostk.objectives import columns
from atmostk.objectives.row_questions import Everywhere, OnSupport, PoolHessian, Support
from atmostk.objectives.seen_columns import SeenColumns
from atmostk.objectives.support_fit import Evaluation, fitted, newton_step
from atmostk.sample import Sample

Array = Any
MOST_IN_SINGLE = 1e-8  # of the value: what the last step of a polished fit may gain, without a pass to see it
MOST_IN_DOUBLE = 1e-12
MOST_FOR_TRIAL = 1e-6
MOST_EXACT_POOL = 4000  # features, whose Hessian from all rows is small enough


@dataclass(frozen=True)
class StreamedPoint:
    """The minimum on a support: units, flat entries (free ones too), values."""

    units: np.ndarray
    entries: np.ndarray
    values: np.ndarray
    value: float
    slopes: Any = None  # the gradient on the entries
    hessian: Any = None  # on the entries, at the point or near it
    gradient: Any = field(default=None, metadata={"saved": False}, compare=False)
    curvature: Any = field(default=None, metadata={"saved": False}, compare=False)


@dataclass(frozen=True)
class Kept:
    """A sampler of one sample that is in memory."""

    sample: Sample

    @property
    def size(self) -> int:
        """How many rows the sample has."""
        return self.sample.size

    def blocks(self) -> Any:
        """The sample."""
        yield self.sample


@dataclass(frozen=True)
class Nearby:
    """The same problem on a sample of the rows."""

    objective: Any
    sampler: Kept
    constraint: Any


def parts_of(objective: Any) -> tuple[Any, Any, bool]:
    """The loss, the ridge on it, and whether it has an intercept."""
    ridge: Any = 0.0
    intercept = False
    while not hasattr(objective, "slope"):
        if hasattr(objective, "ridge"):
            ridge = ridge + np.asarray(objective.ridge)
        else:
            intercept = True
        objective = objective.objective
    return objective, ridge, intercept


class StreamedLandscape:
    """F(x) = mean of loss(z_i, y_i) + sum of ridge_e x_e^2 / 2 over rows that answer questions where they are."""

    def __init__(self, problem: Any, x0: Array) -> None:
        self.objective, self.sampler, self.constraint = problem.objective, problem.sampler, problem.constraint
        self.loss, ridge, self.intercept = parts_of(problem.objective)
        self.shape, self.like = tuple(x0.shape), x0[:0]
        self.outputs = 1 if len(self.shape) == 1 else self.shape[1]
        self.width = self.shape[0] - self.intercept
        self.limit, self._units, self.lower, self.upper = room(problem.constraint, arrays.to_numpy(x0))
        self.count = int(self._units.max(initial=-1)) + 1
        self._order = np.argsort(self._units, kind="stable")
        self._starts = np.searchsorted(self._units[self._order], np.arange(self.count + 1))
        self.ridge = np.broadcast_to(np.asarray(ridge, np.float64), self.shape).ravel()
        self.rows = 0
        self._seen: Any = None
        self._near: Any = None

    def entries_of(self, units: np.ndarray) -> np.ndarray:
        """The free entries and those of the units, ascending."""
        ranges = [self._order[self._starts[unit] : self._starts[unit + 1]] for unit in units]
        return np.sort(np.concatenate((self._order[: self._starts[0]], *ranges)))

    def unfitted(self, x0: Array, /) -> StreamedPoint:
        """The units of x0 with its values: nothing is read."""
        flat = arrays.to_numpy(x0).ravel().astype(np.float64)
        units = np.unique(self._units[np.flatnonzero(flat)])
        units = units[units >= 0]
        entries = self.entries_of(units)
        return StreamedPoint(units, entries, flat[entries], np.inf)

    def start(self, x0: Array, /) -> StreamedPoint:
        """The minimum on the units of x0."""
        point = self.unfitted(x0)
        return self._fitted(point.units, point, MOST_FOR_TRIAL)

    def refit(self, point: StreamedPoint, units: np.ndarray, /, model: Any = None) -> StreamedPoint:
        """Newton's method, from where the sample's minimum goes when these units take the place of the point's."""
        if np.array_equal(units, point.units):
            return self._fitted(units, point, MOST_FOR_TRIAL)
        near = self.near()
        here = near.start(self.dense(point))
        there = near.refit(here, units)
        entries = self.entries_of(units)
        values = _spread(there, entries)
        # What stays moves as far as it does in the sample.
        values += _spread(point, entries) - np.where(np.isin(entries, point.entries), _spread(here, entries), 0.0)
        return self._fitted(units, StreamedPoint(units, entries, values, np.inf), MOST_FOR_TRIAL)

    def polish(self, point: StreamedPoint, /) -> StreamedPoint:
        """The same support, as exactly as the precision allows."""
        exact = MOST_IN_SINGLE if self.sampler.dtype == np.float32 else MOST_IN_DOUBLE
        found = self._fitted(point.units, point, exact)
        # The last step costs no pass: what is missing after it is a hundredth of what it promises, or less.
        lower, upper = self.lower[found.entries], self.upper[found.entries]
        step = newton_step(found.hessian, found.slopes, found.values, lower, upper)
        promised = -float(found.slopes @ step + 0.5 * step @ found.hessian @ step)
        if not 0 < promised <= exact * abs(found.value):
            return found
        slopes, gradient = found.slopes + found.hessian @ step, found.gradient
        if gradient is not None:
            gradient = gradient.copy()
            gradient[found.entries] = slopes
        values = np.clip(found.values + step, lower, upper)
        return replace(found, values=values, value=found.value - promised, slopes=slopes, gradient=gradient)

    def _fitted(self, units: np.ndarray, before: StreamedPoint, tolerance: float) -> StreamedPoint:
        entries = self.entries_of(units)
        support = Support(entries, self.outputs, self.width)
        looked = [before.hessian]

        def evaluate(values: np.ndarray, wanted: bool) -> Evaluation:
            near = before.hessian if wanted and len(looked) == 1 else None  # until the steps get stuck
            if near is not None and before.slopes is not None and np.array_equal(values, before.values):
                looked.append(near)
                return Evaluation(before.value, before.slopes, near, (before.gradient, before.curvature))
            found = self._evaluate(support, values, wanted and near is None)
            looked.append(near if found.hessian is None else found.hessian)
            return replace(found, hessian=looked[-1]) if wanted else found

        values, found = fitted(
            evaluate,
            before.values,
            self.lower[entries],
            self.upper[entries],
            tolerance=tolerance,
            keep_hessian=True,  # one pass less is worth more than a faster end
        )
        hessian = next(known for known in reversed(looked) if known is not None)
        return StreamedPoint(units, entries, values, found.value, found.gradient, hessian, *found.predictor)

    def _evaluate(self, support: Support, values: np.ndarray, hessian: bool) -> Evaluation:
        entries = support.entries
        if self.sampler.by_column:
            question: Any = OnSupport(self.loss, support, values, hessian)
        else:  # what a pass costs is the reading: the gradient everywhere comes with it
            question = Everywhere(self.loss, support, values, self.intercept, hessian)
        answer = self._asked(question)
        weight, ridge = answer["weight"], self.ridge[entries]
        known = answer["hessian"] / weight + np.diag(ridge) if hessian else None
        value = answer["value"] / weight + 0.5 * float(ridge @ values**2)
        if self.sampler.by_column:
            return Evaluation(value, answer["gradient"] / weight + ridge * values, known, (None, None))
        everywhere = self._everywhere(answer, entries, values)
        return Evaluation(value, everywhere[0][entries], known, everywhere)

    def _everywhere(self, answer: Any, entries: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and curvature of all entries; a column that few rows show is not taken for a flat one."""
        gradient, curvature = answer["gradient"] / answer["weight"], answer["curvature"] / answer["weight"]
        gradient[entries] += self.ridge[entries] * values
        curvature += columns.PSEUDO_ROWS / max(answer["rows"], 1) * float(curvature.mean()) + 1e-300
        return gradient, curvature + self.ridge

    def _asked(self, question: Any) -> Any:
        answer = self.sampler.ask(question)
        self.rows += answer.get("rows", self.sampler.size)
        return answer

    def slopes_of(self, point: StreamedPoint) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and curvature of every entry, by one pass for a point."""
        if point.gradient is None or point.curvature is None:
            support = Support(point.entries, self.outputs, self.width)
            answer = self._asked(Everywhere(self.loss, support, point.values, self.intercept))
            gradient, curvature = self._everywhere(answer, point.entries, point.values)
            object.__setattr__(point, "gradient", gradient)
            object.__setattr__(point, "curvature", curvature)
        return np.asarray(point.gradient), np.asarray(point.curvature)

    def entering(self, point: StreamedPoint, count: int, /) -> tuple[np.ndarray, np.ndarray]:
        """By the best step of each entry alone."""
        gradient, bends = self.slopes_of(point)
        steps = np.clip(-gradient / bends, self.lower, self.upper)
        gains = -gradient * steps - 0.5 * bends * steps * steps
        competing = self._units >= 0
        by_unit = np.bincount(self._units[competing], gains[competing], self.count)
        by_unit[point.units] = -np.inf
        count = min(count, self.count - point.units.size)
        best = np.argpartition(-by_unit, count - 1)[:count] if 0 < count < self.count else np.arange(self.count)[:count]
        best = best[np.argsort(-by_unit[best], kind="stable")]
        return best, by_unit[best]

    def leaving(self, point: StreamedPoint, /) -> np.ndarray:
        """h x^2 / 2."""
        costs = 0.5 * self.slopes_of(point)[1][point.entries] * point.values**2
        units = self._units[point.entries]
        return np.bincount(np.searchsorted(point.units, units[units >= 0]), costs[units >= 0], point.units.size)

    def model(self, point: StreamedPoint, pool: np.ndarray, /) -> Any:
        """The quadratic model over the pool: how columns go together is seen in a sample, how much each of them bends
        is known from all rows; of sparse rows, of whose columns a sample may show nothing, all is.
        """
        from atmostk.quadratic.model import Pool, QuadraticModel

        entries = self.entries_of(np.union1d(pool, point.units))
        gradient, curvature = self.slopes_of(point)
        values = np.zeros(entries.size)
        values[np.searchsorted(entries, point.entries)] = point.values
        found = self._hessian(point, entries, curvature)
        return QuadraticModel(
            Pool.of(self._units[entries]), found.columns, found.diagonal(), gradient[entries], values,
            lower=self.lower[entries], upper=self.upper[entries], blocks=found.blocks,
        )  # fmt: skip

    def _hessian(self, point: StreamedPoint, entries: np.ndarray, curvature: np.ndarray) -> Any:
        from atmostk.objectives.pool_hessian import Matched, Whole

        seen, support = self.seen(), Support(point.entries, self.outputs, self.width)
        sparse = arrays.is_scipy_sparse(seen.data[0])
        if sparse and self.outputs == 1 and entries.size <= MOST_EXACT_POOL:
            answer = self._asked(PoolHessian(self.loss, support, point.values, entries))
            return Whole.of(answer["hessian"] / answer["weight"], curvature[entries], self.ridge[entries])
        rows = SeenColumns([seen], self.shape[0])
        predictor = rows.of_rows(Everywhere(self.loss, support, point.values, self.intercept).predictor(seen.data[0]))
        return Matched.of(self.loss, rows, predictor, entries, self.outputs, curvature[entries], self.ridge[entries])

    def look_at(self, sample: Sample) -> None:
        """Take what the model needs from rows that were drawn already: evenly spread ones."""
        step = -(-sample.size // columns.SEEN_ENOUGH)
        X, y = sample.data
        weights = None if sample.weights is None else sample.weights[::step]
        self._seen = Sample((X[::step], y[::step]), -(-sample.size // step), weights, sample.whole and step == 1)

    def seen(self) -> Sample:
        """The sample in memory: always the same one, so that a run that is resumed sees what it saw."""
        if self._seen is None:
            count = min(self.sampler.size, self.sampler.sample_rows, columns.SEEN_ENOUGH)
            self._seen = self.sampler.draw(count, np.random.default_rng(0))
        return self._seen

    def near(self) -> Any:
        """The landscape of the sample."""
        if self._near is None:
            like = np.zeros(self.shape, columns.precision(self.seen().data[0]))
            self._near = self.objective.landscape(Nearby(self.objective, Kept(self.seen()), self.constraint), like)
        return self._near

    def dense(self, point: StreamedPoint, /) -> Array:
        """x as it came in."""
        x = np.zeros(self.shape)
        x.ravel()[point.entries] = point.values
        return arrays.like(x, self.like)

    def entries(self, point: StreamedPoint, /) -> np.ndarray:
        """The flat indices of the support."""
        return point.entries


def _spread(point: Any, entries: np.ndarray) -> np.ndarray:
    """The point's values at these entries, 0 where it has none."""
    values = np.zeros(entries.size)
    _, here, there = np.intersect1d(entries, point.entries, assume_unique=True, return_indices=True)
    values[here] = point.values[there]
    return values
