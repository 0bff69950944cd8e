"""The whole search: several starts, elimination and growth, exchanges and kicks, the best by images not searched on."""

from __future__ import annotations

from collections.abc import Sequence
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
LEAST = 100  # and at least from so many pixels
SMALL = 30  # up to so many pixels, growing from nothing can find a better start


@dataclass(frozen=True)
class Recipe:
    """What a search is made of: how many starts and kicks, batches to remember, and how hard each move looks."""

    starts: int
    sweeps: int
    warm: tuple[float, ...]  # temperatures of the loss while starts are made
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
            _start(searched, stages, counts, recipe, clock, rng, known)
    previous: np.ndarray | None = None
    for count in sorted(counts, reverse=True):
        if clock.over:
            break
        if previous is not None:
            search = Search.begun(searched, stages, recipe.effort, clock, rng, previous, recipe.warm[0])
            eliminate(search, count)
            known.offer(count, search.block.signs)
        search = Search.begun(searched, stages, recipe.effort, clock, rng, known.best[count], 1.0)
        exchange(search, recipe.sweeps)
        known.offer(count, search.block.signs)
        for _ in range(recipe.kicks):
            if clock.over:
                break
            kick(search, 2)
        known.offer(count, search.block.signs)
        previous = known.best[count]
    return known.best


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
        known.offer(count, strongest(memory, searched.room.allowed, count))
    if clock.over:
        return
    signs = strongest(memory, searched.room.allowed, wide)
    effort = replace(recipe.effort, images=max(100, recipe.effort.images // 2))
    search = Search.begun(searched, stages, effort, clock, rng, signs, recipe.warm[0])
    for count in sorted(counts, reverse=True):
        eliminate(search, count)
        known.offer(count, search.block.signs)
    small = sorted(count for count in counts if count <= SMALL)
    for temperature in recipe.warm if small else ():
        search = Search.begun(searched, stages, effort, clock, rng, np.zeros_like(signs), temperature)
        for count in small:
            grow(search, count)
            if not clock.over:
                known.offer(count, search.block.signs)


class _Answers:
    """The best signs for each number of pixels, by their loss on the images that are kept for choosing."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.best: dict[int, np.ndarray] = {}
        self.loss: dict[int, float] = {}

    def offer(self, count: int, signs: np.ndarray) -> None:
        loss = float(self.scene.losses(signs).mean())
        if loss < self.loss.get(count, np.inf):
            self.best[count], self.loss[count] = signs.copy(), loss
