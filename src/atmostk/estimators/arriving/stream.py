"""Exchange on a stream: remembered gradients decide who enters, running Newton steps say with what value.

Of old rows only sums are kept; a new support is fitted on the last rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from atmostk.estimators.arriving.recent_rows import RecentRows
from atmostk.estimators.arriving.remembered_slopes import RememberedSlopes
from atmostk.estimators.arriving.running_moments import RunningMoments, filled_counts
from atmostk.estimators.coefficient_rules import CoefficientRules
from atmostk.estimators.column_variances import Moments
from atmostk.estimators.linear_door import CheckedRows
from atmostk.objectives import Logistic, Multinomial, Poisson, WithIntercept, with_ridge
from atmostk.objectives.linear_landscape import LinearLandscape, LinearPoint, linear_landscape
from atmostk.objectives.support_fit import newton_step
from atmostk.problem import Problem

Array = Any
PRIOR_ROWS = 1.0  # a prior worth one row keeps coefficients finite where few rows separate the classes
POOL = 10  # candidates for each unit of the budget, as in Exchange
# Where z is on the scale of a logarithm the intercept may run away too, as long as all rows are of one class.
ON_LOG_SCALE = (Logistic, Multinomial, Poisson)


@dataclass(frozen=True)
class Stream:
    """Where a stream stands. `ridge` is that of a feature of variance 1 where `standardize`.

    `information` is the Hessian, summed over all rows since the support was last fitted, on the point's entries.
    """

    loss: Any
    rules: CoefficientRules
    at_most: int
    ridge: float
    standardize: bool
    moments: RunningMoments
    slopes: RememberedSlopes
    recent: RecentRows
    point: LinearPoint | None = None
    information: np.ndarray | None = None
    batches: int = 0
    exchanges: int = 0

    @staticmethod
    def opened(loss: Any, rules: CoefficientRules, at_most: int, *, ridge: float, standardize: bool) -> Stream:
        """Before the first batch."""
        entries = int(np.prod(rules.shape))
        moments = RunningMoments.none(rules.units.shape[0])
        return Stream(loss, rules, at_most, ridge, standardize, moments, RememberedSlopes.none(entries), RecentRows())

    def seen(self, X: Array, y: np.ndarray, weights: np.ndarray | None, batch: Moments) -> Stream:
        """After a batch more, of such moments."""
        weight = float(X.shape[0]) if weights is None else float(weights.sum())
        then = replace(
            self,
            moments=self.moments.seen(X, weight, batch),
            recent=self.recent.seen(X, y, weights),
            batches=self.batches + 1,
        )
        if then.point is None:
            return then._begun()
        landscape = then._landscape(X, y, weights, prior=False)
        point = replace(then.point, predictor=None, gradient=None)
        gradient = landscape.known_gradient(point)
        slope, bend = self.loss.slope(point.predictor, y), self.loss.bend(point.predictor, y)
        scatter, bent = _mean(slope * slope, weights), _mean(bend, weights)
        then = replace(then, slopes=self.slopes.seen(gradient, _rows(y, weights), scatter=scatter, bend=bent))
        candidates = then._candidates(landscape, point)
        then = then._stepped(landscape, point, weight)
        return then if candidates.size == 0 else then._exchanged(candidates)

    def starting_at(self, x: np.ndarray) -> Stream:
        """From a point that was found before, which counts for no rows."""
        none = np.zeros((1, self.rules.units.shape[0]))
        landscape = self._landscape(none, np.zeros(1), None, prior=False)
        flat = x.ravel().astype(np.float64)
        units = landscape.units_of(np.flatnonzero(flat))
        entries = landscape.entries_of(units)
        return replace(self, point=LinearPoint(units, entries, flat[entries], np.inf))

    def dense(self) -> np.ndarray:
        """The coefficients, the intercept below them, in the shape of the rules."""
        x = np.zeros(self.rules.shape)
        if self.point is not None:
            x.ravel()[self.point.entries] = self.point.values
        return x

    def _begun(self) -> Stream:
        """The support that the first batch speaks for."""
        landscape = self._landscape(*self.recent.joined(), prior=True)
        point = landscape.start(np.zeros(landscape.shape))
        pool, _ = landscape.entering(point, POOL * landscape.limit)
        model = landscape.model(point, pool)
        units = model.refill(point.units, landscape.limit, point.units[:0])
        units = model.descend(units, landscape.limit, 1e-7 * abs(point.value))
        return self._settled(landscape, landscape.refit(point, units))

    def _stepped(self, landscape: LinearLandscape, point: LinearPoint, weight: float) -> Stream:
        """One Newton step on the support with the Hessian of all rows so far, shorter if the batch gets worse by it."""
        now = landscape.derivatives(point)
        assert now.hessian is not None
        before = np.diag(self._prior()[point.entries]) if self.information is None else self.information
        information = before + weight * now.hessian
        lower, upper = landscape.lower[point.entries], landscape.upper[point.entries]
        step = newton_step(information, weight * now.gradient, point.values, lower, upper)
        for _ in range(6):
            trial = LinearPoint(point.units, point.entries, np.clip(point.values + step, lower, upper), np.inf)
            if landscape.worth(trial) <= now.value:
                return replace(self, point=trial, information=information)
            step = step / 4
        return replace(self, information=information)

    def _candidates(self, landscape: LinearLandscape, point: LinearPoint) -> np.ndarray:
        """Units outside, where one promises more than chance does; that is rare once the support is right."""
        remembered = replace(point, gradient=self.slopes.mean)
        found, gains = landscape.entering(remembered, POOL * max(1, landscape.limit))
        chance = self._chance(landscape)
        if landscape.limit == 0 or gains.size == 0 or not gains[0] > chance:
            return found[:0]
        return found[gains > 0.25 * chance]

    def _chance(self, landscape: LinearLandscape) -> float:
        return self.slopes.chance(landscape.count, -(-self.rules.units.size // max(1, landscape.count)))

    def _exchanged(self, candidates: np.ndarray) -> Stream:
        """Exchanges that gain more than chance by the remembered gradient, if the last rows agree."""
        assert self.point is not None
        X, y, weights = self.recent.joined()
        landscape = self._landscape(X, y, weights, prior=True)
        before = replace(self.point, predictor=None, gradient=None)
        gradient = landscape.known_gradient(before)
        settled = landscape.refit(before, before.units)
        model = landscape.model(replace(before, gradient=self.slopes.mean), self._shown(X, candidates))
        units = model.refill(before.units, landscape.limit, before.units[:0])
        units = model.descend(units, landscape.limit, self._chance(landscape))
        if np.array_equal(units, before.units):
            return self
        trial = landscape.refit(before, units)
        if not trial.value < settled.value:
            return self
        # What is remembered was seen at the old point; the last rows say by how much it is different at the new one.
        slopes = self.slopes.moved(landscape.known_gradient(trial) - gradient)
        return replace(self, slopes=slopes, exchanges=self.exchanges + 1)._settled(landscape, trial)

    def _shown(self, X: Array, candidates: np.ndarray) -> np.ndarray:
        """Those that the last rows fill about as often as all rows did: there the others' curvature is not known."""
        features = np.flatnonzero(np.isin(self.rules.units, candidates).any(axis=1))
        counts = filled_counts(X[:, features])
        rare = features[counts < np.maximum(0.5 * X.shape[0] * self.moments.filled[features], 1)]
        return candidates[~np.isin(candidates, self.rules.units[rare])]

    def _settled(self, landscape: LinearLandscape, point: LinearPoint) -> Stream:
        """At a point that was fitted to the rows of a landscape."""
        hessian = landscape.derivatives(point).hessian
        assert hessian is not None
        return replace(
            self, point=replace(point, predictor=None, gradient=None), information=landscape.weight * hessian
        )

    def _landscape(self, X: Array, y: np.ndarray, weights: np.ndarray | None, *, prior: bool) -> LinearLandscape:
        rules, rows = self.rules, CheckedRows(X, y, weights)
        levels = np.zeros(rules.shape).reshape(rules.shape[0], -1)
        features = rules.units.shape[0]
        if self.ridge:
            levels[:features] += self.ridge * (self.moments.variances[:, None] if self.standardize else 1.0)
        if prior:
            weight = float(X.shape[0]) if weights is None else float(weights.sum())
            levels += self._prior().reshape(levels.shape) / weight
        objective: Any = WithIntercept(self.loss) if rules.intercept else self.loss
        if levels.any():
            objective = with_ridge(objective, levels.reshape(rules.shape))
        spreads = self.moments.spreads
        problem = Problem(objective, rows, rules.constraint(self.at_most))
        found = linear_landscape(
            problem, np.zeros(rules.shape), spreads=np.append(spreads, 1.0) if rules.intercept else spreads
        )
        assert found is not None
        return found

    def _prior(self) -> np.ndarray:
        """The curvature of one row of each column's own kind, flat."""
        each = self.moments.kinds
        if self.rules.intercept:
            each = np.append(each, 1.0 if isinstance(self.loss, ON_LOG_SCALE) else 0.0)
        outputs = self.rules.units.shape[1]
        z = np.zeros(1) if outputs == 1 else np.zeros((1, outputs))
        bend = float(self.loss.bend(z, np.zeros(1)).mean())
        return np.repeat(PRIOR_ROWS * bend * each, outputs)


def _mean(by_row: np.ndarray, weights: np.ndarray | None) -> float:
    by_row = by_row.astype(np.float64) if by_row.ndim == 1 else by_row.mean(axis=1, dtype=np.float64)
    return float(np.average(by_row, weights=weights))


def _rows(y: np.ndarray, weights: np.ndarray | None) -> float:
    """How many equally weighted rows tell as much."""
    return float(len(y)) if weights is None else float(weights.sum() ** 2 / (weights**2).sum())
