"""Probabilistic Iterative Hard Thresholding: Algorithm 1 of the paper, to the letter.

| here | in the paper | meaning |
|---|---|---|
| step_size | alpha | how far along the negative gradient, before clipping |
| radius | delta | no step is longer; it grows after a success and shrinks after a failure |
| largest_radius | delta_max | |
| factor | gamma | by how much (paper note 1) |
| decrease | eta_1 | the least decrease, as a share of slope times radius, that is a success |
| least_slope | eta_2 | the least slope, as a share of the radius, that is a success |
| sample_size | xi_k | how many rows the gradient and the two values are taken from (paper note 6) |

Variants that the paper or its released program speak of are options, off by default: `memory` (paper note 4),
`whole_slope` (paper note 5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from atmostk import arrays
from atmostk.problem import Problem
from atmostk.solvers.sample_size import Released, SampleSize

Array = Any


@dataclass(frozen=True, slots=True)
class PIHTState:
    """What the next step needs."""

    x: Array
    support: np.ndarray
    radius: float
    value: float  # the last estimate of f(x); infinite before the first
    exact: bool  # whether that estimate was taken on the whole data
    rows: int  # rows evaluated so far
    votes: Array  # how often, lately, each entry was among the largest; None without memory
    finished: str | None = None  # it never says so itself: a stopping rule does


@dataclass(frozen=True, slots=True)
class PIHTRecord:
    """What happened in a step."""

    accepted: bool
    radius: float  # before the step
    slope: float  # the norm of the gradient on the trial's support
    before: float
    after: float
    gradient_rows: int
    value_rows: int
    accurate: bool  # both estimates known to be as accurate as the rule asks (or exact)

    @property
    def value(self) -> float:
        """The estimate of the objective where the step ended."""
        return self.after if self.accepted else self.before


@dataclass(frozen=True)
class PIHT:
    """Algorithm 1: a clipped gradient step, hard thresholding, and a trial by a fresh sample.

    >>> import numpy as np
    >>> from atmostk import AtMost, PIHT, Problem, minimize
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> from atmostk.stopping import radius_below
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = X @ np.array([0.0, 3.0, 0.0, 0.0, -2.0, 0.0])
    >>> problem = Problem(SquaredError(), Rows(X, y), AtMost(2))
    >>> result = minimize(problem, PIHT(), np.zeros(6), stop=[radius_below(1e-6)])
    >>> result.support, result.x[result.support].round(3)
    (array([1, 4]), array([ 3., -2.]))
    """

    step_size: float = 1.0
    radius: float = 1.0
    largest_radius: float = 10.0
    factor: float = 2.0
    decrease: float = 1e-4
    least_slope: float = 1e-4
    sample_size: SampleSize = field(default_factory=Released)
    memory: float = 0.0
    whole_slope: bool = False

    State: ClassVar[type] = PIHTState
    Record: ClassVar[type] = PIHTRecord
    ends_itself: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("step_size", "radius", "largest_radius"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise ValueError(f"PIHT({name}={getattr(self, name)}): it must be a finite number above 0.")
        if self.radius > self.largest_radius:
            raise ValueError(f"PIHT(radius={self.radius}) is above largest_radius={self.largest_radius}.")
        if not self.factor > 1:
            raise ValueError(
                f"PIHT(factor={self.factor}): it must be above 1, so that success makes the radius larger."
            )
        for name in ("decrease", "least_slope"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"PIHT({name}={getattr(self, name)}): it must be 0 or more.")
        if not 0 <= self.memory < 1:
            raise ValueError(f"PIHT(memory={self.memory}): it must be at least 0 (none) and below 1.")

    def start(self, problem: Problem, x0: Array, rng: np.random.Generator, /) -> PIHTState:
        """The allowed point nearest to x0, at the first radius."""
        support = problem.constraint.choose(x0, arrays.support(x0))
        x = problem.constraint.restrict(x0, support)
        return PIHTState(x, support, self.radius, math.inf, False, 0, 0 * x if self.memory else None)

    def step(self, state: PIHTState, problem: Problem, rng: np.random.Generator, /) -> tuple[PIHTState, PIHTRecord]:
        """One iteration."""
        estimate = self.sample_size.gradient(problem, state.x, state.radius, self.radius, rng)
        gradient = estimate.gradient
        length = arrays.norm(gradient)
        if not math.isfinite(length):
            return self._failed(state, estimate.rows)
        stretch = min(self.step_size, state.radius / length) if length > 0 else self.step_size
        moved = state.x - stretch * gradient
        support, votes = self._choose(problem, moved, state)
        trial = problem.constraint.restrict(moved, support)
        slope = length if self.whole_slope else arrays.norm(arrays.take(gradient, support))
        pair = self.sample_size.pair(problem, state.x, trial, state.radius, self.radius, rng)
        accepted = (
            math.isfinite(pair.after)
            and pair.before - pair.after >= self.decrease * slope * state.radius
            and slope >= self.least_slope * state.radius
        )
        record = PIHTRecord(
            accepted,
            state.radius,
            slope,
            pair.before,
            pair.after,
            estimate.rows,
            pair.rows,
            estimate.accurate and pair.accurate,
        )
        rows = state.rows + estimate.rows + 2 * pair.rows
        if accepted:
            radius = min(self.factor * state.radius, self.largest_radius)
            return PIHTState(trial, support, radius, pair.after, pair.exact, rows, votes), record
        radius = state.radius / self.factor
        return PIHTState(state.x, state.support, radius, pair.before, pair.exact, rows, votes), record

    def _choose(self, problem: Problem, moved: Array, state: PIHTState) -> tuple[np.ndarray, Array]:
        """The entries to keep: the largest now, or with memory those that were so most often of late (paper note 4)."""
        support = problem.constraint.choose(moved, state.support)
        if not self.memory:
            return support, None
        now = arrays.keep(0 * moved + 1, support)
        votes = self.memory * state.votes + (1 - self.memory) * now
        return problem.constraint.choose(votes, support), votes

    def _failed(self, state: PIHTState, rows: int) -> tuple[PIHTState, PIHTRecord]:
        """A gradient that is not finite: an unsuccessful iteration (paper note 9)."""
        record = PIHTRecord(False, state.radius, math.nan, state.value, math.nan, rows, 0, False)
        radius = state.radius / self.factor
        return (
            PIHTState(state.x, state.support, radius, state.value, state.exact, state.rows + rows, state.votes),
            record,
        )
