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
from atmostk.objectives.linear_landscape import LinearLandscape
from atmostk.problem import Problem
from atmostk.solvers.exchange import Exchange
from atmostk.stopping import Rule, Stop, after_seconds

NEGLIGIBLE = 1e-8  # of the value: what a gradient that counts as zero could still gain


@dataclass(frozen=True)
class LinearSearch:
    """What to minimise, for any budget. `ridge` is that of each feature."""

    loss: Any
    sampler: Any
    rules: CoefficientRules
    ridge: np.ndarray | None
    dtype: Any

    @cached_property
    def exact_fit(self) -> float:
        """A value of squared error below which every residual is rounding."""
        return 0.5 * float(np.var(self.sampler.y, dtype=np.float64)) * float(np.finfo(self.sampler.y.dtype).eps)

    def problem(self, at_most: int) -> Problem:
        """The problem with this budget."""
        objective = WithIntercept(self.loss) if self.rules.intercept else self.loss
        if self.ridge is not None:
            levels = np.append(self.ridge, np.zeros(int(self.rules.intercept)))
            objective = with_ridge(objective, levels if len(self.rules.shape) == 1 else levels[:, None])
        return Problem(objective, self.sampler, self.rules.constraint(at_most))

    def run(
        self, at_most: int, *, kicks: int, seed: int, max_seconds: float | None = None, start: np.ndarray | None = None,
        callbacks: Sequence[Any] = (),
    ) -> Result:  # fmt: skip
        """The best model with this budget; the result's state is where the search stood, data and all."""
        x0 = np.zeros(self.rules.shape, self.dtype) if start is None else start
        stop = [] if max_seconds is None else [after_seconds(max_seconds)]
        if isinstance(self.loss, SquaredError) and self.ridge is None:
            stop.append(_fits_exactly(self.exact_fit))
        return minimize(
            self.problem(at_most), Exchange(kicks=kicks), x0, stop=stop, seed=seed, callbacks=callbacks
        )  # fmt: skip

    def certificate(self, at_most: int, result: Result) -> Certificate:
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

    def opened(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x as coefficients, a row for each output, and intercepts."""
        table = x.reshape(x.shape[0], -1)
        features = self.rules.units.shape[0]
        if self.rules.intercept:
            return table[:features].T.copy(), table[features].copy()
        return table.T.copy(), np.zeros(table.shape[1], table.dtype)


def _fits_exactly(level: float) -> Rule:
    """Stop where every residual is rounding: all that could still be exchanged is noise."""

    def rule(run: Any) -> Stop | None:
        if run.state.value > level:
            return None
        return Stop(f"{len(run.state.point.units)} features fit every row exactly.", True)

    return rule


def without_data(result: Result) -> Result:
    """The result without the search's workspace, which holds the data."""
    return replace(result, state=None)


def seed_of(random_state: Any) -> int:
    """A whole number; None is 0, so that the same call gives the same answer."""
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
