"""The front-end of the attack: one perturbation of at most K pixels that fools a network on a whole data set."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from atmostk.arrays import Array
from atmostk.networks.images import check_classes, read_images
from atmostk.networks.models import ready
from atmostk.networks.perturbation import Perturbation
from atmostk.networks.pixels.clock import Clock
from atmostk.networks.pixels.recipe import Recipe, solve
from atmostk.networks.pixels.room import Room, laid_out
from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.search import Effort
from atmostk.networks.pixels.stages import stages_of
from atmostk.networks.threads import torch_threads

CHOOSING = 2000  # images on which answers are chosen; never more than a third
LEAD = 11.5  # units of the loss by which a network's best logit leads the second, halfway through the images


@dataclass(frozen=True)
class SparseAttack:
    """Find at most `at_most` pixels, the same for every image, whose change makes a network take them for `target`.

    `target=None` asks for any wrong class. A colour pixel is one unit of the budget whatever its channels. `amplitude`
    bounds how far a value may move (None: as far as the box from `low` to `high` lets it), `mask` says which pixels may
    change. `fast=True` makes one start and no kicks: a quarter of the time, for a somewhat weaker attack. The same
    seed gives the same perturbation, unless `max_seconds` or Ctrl-C ends the search first; what it then has is the
    answer.

    >>> images = torch.rand(60, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
    >>> SparseAttack(at_most=2, target=1).fit(network, images, torch.arange(60) % 3)
    Perturbation(2 of 4 x 4 pixels, target 1)
    """

    at_most: int = 25
    target: int | None = None
    amplitude: float | None = None
    mask: Array | None = None
    batch_size: int = 250
    seed: int = 0
    low: float = 0.0
    high: float = 1.0
    fast: bool = False
    starts: int | None = None
    kicks: int | None = None
    max_seconds: float | None = None
    threads: int = 1

    def fit(self, model: Any, images: Any, labels: Any = None) -> Perturbation:
        """The perturbation found on these images: tensors, arrays, or a DataLoader of images and labels.

        `model` gives logits for images of shape (N, channels, height, width): a `torch.nn.Module`, or any function
        that autograd can go through. It is left as it was.
        """
        return self.path([self.at_most], model, images, labels)[self.at_most]

    def path(self, counts: Sequence[int], model: Any, images: Any, labels: Any = None) -> dict[int, Perturbation]:
        """A perturbation for each number of pixels, for little more than the largest costs alone.

        found = SparseAttack(target=5).path([5, 10, 25], network, images, labels)
        found[10].evaluate(network, test_images, test_labels).hit
        """
        self._check()
        x, y = read_images(images, labels, low=self.low, high=self.high)
        _, height, width = (int(size) for size in x.shape[1:])
        allowed = self._allowed(height, width)
        counts = _checked_counts(counts, allowed, self.mask is not None)
        rng = np.random.default_rng(self.seed)
        clock = Clock(self.max_seconds)
        room = Room(self.low, self.high, self._amplitude(), allowed)
        with clock.heeding_interrupts(), torch_threads(self.threads), ready(model) as logits:
            with torch.no_grad():
                classes = logits(x[:2]).shape[1]
            check_classes(y, classes, self.target)
            searched, chosen = self._split(Scene(model, logits, x, y, self.target, room), rng)
            stages = stages_of(searched)
            unit = _lead(chosen) / LEAD
            searched, chosen = replace(searched, unit=unit), replace(chosen, unit=unit)
            recipe = self._recipe(local=stages is not None)
            found = solve(searched, chosen, stages, counts, recipe, clock, rng)
        if clock.interrupted:
            warnings.warn("SparseAttack was interrupted: what it has is the best so far.", stacklevel=2)
        return {count: self._answer(found[count], searched.shape) for count in counts}

    def _answer(self, signs: np.ndarray, shape: tuple[int, ...]) -> Perturbation:
        delta = (laid_out(signs, shape) * self._amplitude()).numpy()
        return Perturbation(delta, self.low, self.high, self.target)

    def _amplitude(self) -> float:
        room = self.high - self.low
        return room if self.amplitude is None else min(float(self.amplitude), room)

    def _recipe(self, *, local: bool) -> Recipe:
        """Where a change costs a pass through the whole network, fewer are tried on fewer images."""
        if self.fast:
            effort = Effort(450, 200, 16, 20) if local else Effort(250, 250, 8, 4)
            polished, sweeps, warm, batches = 2, 2, (2.0,), 30
        else:
            effort = Effort(600, 200, 24, 50) if local else Effort(400, 250, 8, 6)
            polished, sweeps, warm, batches = 3, 4, (2.0, 4.0), 30
        starts = self.starts if self.starts is not None else 1 if self.fast else 2
        kicks = self.kicks if self.kicks is not None else 0 if self.fast else 7 if local else 2
        return Recipe(starts, polished, sweeps, warm, kicks, batches, self.batch_size, effort)

    def _split(self, scene: Scene, rng: np.random.Generator) -> tuple[Scene, Scene]:
        """Images to search on and images to choose on; no image is both, unless there is only one."""
        labels = scene.labels.numpy()
        places = np.flatnonzero(labels != self.target) if self.target is not None else np.arange(len(labels))
        if not len(places):
            raise ValueError(f"every image is of class {self.target}, the target: give images of other classes too.")
        places = rng.permutation(places)
        count = min(CHOOSING, len(places) // 3)
        if count == 0:
            return scene.part(places), scene.part(places)
        return scene.part(places[count:]), scene.part(places[:count])

    def _allowed(self, height: int, width: int) -> np.ndarray:
        if self.mask is None:
            return np.ones(height * width, bool)
        mask = np.asarray(self.mask)
        if mask.shape != (height, width):
            raise ValueError(f"the mask has shape {mask.shape}: it must be that of an image, ({height}, {width}).")
        return mask.astype(bool).ravel()

    def _check(self) -> None:
        for name in ("batch_size", "starts"):
            number = getattr(self, name)
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise ValueError(f"{name}={number!r}: it must be a whole number of 1 or more.")
        if self.kicks is not None and (
            isinstance(self.kicks, bool) or not isinstance(self.kicks, int) or self.kicks < 0
        ):
            raise ValueError(f"kicks={self.kicks!r}: it must be a whole number of 0 or more.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"the box from low={self.low} to high={self.high} is empty or endless.")
        if self.amplitude is not None and not (math.isfinite(self.amplitude) and self.amplitude > 0):
            raise ValueError(f"amplitude={self.amplitude}: it must be a number above 0, or None.")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise ValueError(f"max_seconds={self.max_seconds}: it must be a number above 0, or None.")


def _lead(scene: Scene) -> float:
    """By how much the best logit leads the second in the middle of the images: networks differ in their scales."""
    with torch.no_grad():
        best = scene.logits(scene.images[:500]).topk(2, dim=1).values
    return max(float((best[:, 0] - best[:, 1]).median()), 1e-6)


def _checked_counts(counts: Sequence[int], allowed: np.ndarray, masked: bool) -> list[int]:
    if not len(counts):
        raise ValueError("counts is empty: give at least one number of pixels.")
    there = int(allowed.sum())
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"at_most={count!r}: it must be a whole number of 1 or more.")
        if count > there:
            told = f"the mask allows {there} pixels" if masked else f"an image has {there} pixels"
            raise ValueError(f"at_most={count}: {told}, so it must be at most that.")
    return [int(count) for count in counts]
