"""One search after the other over growing budgets, each started from the last."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from atmostk.estimators.linear_search import Found, LinearSearch
from atmostk.minimize import Result
from atmostk.stopping import Stop

EVERY = 32  # rungs are one apart up to here, a tenth of their height beyond
NOW = 1e-9  # seconds: one step, because a search begins with one


def rungs(highest: int) -> Iterator[int]:
    """The budgets on the way to `highest`, the same for everyone on the way to anywhere.

    >>> list(rungs(40))[-5:]
    [30, 31, 32, 35, 38]
    """
    rung = 1
    while rung <= highest:
        yield rung
        rung += max(1, rung // 10) if rung >= EVERY else 1


def climbed(
    search: LinearSearch, budgets: Iterable[int], *, kicks: int, seed: int, alone: bool = True,
    max_seconds: float | None = None,
) -> list[Found]:  # fmt: skip
    """The models with these budgets, ascending.

    Each is the better of two: the search for this budget alone, with its kicks (where `alone`), and the exchange
    started from the rung below. So it is never worse than alone, and does not depend on which others were asked for.
    """
    clock = Clock(max_seconds)
    found, below = [], None
    climbing = rungs(max(budgets, default=0))
    height = next(climbing, None)
    for budget in sorted(set(budgets)):
        while height is not None and height < budget:
            if height > search.rules.kept:
                below = _step(search, height, below, clock)
            height = next(climbing, None)
        best = step = _step(search, budget, below, clock)
        if height == budget:
            below, height = step, next(climbing, None)
        if alone and not clock.over:
            own = search.run(budget, kicks=kicks, seed=seed, max_seconds=clock.left)
            clock.watch(own)
            best = own if own.value <= step.value else step
        found.append(search.found(budget, best, proved=alone))
    if clock.ended is not None:
        return [replace(one, result=replace(one.result, stop=clock.ended)) for one in found]
    return found


def _step(search: LinearSearch, budget: int, below: Result | None, clock: Clock) -> Result:
    step = search.run(budget, kicks=0, seed=0, max_seconds=clock.left, start=None if below is None else below.x)
    clock.watch(step)
    return step


class Clock:
    """The time that all searches share; the first one that does not end by itself ends all."""

    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.perf_counter() + seconds
        self._seconds = seconds
        self.ended: Stop | None = None

    @property
    def over(self) -> bool:
        """Whether it is time to end."""
        return self.ended is not None

    @property
    def left(self) -> float | None:
        """The seconds that are left, None for any number."""
        if self.over:
            return NOW
        return None if self._until is None else max(NOW, self._until - time.perf_counter())

    def watch(self, result: Result) -> None:
        """Take note of how a search ended."""
        if self.ended is None and not result.stop.converged:
            interrupted = "interrupted" in result.stop.reason
            self.ended = result.stop if interrupted else Stop(f"{self._seconds:g} seconds were over.", False)
