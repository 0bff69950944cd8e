"""Iterative hard thresholding with full gradients (Blumensath & Davies, 2008): the baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from atmostk import arrays
from atmostk.problem import Problem

Array = Any


@dataclass(frozen=True, slots=True)
class IHTState:
    """What the next step needs."""

    x: Array
    support: np.ndarray
    step_size: float
    value: float
    exact: bool
    rows: int
    finished: str | None = None


@dataclass(frozen=True, slots=True)
class IHTRecord:
    """What happened in a step."""

    value: float
    step_size: float
    passes: int  # over the whole data


@dataclass(frozen=True)
class IHT:
    """x <- the K largest entries of x - step_size gradient, the step size halved until the objective falls enough.

    A step is taken when f falls by at least `decrease` |x_new - x|^2 / step_size; the next one tries twice its size.
    It ends by itself when no step longer than `shortest` (relative to x) helps.

    >>> import numpy as np
    >>> from atmostk import AtMost, Problem, minimize
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> rows = Rows(np.eye(3), np.array([3.0, 1.0, -2.0]))
    >>> minimize(Problem(SquaredError(), rows, AtMost(2)), IHT(), np.zeros(3)).x.round(6)
    array([ 3.,  0., -2.])
    """

    step_size: float = 1.0
    decrease: float = 0.1
    shortest: float = 1e-9

    State: ClassVar[type] = IHTState
    Record: ClassVar[type] = IHTRecord
    ends_itself: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("step_size", "decrease", "shortest"):
            if not getattr(self, name) > 0:
                raise ValueError(f"IHT({name}={getattr(self, name)}): it must be above 0.")

    def start(self, problem: Problem, x0: Array, rng: np.random.Generator, /) -> IHTState:
        """The allowed point nearest to x0, and its value."""
        support = problem.constraint.choose(x0, arrays.support(x0))
        x = problem.constraint.restrict(x0, support)
        return IHTState(x, support, self.step_size, problem.value(x), True, _rows(problem))

    def step(self, state: IHTState, problem: Problem, rng: np.random.Generator, /) -> tuple[IHTState, IHTRecord]:
        """One gradient, and as many trial points as it takes."""
        gradient = problem.gradient(state.x)
        step_size, passes = 2 * state.step_size, 1
        shortest = self.shortest * (1 + arrays.norm(state.x))
        while True:
            moved = state.x - step_size * gradient
            support = problem.constraint.choose(moved, state.support)
            trial = problem.constraint.restrict(moved, support)
            length = arrays.norm(trial - state.x)
            if not length > shortest:
                reason = f"no step longer than {shortest:.2g} lowers the objective"
                return self._next(state.x, state.support, state, problem, passes, reason)
            value = problem.value(trial)
            passes += 1
            if math.isfinite(value) and state.value - value >= self.decrease * length**2 / step_size:
                there = IHTState(trial, support, step_size, value, True, state.rows)
                return self._next(trial, support, there, problem, passes, None)
            step_size /= 2

    def _next(
        self, x: Array, support: np.ndarray, at: IHTState, problem: Problem, passes: int, finished: str | None
    ) -> tuple[IHTState, IHTRecord]:
        rows = at.rows + passes * _rows(problem)
        return (
            IHTState(x, support, at.step_size, at.value, True, rows, finished),
            IHTRecord(at.value, at.step_size, passes),
        )


def _rows(problem: Problem) -> int:
    return problem.sampler.size or 0
