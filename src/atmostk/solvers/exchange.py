"""Exchange: fill the support, then swap what is in it for what would do better, by the exact gain of the pair."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from atmostk.landscape import Ageing, Landscape, OwnPhases, Thinning
from atmostk.objectives.general_landscape import GeneralLandscape
from atmostk.paired_test import rows_to_decide
from atmostk.problem import Problem

Array = Any
FEWER, AT_LEAST = 0.4, 64  # of the candidates, while it grows and after a kick


@dataclass(frozen=True)
class ExchangeState:
    """What the next step needs. `point` is the best so far (while it grows: the present one)."""

    point: Any
    phase: str  # grow, exchange, kick, widen or polish
    kick: int
    rows: int
    exact: bool
    finished: str | None = None
    landscape: Any = field(default=None, metadata={"saved": False, "started": True}, compare=False)
    whole: Any = field(default=None, metadata={"saved": False, "started": True}, compare=False)
    sample: int = 0  # rows that the value is the mean of; 0 for all

    @property
    def value(self) -> float:
        """The objective at the point."""
        return self.point.value

    @property
    def x(self) -> Array:
        """The point as it came in."""
        return self.landscape.dense(self.point)

    @property
    def support(self) -> np.ndarray:
        """The flat indices of the support and the free entries."""
        return self.landscape.entries(self.point)


@dataclass(frozen=True, slots=True)
class ExchangeRecord:
    """What happened in a step."""

    phase: str
    value: float
    units: int
    accepted: bool
    rows: int  # evaluated so far
    sample: int = 0  # rows that the value is the mean of; 0 for all


@dataclass(frozen=True)
class Exchange:
    """Grow the support in stages, exchange by the exact gain of every pair, kick, and keep the better.

    With support S, its values c, the Hessian H and g minus the gradient, the exchange of i in S for j outside gains

        (g_j + A_ji c_i / B_ii)^2 / (2 (d_j + A_ji^2 / B_ii)) - c_i^2 / (2 B_ii),
        B = inverse of H[S, S],  A = H[:, S] B,  d_j = H_jj - sum_i A_ji H_ji.

    It prices the pair: an entry that only helps once its correlated neighbour has left is seen. `pool` candidates for
    each unit of the budget are priced so; exchanges are made in the model, and kept when the objective itself falls
    after the minimum on the new support was found. Then `kicks` times a share `drop` of the support is dropped at
    random, the candidates are ranked anew at what is left, the support is filled up and exchanged again, and the
    better of the two points kept: the more kicks, the better the answer.

    Where there are many rows the search begins on few of them (forty for each unit of the budget, 2,000 at least), on
    which an exchange must gain more than a useless unit does by chance; it goes on with as many as its hardest
    decision takes, `sample` of all rows at most, and ends on all rows. The kicks are made on the first rows.

    It starts from x0: zeros, or a point with fewer or more units than the budget (a neighbour on a path); it grows or
    comes down to the budget from there. Entries that the constraint has free (`AlwaysKept`) are always in the support:
    an intercept is `WithIntercept(loss)` with its entry always kept, which costs no copy of X. Exchanges do not
    depend on the scale of the columns, so standardising them only matters for a ridge: give `with_ridge` one ridge for
    each entry, the ridge times the column's variance.

    A loss that Exchange does not know (a `TorchLoss`, two Python functions, any class with value and gradient) is
    known by columns of its Hessian for the best candidates, from products or from differences of gradients.

    >>> import numpy as np
    >>> from atmostk import AtMost, Problem, minimize
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> rows = Rows(np.eye(3), np.array([3.0, 1.0, -2.0]))
    >>> minimize(Problem(SquaredError(), rows, AtMost(2)), Exchange(), np.zeros(3)).x.round(6)
    array([ 3.,  0., -2.])
    """

    kicks: int = 3
    drop: float = 0.4
    pool: int = 10
    stages: tuple[float, ...] = (0.3, 0.6, 0.85, 1.0)
    least: float = 1e-7  # of the value: what an exchange must gain
    sample: float = 0.125  # of the rows: on how many to search, at most, before all of them; 0 for all at once

    State: ClassVar[type] = ExchangeState
    Record: ClassVar[type] = ExchangeRecord
    ends_itself: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.kicks, bool) or not isinstance(self.kicks, int | np.integer) or self.kicks < 0:
            raise ValueError(f"Exchange(kicks={self.kicks!r}): it must be a whole number of 0 or more.")
        if not 0 < self.drop < 1:
            raise ValueError(f"Exchange(drop={self.drop}): the share of the support to drop lies between 0 and 1.")
        if self.pool < 1:
            raise ValueError(f"Exchange(pool={self.pool}): at least one candidate for each unit is needed.")
        if not 0 <= self.sample <= 0.5:
            raise ValueError(f"Exchange(sample={self.sample}): the share of the rows to begin on lies from 0 to 0.5.")
        if not self.stages or list(self.stages) != sorted(self.stages) or self.stages[0] <= 0 or self.stages[-1] != 1:
            raise ValueError(f"Exchange(stages={self.stages}): they must rise to 1, as (0.5, 1.0) does.")

    def start(self, problem: Problem, x0: Array, rng: np.random.Generator, /) -> ExchangeState:
        """The minimum on the support of x0."""
        whole: Any = _landscape(problem, x0)
        sample = 0
        # Where all or none may stay there is nothing to decide, and the values are wanted on all rows.
        chooses = 0 < whole.limit < whole.count
        if chooses and isinstance(whole, Thinning) and whole.first <= self.sample * whole.size:
            sample = whole.first
        landscape: Any = whole.on_fewer(sample) if sample else whole
        point = landscape.start(x0)
        return ExchangeState(point, "grow", 0, landscape.rows, not sample, None, landscape, whole, sample)

    def step(
        self, state: ExchangeState, problem: Problem, rng: np.random.Generator, /
    ) -> tuple[ExchangeState, ExchangeRecord]:
        """One move: a stage of growth, a round of exchanges, a kick."""
        state = _on_its_rows(state)
        landscape: Landscape = state.landscape
        before = landscape.rows
        move = getattr(self, f"_{state.phase}")
        then: ExchangeState = move(state, landscape, rng)
        then = replace(then, rows=state.rows + landscape.rows - before)
        accepted = then.point is not state.point
        return then, ExchangeRecord(
            state.phase, then.point.value, len(then.point.units), accepted, then.rows, then.sample
        )

    def _grow(self, state: ExchangeState, landscape: Landscape, rng: np.random.Generator) -> ExchangeState:
        """To the next stage, from below or from above; whoever is in may leave again."""
        point, limit = state.point, min(landscape.limit, landscape.count)
        if len(point.units) > limit:
            kept = np.sort(np.argsort(-landscape.leaving(point), kind="stable")[:limit])
            return replace(state, point=landscape.refit(point, point.units[kept]))
        if len(point.units) == limit:
            return replace(state, phase="exchange" if 0 < limit < landscape.count else "polish")
        targets = [size for share in self.stages if (size := round(share * limit)) > len(point.units)]
        if isinstance(landscape, OwnPhases):
            grown = landscape.grown(point, targets)
            stuck = len(grown.units) == len(point.units)  # nothing outside is worth anything
            return replace(state, point=grown, phase="exchange" if stuck else "grow")
        target = targets[0]
        pool, _ = landscape.entering(point, self._few(limit))
        model = landscape.model(point, pool)
        if model is None:
            return replace(
                state, point=landscape.refit(point, np.union1d(point.units, pool[: target - len(point.units)]))
            )
        units = model.refill(point.units, target, point.units[:0])
        return replace(
            state, point=landscape.refit(point, model.descend(units, limit, self._margin(point, landscape)), model)
        )

    def _exchange(self, state: ExchangeState, landscape: Landscape, rng: np.random.Generator) -> ExchangeState:
        """A round of exchanges among the best candidates."""
        found = self._exchanged(state.point, landscape, self.pool * landscape.limit)
        if found is not None:
            return replace(state, point=found)
        return replace(state, phase=self._after(state))

    def _kick(self, state: ExchangeState, landscape: Landscape, rng: np.random.Generator) -> ExchangeState:
        """Drop some, rank anew, fill up, exchange, and keep the better."""
        best, kick = state.point, state.kick + 1
        point = self._kicked(best, landscape, rng)
        if point.value < best.value - self._margin(best, landscape):
            while True:
                found = self._exchanged(point, landscape, self.pool * landscape.limit)
                if found is None:
                    break
                point = found
            best = point
        state = replace(state, point=best, kick=kick)
        return replace(state, phase=self._after(state))

    def _widen(self, state: ExchangeState, landscape: Any, rng: np.random.Generator) -> ExchangeState:
        """The same point on more rows: on as many as its hardest decision takes, or on all."""
        needed = rows_to_decide(landscape.noise(state.point), landscape.hardest(state.point))
        sample = int(min(needed, self.sample * state.whole.size))
        if sample < 2 * landscape.size:
            sample = 0
        wider = state.whole.on_fewer(sample) if sample else state.whole
        point = landscape.moved(state.point, wider)
        return replace(state, point=point, phase="exchange", sample=sample, exact=not sample, landscape=wider)

    def _after(self, state: ExchangeState) -> str:
        """What comes when no exchange pays: kicks, which are made on the first rows, more rows, or the end."""
        if state.kick < self.kicks:
            return "kick"
        return "widen" if state.sample else "polish"

    def _few(self, limit: int) -> int:
        """How many candidates are enough where exchanges among more of them follow."""
        return min(self.pool * limit, max(AT_LEAST, round(FEWER * self.pool * limit)))

    def _margin(self, point: Any, landscape: Any) -> float:
        """What an exchange must gain: on a part of the rows more than a useless unit gains by chance."""
        least = self.least * abs(point.value)
        return max(least, landscape.chance(point)) if isinstance(landscape, Thinning) else least

    def _polish(self, state: ExchangeState, landscape: Landscape, rng: np.random.Generator) -> ExchangeState:
        """The answer on its support, exactly."""
        kicked = f" and none of {self.kicks} kicks does" if self.kicks and state.kick else ""
        return replace(state, point=landscape.polish(state.point), finished=f"no exchange lowers the objective{kicked}")

    def _kicked(self, best: Any, landscape: Landscape, rng: np.random.Generator) -> Any:
        """The point after a kick, exchanged in the model."""
        size = len(best.units)
        leaving = rng.choice(size, min(size, max(2, round(self.drop * size))), replace=False)
        dropped, kept = best.units[np.sort(leaving)], np.delete(best.units, leaving)
        reduced = landscape.refit(best, kept)
        pool, _ = landscape.entering(reduced, self._few(landscape.limit))
        model = landscape.model(reduced, np.union1d(pool, dropped))
        if model is None:
            outside = pool[~np.isin(pool, dropped)][: dropped.size]
            return landscape.refit(reduced, np.union1d(kept, outside))
        filled = model.refill(kept, size, dropped)
        return landscape.refit(reduced, model.descend(filled, size, self._margin(best, landscape)), model)

    def _exchanged(self, point: Any, landscape: Landscape, candidates: int) -> Any:
        """A better point with as many units, or None."""
        if isinstance(landscape, OwnPhases):
            found = landscape.exchanged(point)
            return found if found.value < point.value - self._margin(point, landscape) else None
        found = self._exchanged_once(point, landscape, candidates)
        if found is None and isinstance(landscape, Ageing) and (renewed := landscape.renewed(point)) is not None:
            return self._exchanged_once(renewed, landscape, candidates)
        return found

    def _exchanged_once(self, point: Any, landscape: Landscape, candidates: int) -> Any:
        """A better point by the model as it is, or None."""
        pool, gains = landscape.entering(point, candidates)
        model = landscape.model(point, pool)
        margin = self._margin(point, landscape)
        if model is None:
            return self._exchanged_in_bulk(point, landscape, pool, gains)
        units = model.descend(point.units, len(point.units), margin)
        if np.array_equal(units, point.units):
            return None
        trial = landscape.refit(point, units, model)
        if trial.value < point.value - margin:
            return trial
        for leaves, enters, _ in model.exchanges(point.units, 4):
            units = np.sort(np.append(point.units[point.units != leaves], enters))
            trial = landscape.refit(point, units, model)
            if trial.value < point.value - margin:
                return trial
        return None

    def _exchanged_in_bulk(self, point: Any, landscape: Landscape, pool: np.ndarray, gains: np.ndarray) -> Any:
        """The cheapest inside for the most promising outside, half as many until it pays."""
        costs = landscape.leaving(point)
        cheapest = np.argsort(costs, kind="stable")
        most = min(len(costs), len(gains))
        count = int((gains[:most] > costs[cheapest[:most]]).sum())
        while count >= 1:
            units = np.union1d(np.delete(point.units, cheapest[:count]), pool[:count])
            trial = landscape.refit(point, units)
            if trial.value < point.value - self._margin(point, landscape):
                return trial
            count //= 2
        return None


def _on_its_rows(state: ExchangeState) -> ExchangeState:
    """The state with the rows it is about, which a checkpoint does not hold."""
    if not state.sample:
        return state if state.whole is None or state.landscape is state.whole else replace(state, landscape=state.whole)
    if state.landscape.sample == state.sample:
        return state
    return replace(state, landscape=state.whole.on_fewer(state.sample))


def _landscape(problem: Problem, x0: Array) -> Landscape:
    made = getattr(problem.objective, "landscape", None)
    landscape = None if made is None else made(problem, x0)
    return GeneralLandscape(problem, x0) if landscape is None else landscape
