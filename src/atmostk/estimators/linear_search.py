"""From rows and rules to a linear model: the problem, the search, and what is proved of its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from atmostk.certificate import Certificate, certify, from_derivatives
from atmostk.estimators.coefficient_rules import CoefficientRules
from atmostk.minimize import Result, minimize
from atmostk.objectives import SquaredError, WithIntercept, with_ridge
from atmostk.objectives.centred import Centred
from atmostk.objectives.linear_landscape import LinearLandscape
from atmostk.problem import Problem
from atmostk.solvers.exchange import Exchange
from atmostk.stopping import Rule, Stop, after_seconds

NEGLIGIBLE = 1e-8  # of the value: what a gradient that counts as zero could still gain


@dataclass(frozen=True)
class Found:
    """The model that a search found: coefficients with a row for each output, and `loss`, the value without the ridge.

    The result comes without the search's workspace, which holds the data.
    """

    at_most: int
    result: Result
    certificate: Certificate | None
    coefficients: np.ndarray
    intercepts: np.ndarray
    support: np.ndarray
    used: int  # of the budget
    loss: float


@dataclass(frozen=True)
class LinearSearch:
    """What to minimise, for any budget. `ridge` is that of each feature, `moments` are those of the columns."""

    loss: Any
    sampler: Any
    rules: CoefficientRules
    ridge: np.ndarray | None
    dtype: Any
    moments: Any = None

    @cached_property
    def exact_fit(self) -> float:
        """A value of squared error below which every residual is rounding."""
        y, eps = self.sampler.y, float(np.finfo(self.sampler.y.dtype).eps)
        rounding = 10 * eps * float(np.abs(y).max())  # of a target that never varies
        return 0.5 * float(np.var(y, dtype=np.float64)) * eps + rounding**2

    @cached_property
    def levels(self) -> np.ndarray | None:
        """The ridge of each row of x."""
        return None if self.ridge is None else np.append(self.ridge, np.zeros(int(self.rules.intercept)))

    @cached_property
    def objective(self) -> Prepared:
        """The loss with its intercept and its ridge."""
        objective = WithIntercept(self.loss) if self.rules.intercept else self.loss
        if self.levels is not None:
            objective = with_ridge(objective, self.levels if len(self.rules.shape) == 1 else self.levels[:, None])
        return Prepared(objective)

    def problem(self, at_most: int) -> Problem:
        """The problem with this budget."""
        return Problem(self.objective, self.sampler, self.rules.constraint(at_most))

    def run(
        self, at_most: int, *, kicks: int, seed: int, max_seconds: float | None = None, start: np.ndarray | None = None,
        callbacks: Sequence[Any] = (),
    ) -> Result:  # fmt: skip
        """The best model with this budget; the result's state is where the search stood, data and all."""
        x0 = np.zeros(self.rules.shape, self.dtype) if start is None else start
        stop = [] if max_seconds is None else [after_seconds(max_seconds)]
        if isinstance(self.loss, SquaredError) and self.ridge is None:
            stop.append(_fits_exactly(self.exact_fit))
        return minimize(self.problem(at_most), Exchange(kicks=kicks), x0, stop=stop, seed=seed, callbacks=callbacks)

    def found(self, at_most: int, result: Result, *, proved: bool = True) -> Found:
        """What a result says, without the data; how good it is only where it is to be `proved`."""
        table = result.x.reshape(result.x.shape[0], -1)
        features = self.rules.units.shape[0]
        coefficients = table[:features].T.copy()
        intercepts = table[features].copy() if self.rules.intercept else np.zeros(table.shape[1], table.dtype)
        if isinstance(getattr(self.sampler, "X", None), Centred):
            shifts = coefficients.astype(np.float64) @ self.sampler.X.origin
            intercepts = (intercepts - shifts).astype(table.dtype)
            table = np.concatenate((table[:features], intercepts[None]))
        kept = np.flatnonzero((self.rules.units < 0).any(axis=1))
        penalty = 0.0
        if self.ridge is not None:
            penalty = 0.5 * float((self.ridge * coefficients.astype(np.float64) ** 2).sum())
        support = np.union1d(np.flatnonzero(coefficients.any(axis=0)), kept)
        certificate = self._certificate(at_most, result) if proved else None
        result = replace(result, x=table.reshape(result.x.shape), state=None)
        return Found(
            at_most, result, certificate, coefficients, intercepts, support, self.rules.used(coefficients),
            result.value - penalty,
        )  # fmt: skip

    def _certificate(self, at_most: int, result: Result) -> Certificate:
        """How good the result is; what the search knows already is not computed again."""
        problem, landscape = self.problem(at_most), result.state.landscape
        if not isinstance(landscape, LinearLandscape):
            return certify(problem, result.x)
        point = result.state.point
        gradient = landscape.known_gradient(point)
        curvature = landscape.curvature(point)
        steepest = float(curvature[point.entries].max(initial=0.0))
        return from_derivatives(
            problem, result.x, result.value, gradient.reshape(result.x.shape), curvature.reshape(result.x.shape),
            rows=landscape.weight_rows(), whole=True,
            tolerance=float(np.sqrt(2 * NEGLIGIBLE * max(abs(result.value), self.exact_fit) * steepest)),
        )  # fmt: skip


class Prepared:
    """A loss on rows that were checked; the spread of its columns is measured once for all budgets."""

    def __init__(self, objective: Any) -> None:
        self.objective = objective
        self.value, self.gradient, self.losses = objective.value, objective.gradient, objective.losses
        self._spreads: Any = None

    def landscape(self, problem: Problem, x0: Any, /) -> Any:
        """A new one each time, because what a search keeps for the next one rounds differently."""
        made = self.objective.landscape(replace(problem, objective=self.objective), x0)
        if isinstance(made, LinearLandscape):
            if self._spreads is None:
                self._spreads = made.spreads()
            made._spreads = self._spreads
        return made

    def curvature(self, x: Any, sample: Any, /) -> Any:
        """As the loss has it."""
        return self.objective.curvature(x, sample)


def _fits_exactly(level: float) -> Rule:
    """Stop where every residual is rounding: all that could still be exchanged is noise."""

    def rule(run: Any) -> Stop | None:
        # On a part of the rows an exact fit may be a chance of which rows they are.
        if run.state.value > level or not run.state.exact:
            return None
        return Stop(f"{len(run.state.point.units)} features fit every row exactly.", True)

    return rule


def seed_of(random_state: Any) -> int:
    """A whole number; None is 0, so that the same call gives the same answer."""
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
