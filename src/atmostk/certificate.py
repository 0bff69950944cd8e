"""How good an answer provably is: the paper's two stationarity conditions, and what the best single exchange would
gain.

On a support that is full, Definition 1 (basic feasible) asks that the gradient vanish on the support; on one that is
not, everywhere. Definition 2 (L-stationary) asks that no entry outside be worth more than the smallest inside after
a step of 1/L. Both are weak: many points meet them. The predicted gain of the best single exchange says more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.ascending import without
from atmostk.constraints import AlwaysKept, AtMost
from atmostk.constraints.budget import Budget
from atmostk.problem import Problem
from atmostk.sample import Sample

Array = Any


@dataclass(frozen=True)
class Certificate:
    """What was found at a point.

    `slope` is the length of the gradient that the constraint leaves free: on the support where that is full, of the
    whole gradient where entries are still to be had. `l_bar` is the smallest L for which the point is L-stationary
    (the paper's max |gradient outside| / M_K(x)), infinite where there is none.

    >>> found = Certificate(0.5, 1e-9, 0.2, 0.1, True, 0.0, 100, True)
    >>> found.is_l_stationary(1.0)
    True
    >>> str(found)[:47]
    'on all 100 rows: value 0.5, gradient on the sup'
    """

    value: float
    slope: float
    slope_outside: float
    l_bar: float
    basic_feasible: bool
    best_exchange: float
    rows: int
    whole: bool

    def is_l_stationary(self, L: float) -> bool:
        """Whether Definition 2 holds for this L, to the tolerance of `basic_feasible`."""
        return self.basic_feasible and self.l_bar <= L

    def __str__(self) -> str:
        on = "all" if self.whole else "a sample of"
        gain = "none is predicted to help" if self.best_exchange <= 0 else f"predicted to gain {self.best_exchange:.3g}"
        if math.isnan(self.best_exchange):
            gain = "not known, the loss does not tell its curvature"
        return (
            f"on {on} {self.rows} rows: value {self.value:.6g}, gradient on the support {self.slope:.2g}, "
            f"L-stationary from L = {self.l_bar:.3g}; best single exchange: {gain}"
        )


def certify(problem: Problem, x: Array, *, tolerance: float = 1e-6, sample: Sample | None = None) -> Certificate:
    """What can be said of x on the whole data, or on the sample that is given.

    `tolerance` is how long the free gradient may be and still count as zero.

    >>> import numpy as np
    >>> from atmostk import AtMost, Problem
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> problem = Problem(SquaredError(), Rows(np.eye(3), np.array([3.0, 1.0, 2.0])), AtMost(1))
    >>> best, other = certify(problem, np.array([3.0, 0, 0])), certify(problem, np.array([0, 0, 2.0]))
    >>> best.basic_feasible, best.best_exchange <= 0, round(other.best_exchange, 3)
    (True, True, 0.833)
    """
    value, gradient, curvature, rows, whole = _measured(problem, x, sample)
    return from_derivatives(problem, x, value, gradient, curvature, rows=rows, whole=whole, tolerance=tolerance)


def from_derivatives(
    problem: Problem, x: Array, value: float, gradient: Array, curvature: Array, *, rows: int, whole: bool,
    tolerance: float,
) -> Certificate:  # fmt: skip
    """The certificate of a point whose value, gradient and curvature (None where there is none) are known already."""
    support = problem.constraint.choose(x, arrays.support(x))
    inside = np.zeros(math.prod(x.shape), dtype=bool)
    inside[support] = True
    slopes = np.abs(arrays.to_numpy(gradient).ravel().astype(np.float64))
    slope = _free_slope(problem, x, gradient, support)
    outside = float(slopes[~inside].max()) if not inside.all() else 0.0
    return Certificate(
        value=value,
        slope=slope,
        slope_outside=outside,
        l_bar=_l_bar(problem, x, gradient, support, outside),
        basic_feasible=slope <= tolerance,
        best_exchange=_best_exchange(problem, x, gradient, curvature, support),
        rows=rows,
        whole=whole,
    )


def _measured(problem: Problem, x: Array, sample: Sample | None) -> tuple[float, Array, Array, int, bool]:
    """Value, gradient and curvature at x, added up over the data."""
    blocks = problem.sampler.blocks() if sample is None else [sample]
    value = weight = 0.0
    gradient: Array = 0
    curvature: Array = 0
    rows = 0
    has_curvature = hasattr(problem.objective, "curvature")
    for block in blocks:
        value += problem.objective.value(x, block) * block.weight
        gradient = gradient + problem.objective.gradient(x, block) * block.weight
        if has_curvature:
            curvature = curvature + problem.objective.curvature(x, block) * block.weight  # pyright: ignore
        weight += block.weight
        rows += block.size
    whole = sample.whole if sample is not None else problem.sampler.size is not None
    gradient = gradient / weight
    if not has_curvature:
        return value / weight, gradient, None, rows, whole
    return value / weight, gradient, curvature / weight, rows, whole


def _free_slope(problem: Problem, x: Array, gradient: Array, support: np.ndarray) -> float:
    """The length of the shortest of the steps x -> P(x - gradient / L), in units of the gradient, with the support
    kept.

    Without bounds that is the norm of the gradient on the support (of all of it where budget is left); at a bound,
    what points out of the box does not count.
    """
    full = _is_full(problem, x, support)
    length = arrays.norm(arrays.take(gradient, support) if full else gradient)
    if length == 0 or not (full or isinstance(problem.constraint, Budget)):
        return length
    scale = max(arrays.norm(x), 1e-8) / length * 1e-6
    trial = x - scale * gradient
    moved = problem.constraint.restrict(trial, support) if full else problem.constraint.unlimited(trial)  # pyright: ignore
    return min(length, arrays.norm(moved - x) / scale)


def _is_full(problem: Problem, x: Array, support: np.ndarray) -> bool:
    """Whether no unit of the budget is left; a group, or a feature at its bound, counts whole."""
    constraint = problem.constraint
    if not isinstance(constraint, Budget) or arrays.answers_itself(x) or not hasattr(constraint, "limit"):
        return arrays.count_nonzero(x) >= len(support)
    units = constraint.units(x)
    used = units[arrays.support(x)]
    most = min(constraint.limit, np.unique(units[units >= 0]).size)  # pyright: ignore[reportAttributeAccessIssue]
    return np.unique(used[used >= 0]).size >= most


def _l_bar(problem: Problem, x: Array, gradient: Array, support: np.ndarray, outside: float) -> float:
    """The smallest L at which the constraint keeps the support of x after a step of gradient / L."""
    if outside == 0:
        return 0.0
    budget, competing = problem.constraint, support
    while isinstance(budget, AlwaysKept):
        budget, competing = budget.constraint, without(competing, budget.entries)
    if isinstance(budget, AtMost):
        smallest = float(np.abs(arrays.to_numpy(arrays.take(x, competing))).min()) if len(competing) else 0.0
        return outside / smallest if smallest > 0 else math.inf

    # The gradient on the support counts as zero, as Definition 2 asks; then larger L only helps the support.
    leaving = gradient - arrays.keep(gradient, support)

    def holds(level: float) -> bool:
        chosen = problem.constraint.choose(x - leaving / math.exp(level), support)
        return np.array_equal(chosen, support)

    low, high = math.log(outside) - 60.0, math.log(outside) + 60.0
    if not holds(high):
        return math.inf
    if holds(low):
        return 0.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return math.exp(high)


def _best_exchange(problem: Problem, x: Array, gradient: Array, curvature: Array, support: np.ndarray) -> float:
    """The largest gain that the objective's curvature predicts for one unit of the budget leaving and another entering.

    An entry with slope g and curvature h enters with its best step t = -g/h, cut to its bounds, and gains
    -(g t + h t^2 / 2); one inside costs h x^2 / 2 when it leaves. A group, or both entries of an edge, count together.
    NaN where the objective has no curvature, or the constraint no units, to say it with.
    """
    if curvature is None or not isinstance(problem.constraint, Budget):
        return math.nan
    units = problem.constraint.units(x)
    inside = np.zeros(units.size, dtype=bool)
    inside[support] = True
    leaving, entering = (units >= 0) & inside, (units >= 0) & ~inside
    if not leaving.any() or not entering.any():
        return 0.0
    g, h, values = (arrays.to_numpy(part).ravel().astype(np.float64) for part in (gradient, curvature, x))
    bent = h > 0
    step = np.where(bent, -g / np.where(bent, h, 1.0), 0.0).reshape(tuple(x.shape))
    step = arrays.to_numpy(problem.constraint.unlimited(arrays.like(step, x))).ravel().astype(np.float64)
    gains = np.bincount(units[entering], -(g * step + h * step**2 / 2)[entering])
    costs = np.bincount(units[leaving], (h * values**2 / 2)[leaving])
    return float(gains[np.unique(units[entering])].max() - costs[np.unique(units[leaving])].min())
