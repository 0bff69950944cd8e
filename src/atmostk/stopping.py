"""When to stop: a rule returns its reason, or None to go on.

A rule is any function of the `Run`; the ones here are made from the numbers that people have in mind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atmostk.certificate import certify

if TYPE_CHECKING:
    from atmostk.run import Run


@dataclass(frozen=True)
class Stop:
    """Why a run ended, as a sentence, and whether that means that it had arrived.

    A rule of one's own returns it, as this one for when a file appears:

    >>> from pathlib import Path
    >>> rule = lambda run: Stop("somebody asked for it.", False) if Path("stop").exists() else None
    """

    reason: str
    converged: bool


Rule = Callable[["Run"], Stop | None]


def after_steps(steps: int) -> Rule:
    """Stop after so many steps.

    >>> rule = after_steps(1000)
    """
    _check("after_steps", steps, whole=True)
    return lambda run: Stop(f"{run.steps} steps were made.", False) if run.steps >= steps else None


def after_rows(rows: float) -> Rule:
    """Stop once so many rows have been evaluated (a gradient over 100 rows counts 100).

    >>> rule = after_rows(1e9)
    """
    _check("after_rows", rows)
    return lambda run: Stop(f"{run.state.rows} rows were evaluated.", False) if run.state.rows >= rows else None


def after_seconds(seconds: float) -> Rule:
    """Stop after so many seconds; time before an interruption counts in a resumed run.

    >>> rule = after_seconds(60)
    """
    _check("after_seconds", seconds)
    return lambda run: Stop(f"{seconds:g} seconds were over.", False) if run.seconds >= seconds else None


def radius_below(radius: float) -> Rule:
    """Stop when the radius, and with it every further step, is shorter than this. The theorem says that it tends to
    zero.

    >>> rule = radius_below(1e-6)
    """
    _check("radius_below", radius)

    def rule(run: Run) -> Stop | None:
        now = getattr(run.state, "radius", math.inf)
        return Stop(f"the radius fell to {now:.3g}, below {radius:g}.", True) if now < radius else None

    return rule


def no_progress(steps: int, *, least: float = 1e-6) -> Rule:
    """Stop when the best value has not fallen by `least` of itself over so many steps.

    >>> rule = no_progress(50)
    """
    _check("no_progress", steps, whole=True)

    def rule(run: Run) -> Stop | None:
        if run.steps <= steps:
            return None
        values = run.history.column("value")
        earlier, later = _least(values[: -int(steps)]), _least(values[-int(steps) :])
        if earlier - later > least * abs(earlier):
            return None
        return Stop(f"the best value did not fall by {least:g} of itself over {steps} steps.", False)

    return rule


def certified(slope: float, *, every: int = 100) -> Rule:
    """Stop when, on the whole data, the gradient that the constraint leaves free is at most `slope`; looked at every
    so many steps.

    >>> rule = certified(1e-3)
    """
    _check("certified", slope)
    _check("certified", every, whole=True)

    def rule(run: Run) -> Stop | None:
        if run.steps == 0 or run.steps % every:
            return None
        certificate = certify(run.problem, run.state.x, tolerance=slope)
        if not certificate.basic_feasible:
            return None
        return Stop(f"the gradient on the support fell to {certificate.slope:.3g} on the whole data.", True)

    return rule


def _least(values: list[float]) -> float:
    return min((value for value in values if value == value), default=math.inf)


def _check(name: str, number: float, whole: bool = False) -> None:
    if isinstance(number, bool) or not number > 0 or (whole and number != int(number)):
        raise ValueError(f"{name}({number!r}): it takes a {'whole ' * whole}number above 0.")
