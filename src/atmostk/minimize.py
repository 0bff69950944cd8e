"""The one loop: start, step, stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from atmostk import arrays
from atmostk import checkpoint as checkpoints
from atmostk.problem import Problem
from atmostk.progress import shown
from atmostk.run import History, Run
from atmostk.stopping import Rule, Stop

Array = Any
StateT = TypeVar("StateT")


class Solver(Protocol[StateT]):
    """An algorithm: hyperparameters, a way to start and a way to go on.

    A state is a frozen dataclass with at least x, support, value, exact (whether `value` was taken on the whole data),
    rows (evaluated so far) and finished (None, or the sentence with which the solver itself ends the run).
    """

    State: ClassVar[type]
    Record: ClassVar[type]
    ends_itself: ClassVar[bool]

    def start(self, problem: Problem, x0: Array, rng: np.random.Generator, /) -> StateT:
        """The state before the first step."""
        ...

    def step(self, state: StateT, problem: Problem, rng: np.random.Generator, /) -> tuple[StateT, Any]:
        """The state after one more step, and what happened in it."""
        ...


@dataclass(frozen=True)
class Result:
    """The answer of a run.

    `value` is the objective at `x` on the whole data: for endless data on the sampler's evaluation rows; where Ctrl-C
    cut that evaluation short, the last estimate.

    >>> from atmostk import IHT, AtMost
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> problem = Problem(SquaredError(), Rows(np.eye(3), np.array([3.0, 1.0, 2.0])), AtMost(1))
    >>> result = minimize(problem, IHT(), np.zeros(3))
    >>> result.support, result.stop.converged, result.history[-1].value == result.value
    (array([0]), True, True)
    """

    x: Array
    support: np.ndarray
    value: float
    stop: Stop
    history: History
    state: Any
    seconds: float

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.history)


def minimize(
    problem: Problem,
    solver: Any,
    x0: Array,
    *,
    stop: Sequence[Rule] | Rule = (),
    seed: int = 0,
    callbacks: Sequence[Callable[[Run], object]] = (),
    progress: bool = False,
    checkpoint: str | Path | None = None,
    every: int = 100,
) -> Result:
    """Minimise until a rule says why to stop, the solver has finished, or Ctrl-C is pressed.

    With `checkpoint` the run is saved to that file every so many steps, and at its end; the same call made again
    goes on from there and ends as it would have without the interruption. `callbacks` are called with the `Run`
    after each step.

    >>> import numpy as np
    >>> from atmostk import AtMost, PIHT, Problem, minimize
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> from atmostk.stopping import after_steps
    >>> problem = Problem(SquaredError(), Rows(np.eye(3), np.array([3.0, 1.0, 2.0])), AtMost(1))
    >>> result = minimize(problem, PIHT(), np.zeros(3), stop=after_steps(40))
    >>> result.support, result.stop.reason
    (array([0]), '40 steps were made.')
    """
    rules = (stop,) if callable(stop) else tuple(stop)
    _check(problem, solver, x0, rules, seed, checkpoint, every)
    rng = np.random.default_rng(seed)
    run = Run(problem, solver, solver.start(problem, x0, rng))
    file = Path(checkpoint) if checkpoint is not None else None
    of_run = checkpoints.fingerprint(run, x0, seed) if file is not None else ""
    if file is not None and file.exists():
        run, rng.bit_generator.state = checkpoints.load(file, run, of_run)

    with shown(progress) as show:
        ended = _go_on(run, rules, rng, (*callbacks, *show), file, of_run, every)

    state = run.state
    return Result(state.x, state.support, _value(problem, state), ended, run.history, state, run.seconds)


def _go_on(
    run: Run,
    rules: tuple[Rule, ...],
    rng: np.random.Generator,
    callbacks: Sequence[Callable[[Run], object]],
    file: Path | None,
    of_run: str,
    every: int,
) -> Stop:
    """Step until there is a reason not to."""
    begun = time.perf_counter() - run.seconds
    # What holds together: Ctrl-C may come between any two statements below, this name changes in one.
    settled = (run.state, run.seconds, run.steps, rng.bit_generator.state)
    saved = -1

    def save() -> None:
        nonlocal saved
        if file is not None and saved != settled[2]:
            checkpoints.save(file, run, settled[3], of_run)
            saved = settled[2]

    try:
        while True:
            ended = _reason(run, rules)
            if ended is not None:
                break
            run.state, record = run.solver.step(run.state, run.problem, rng)
            run.seconds = time.perf_counter() - begun
            run.history.add(record, run.seconds)
            settled = (run.state, run.seconds, run.steps, rng.bit_generator.state if file is not None else {})
            if run.steps % every == 0:
                save()
            for callback in callbacks:
                callback(run)
    except KeyboardInterrupt:
        run.state, run.seconds = settled[:2]
        run.history.cut(settled[2])
        ended = Stop(f"it was interrupted after {run.steps} steps; this is the best point so far.", False)
    save()
    return ended


def _value(problem: Problem, state: Any) -> float:
    """The objective at the end: known already, or one pass over the data, which Ctrl-C cuts short."""
    if state.exact:
        return float(state.value)
    try:
        return float(problem.value(state.x))
    except KeyboardInterrupt:
        return float(state.value)


def _reason(run: Run, rules: tuple[Rule, ...]) -> Stop | None:
    if run.state.finished is not None:
        return Stop(f"{run.solver.__class__.__name__} finished: {run.state.finished}.", True)
    for rule in rules:
        reason = rule(run)
        if reason is not None:
            return reason
    return None


def _check(
    problem: Problem,
    solver: Any,
    x0: Array,
    rules: tuple[Rule, ...],
    seed: int,
    checkpoint: str | Path | None,
    every: int,
) -> None:
    if not isinstance(problem, Problem):
        raise TypeError(f"minimize needs a Problem, not a {type(problem).__name__}.")
    for word in ("start", "step", "Record"):
        if not hasattr(solver, word) or isinstance(solver, type):
            raise TypeError(f"{solver!r} is no solver: it needs start, step and Record, as PIHT() has.")
    if not rules and not solver.ends_itself:
        raise ValueError(
            f"{type(solver).__name__} never ends by itself: give it stop=[after_steps(1000)] or another rule."
        )
    for rule in rules:
        if not callable(rule):
            raise TypeError(
                f"stop holds {rule!r}, which is no rule: take one from atmostk.stopping, such as after_steps(1000)."
            )
    if isinstance(every, bool) or every < 1:
        raise ValueError(f"every={every!r}: checkpoints are saved every so many steps, 1 or more.")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"seed={seed!r}: it must be a whole number of 0 or more.")
    if checkpoint is not None and Path(checkpoint).is_dir():
        raise ValueError(f"checkpoint={str(checkpoint)!r} is a folder: name a file in it.")
    if checkpoint is not None and not Path(checkpoint).parent.is_dir():
        raise FileNotFoundError(
            f"checkpoint={str(checkpoint)!r}: there is no folder {str(Path(checkpoint).parent)!r}, make it first."
        )
    if not hasattr(x0, "shape") or not hasattr(x0, "dtype"):
        raise TypeError(f"x0 is a {type(x0).__name__}: it must be an array, such as np.zeros(10).")
    if getattr(x0.dtype, "kind", "f") not in "fiub" or len(x0.shape) == 0:
        raise TypeError(f"x0 holds {x0.dtype} in shape {tuple(x0.shape)}: it must be an array of real numbers.")
    if not arrays.is_finite(x0):
        raise ValueError("x0 holds NaN or infinity: start from finite numbers, such as zeros.")
    problem.check(x0)
