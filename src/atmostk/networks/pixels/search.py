"""What the moves of a search share: the present block, how hard to look, and the changes they may try."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atmostk.networks.pixels.block import MOST_NUMBERS, Block, block_of
from atmostk.networks.pixels.clock import Clock
from atmostk.networks.pixels.gains import Gains, gains
from atmostk.networks.pixels.scene import Scene, smoothed
from atmostk.networks.pixels.stages import Stages

FIRST = 100  # images that a change is looked at on first
FOLD = 4  # and by how much their number grows
PASSED = 10  # times its pixels: about what an image costs a network that is passed through
CLEAR = 2.0  # standard errors by which a change must be behind to be dropped


@dataclass(frozen=True)
class Effort:
    """How hard to look. `images` are those of a block, `sloped` those that slopes are taken on."""

    images: int
    sloped: int
    shortlist: int
    leaving: int  # how many pixels of the support are tried for leaving, the cheapest first


@dataclass(eq=False)
class Search:
    """A block with its losses, and what is known of where to look."""

    scene: Scene
    stages: Stages | None
    effort: Effort
    clock: Clock
    rng: np.random.Generator
    temperature: float
    block: Block

    @staticmethod
    def begun(
        scene: Scene,
        stages: Stages | None,
        effort: Effort,
        clock: Clock,
        rng: np.random.Generator,
        signs: np.ndarray,
        temperature: float,
    ) -> Search:
        """A search from these signs, on images drawn from the scene; on fewer, where their activations are many."""
        numbers = PASSED * int(np.prod(scene.shape)) if stages is None else stages.numbers
        block = block_of(scene.draw(min(effort.images, max(1, MOST_NUMBERS // numbers)), rng), signs, stages)
        return Search(scene, stages, effort, clock, rng, temperature, block)

    @property
    def on(self) -> np.ndarray:
        """The pixels of the support."""
        return np.flatnonzero(self.block.signs.any(axis=1))

    def losses(self) -> np.ndarray:
        """Of every image of the block as it stands."""
        return self.smoothed(self.block.margins())

    def gains(self) -> Gains:
        """First-order gains where the block stands, on a part of its images."""
        images = self.block.scene.images
        first = 0
        if len(images) > self.effort.sloped:
            first = int(self.rng.integers(len(images) - self.effort.sloped + 1))
        part = self.block.scene.part(slice(first, first + self.effort.sloped))
        return gains(part, self.block.signs, self.temperature)

    def cheapest(self, pixels: np.ndarray, count: int) -> np.ndarray:
        """Those of the pixels whose leaving would cost least, by their slopes."""
        cost = self.gains().staying.sum(axis=1)[pixels]
        return pixels[np.argsort(cost, kind="stable")[:count]]

    def race(
        self,
        pixels: np.ndarray,
        signs: np.ndarray,
        *,
        keep: int = 1,
        below: np.ndarray | None = None,
        leaving: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which changes are the best, best first, and the losses of each of them: (changes), (changes, images).

        All are looked at on a few images, those that are not clearly behind on more, the last of them on all; with
        `leaving`, as if that pixel had been given back first. Those that are clearly not `below` these losses are
        dropped too, so that there may be none left.
        """
        total = len(self.block.scene.images)
        alive = np.arange(len(pixels))
        seen = np.empty((len(pixels), 0), np.float32)
        first, last = 0, min(FIRST, total)
        while len(alive) and first < total:
            part = slice(first, last)
            fresh = self.smoothed(self.block.after(pixels[alive], signs[alive], part, leaving=leaving))
            seen = np.concatenate([seen, fresh], axis=1)
            order = np.argsort(seen.mean(axis=1), kind="stable")
            leader = seen[order[min(keep, len(order)) - 1]]
            good = ~_clearly_above(seen, leader)
            if below is not None:
                good &= ~_clearly_above(seen, below[:last])
            if last == total:
                good &= np.isin(np.arange(len(alive)), order[:keep])
            alive, seen = alive[good], seen[good]
            first, last = last, min(FOLD * last, total)
        order = np.argsort(seen.mean(axis=1), kind="stable")[:keep]
        return alive[order], seen[order]

    def smoothed(self, margins: np.ndarray) -> np.ndarray:
        return smoothed(margins, self.scene.unit * self.temperature)


def _clearly_above(losses: np.ndarray, rival: np.ndarray) -> np.ndarray:
    """Of which rows the mean is above the rival's by more than chance would have it."""
    apart = losses - rival
    error = apart.std(axis=1) / np.sqrt(max(1, losses.shape[1]))
    return apart.mean(axis=1) > CLEAR * error
