"""The whole search: several starts, elimination and growth, exchanges and kicks, the best by images not searched on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from atmostk.networks.pixels.clock import Clock
from atmostk.networks.pixels.exchange import exchange
from atmostk.networks.pixels.kicks import kick
from atmostk.networks.pixels.remember import remember, strongest
from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.search import Effort, Search
from atmostk.networks.pixels.sizes import eliminate, grow
from atmostk.networks.pixels.stages import Stages

WIDER = 2  # times the largest K: where elimination begins
WARM = 2.0  # the loss's temperature while pixels leave
LEAST = 100  # and at least from so many pixels
SMALL = 30  # up to so many pixels, growing from nothing can find a better start


USUAL = 25  # pixels, for which a recipe says how many kicks
RENEWED = 5  # kicks on the same images; then others are drawn


@dataclass(frozen=True)
class Recipe:
    """What a search is made of: how many starts and kicks, batches to remember, and how hard each move looks."""

    starts: int
    polished: int  # how many of the starts for a number of pixels are led to their end by exchanges
    sweeps: int
    warm: tuple[float, ...]  # temperatures of the loss at which a start is grown from nothing
    kicks: int
    batches: int
    batch_size: int
    effort: Effort


def solve(
    searched: Scene,
    chosen: Scene,
    stages: Stages | None,
    counts: Sequence[int],
    recipe: Recipe,
    clock: Clock,
    rng: np.random.Generator,
) -> dict[int, np.ndarray]:
    """Signs for each number of pixels: moves are judged on images of `searched`, answers on those of `chosen`."""
    known = _Answers(chosen)
    for start in range(recipe.starts):
        if start == 0 or not clock.over:
            warm = recipe.warm if start == 0 else ()  # growing finds the same again, remembering does not
            _start(searched, stages, counts, replace(recipe, warm=warm), clock, rng, known)

    def begun(signs: np.ndarray, temperature: float) -> Search:
        return Search.begun(searched, stages, recipe.effort, clock, rng, signs, temperature)

    previous: np.ndarray | None = None
    for count in sorted(counts, reverse=True):
        if previous is not None and not clock.over:
            search = begun(previous, WARM)
            eliminate(search, count)
            known.offer(count, search.block.signs)
        # What looks worse at the start is often better in the end: several are led there before one is chosen.
        for signs in known.starts(count, recipe.polished):
            if clock.over:
                break
            search = begun(signs, 1.0)
            exchange(search, recipe.sweeps)
            known.offer(count, search.block.signs)
        _kicked(begun, count, recipe, clock, known)
        previous = known.best[count]
    return known.best


def _kicked(
    begun: Callable[[np.ndarray, float], Search], count: int, recipe: Recipe, clock: Clock, known: _Answers
) -> None:
    """Kicks from the best so far, each few of them on other images."""
    # A kick costs as its pixels do.
    kicks = round(recipe.kicks * math.sqrt(USUAL / count))
    for done in range(0, kicks, RENEWED):
        if clock.over:
            break
        search = begun(known.best[count], 1.0)
        for _ in range(min(RENEWED, kicks - done)):
            if clock.over or not kick(search):
                continue
            known.offer(count, search.block.signs)


def _start(
    searched: Scene,
    stages: Stages | None,
    counts: Sequence[int],
    recipe: Recipe,
    clock: Clock,
    rng: np.random.Generator,
    known: _Answers,
) -> None:
    wide = min(max(WIDER * max(counts), LEAST), int(searched.room.allowed.sum()))
    memory = remember(searched, wide, recipe.batches, recipe.batch_size, rng, clock)
    for count in counts:
        known.offer(count, strongest(memory, searched.room.allowed, count), start=False)
    if clock.over:
        return
    signs = strongest(memory, searched.room.allowed, wide)
    search = Search.begun(searched, stages, recipe.effort, clock, rng, signs, WARM)
    for count in sorted(counts, reverse=True):
        eliminate(search, count)
        known.offer(count, search.block.signs)
    small = sorted(count for count in counts if count <= SMALL)
    for temperature in recipe.warm if small else ():
        search = Search.begun(searched, stages, recipe.effort, clock, rng, np.zeros_like(signs), temperature)
        for count in small:
            grow(search, count)
            if not clock.over:
                known.offer(count, search.block.signs)


class _Answers:
    """The best signs for each number of pixels, by their loss on the images kept for choosing; and all the starts."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.best: dict[int, np.ndarray] = {}
        self.loss: dict[int, float] = {}
        self.offered: dict[int, list[tuple[float, np.ndarray]]] = {}

    def offer(self, count: int, signs: np.ndarray, *, start: bool = True) -> None:
        """Keep these signs, if they are better; and remember them as a place to start from."""
        loss = float(self.scene.losses(signs).mean())
        if start:
            self.offered.setdefault(count, []).append((loss, signs.copy()))
        if loss < self.loss.get(count, np.inf):
            self.best[count], self.loss[count] = signs.copy(), loss

    def starts(self, count: int, most: int) -> list[np.ndarray]:
        """The best of what was offered so far."""
        ranked = sorted(self.offered.get(count, []), key=lambda pair: pair[0])
        return [signs for _, signs in ranked[:most]]
