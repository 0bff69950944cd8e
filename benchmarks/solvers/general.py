"""Objectives with value and gradient alone: ours, and every solver of skscope; and the optimum where it is known.

Ours and skscope's call the same two compiled functions. `ours, JaxLoss` is given the function itself instead, and
takes products with the Hessian from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.problems.general import GeneralProblem

Solve = Callable[[], np.ndarray]


def functions(problem: GeneralProblem) -> Solve:
    """Ours, from two Python functions."""
    from atmostk.objectives import Functions

    return _exchange(problem, Functions(lambda x, _: problem.value(x), lambda x, _: problem.gradient(x)))


def jax_loss(problem: GeneralProblem) -> Solve:
    """Ours, from a function in JAX."""
    from atmostk.objectives import JaxLoss

    return _exchange(problem, JaxLoss(lambda x, _: problem.function(x, problem.data)))


def _exchange(problem: GeneralProblem, loss: Any) -> Solve:
    from atmostk import AtMost, Exchange, Problem, minimize
    from atmostk.constraints import AtMostGroups
    from atmostk.samplers import Rows

    single = problem.each == 1
    constraint = AtMost(problem.at_most) if single else AtMostGroups(problem.at_most, problem.groups)
    posed = Problem(loss, Rows(np.zeros((1, 1))), constraint)  # the functions hold the data themselves
    return lambda: minimize(posed, Exchange(), np.zeros(problem.size)).x


def _skscope(name: str) -> Callable[[GeneralProblem], Solve]:
    def prepared(problem: GeneralProblem) -> Solve:
        import skscope

        def solve() -> np.ndarray:
            groups = {} if problem.each == 1 else {"group": problem.groups}
            solver = getattr(skscope, name)(problem.size, problem.at_most, **groups)
            found = solver.solve(lambda x, _=None: problem.value(x), gradient=lambda x, _=None: problem.gradient(x))
            return np.asarray(found, np.float64)

        return solve

    return prepared


def optimum(problem: GeneralProblem) -> Solve:
    """The best K steps of all, by dynamic programming over where the last of them is."""
    if "trend" not in problem.function.__qualname__:
        raise NotImplementedError("known for trends only")
    y = np.asarray(problem.data[0])

    def solve() -> np.ndarray:
        size = y.size
        sums, squares = (np.concatenate(([0.0], np.cumsum(part))) for part in (y, y * y))
        length = np.arange(size + 1)[None, :] - np.arange(size + 1)[:, None]
        cost = (squares[None, :] - squares[:, None]) - (sums[None, :] - sums[:, None]) ** 2 / np.maximum(length, 1)
        cost[length <= 0] = np.inf
        best, steps = squares.copy(), []  # without a step the series is zero
        for _ in range(problem.at_most):
            both = best[:, None] + cost
            steps.append(both.argmin(axis=0))
            best = both.min(axis=0)
        found, end, after = np.zeros(size), size, 0.0
        for starts in reversed(steps):
            begin = int(starts[end])
            level = y[begin:end].mean()
            if end < size:
                found[end] = after - level
            found[begin], end, after = level, begin, level
        return found

    return solve


SOLVERS: dict[str, Callable[[GeneralProblem], Solve]] = {
    "ours": functions,
    "ours, JaxLoss": jax_loss,
    "ScopeSolver": _skscope("ScopeSolver"),
    "FobaSolver": _skscope("FobaSolver"),
    "OMPSolver": _skscope("OMPSolver"),
    "HTPSolver": _skscope("HTPSolver"),
    "GraspSolver": _skscope("GraspSolver"),
    "PDASSolver": _skscope("PDASSolver"),
    "IHTSolver": _skscope("IHTSolver"),
    "ForwardSolver": _skscope("ForwardSolver"),
    "optimum": optimum,
}
