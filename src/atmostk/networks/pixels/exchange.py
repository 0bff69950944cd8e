"""One pixel leaves, another enters: pairs judged by exact losses, accepted when they lower the loss beyond chance."""

from __future__ import annotations

import numpy as np

from atmostk.networks.pixels.gains import Gains
from atmostk.networks.pixels.search import Search
from atmostk.networks.pixels.shortlist import Changes, beside, shortlist, unique

SURE = 0.5  # standard errors of the paired decrease: a step back now and then costs less than standing still


def exchange(search: Search, sweeps: int, leaving: int | None = None) -> int:
    """Try pixels of the support for leaving, the cheapest first, until none can be exchanged; how many were.

    `leaving` says how many are tried in a sweep, where that is not what the search's effort says.
    """
    done = 0
    for _ in range(sweeps):
        made = _sweep(search, leaving or search.effort.leaving)
        done += made
        if not made or search.clock.over:
            break
    return done


def _sweep(search: Search, leaving: int) -> int:
    channels = search.block.signs.shape[1]
    before = search.losses()
    on = search.on
    if search.stages is None:
        on = search.cheapest(on, 2 * leaving)  # by slopes: a look at all would be too many passes
    leave, _ = search.race(on, np.zeros((len(on), channels), np.int8), keep=min(len(on), leaving))
    found = search.gains()
    made = 0
    for pixel in on[leave].tolist():
        if search.clock.over:
            break
        pixels, signs = _entering(search, found, pixel)
        order, losses = search.race(pixels, signs, below=before, leaving=pixel)
        if len(order) and _lower(before, losses[0]):
            search.block.change(pixel, np.zeros(channels, np.int8))
            search.block.change(int(pixels[order[0]]), signs[order[0]])
            before = losses[0]
            made += 1
    return made


def _entering(search: Search, found: Gains, left: int) -> Changes:
    """A shortlist by slopes, the neighbours of what leaves with its signs, and itself the other way round."""
    free = search.scene.room.allowed & ~search.block.signs.any(axis=1)
    old = search.block.signs[left]
    pixels, signs = shortlist(found, free, search.effort.shortlist)
    _, height, width = search.scene.shape
    near = beside(left, height, width)
    near = near[free[near]]
    pixels = np.concatenate([pixels, near, [left]])
    return unique(pixels, np.concatenate([signs, np.tile(old, (len(near), 1)), -old[None]]))


def _lower(before: np.ndarray, after: np.ndarray) -> bool:
    fell = before - after
    return bool(fell.mean() > SURE * fell.std() / np.sqrt(len(fell)))
