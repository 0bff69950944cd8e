"""From one number of pixels to another: exact elimination downwards, exact greedy growth upwards."""

from __future__ import annotations

import numpy as np

from atmostk.networks.pixels.search import Search
from atmostk.networks.pixels.shortlist import shortlist

STALE = 12  # of the cheapest pixels, how many are looked at anew before the next one leaves
RENEWED = 6  # after so many, all are looked at anew
RENEWED_SHARE = 16  # or after this part of the support, where that is more
DEAR = 30  # pixels above which a network that has to be passed through is asked for slopes alone,
SLICE = 0.85  # of which so many stay each time
GLANCE = 200  # on so many images


def eliminate(search: Search, count: int) -> None:
    """Let pixels leave, always the one whose leaving costs least, until so many are left.

    What the leaving of the others costs changes little when one has left: only the cheapest are looked at again.
    """
    channels = search.block.signs.shape[1]
    known: dict[int, float] = {}
    left = 0
    while len(on := search.on) > count:
        if search.clock.over or (search.stages is None and len(on) > DEAR):
            fewer = count if search.clock.over else max(count, DEAR, int(SLICE * len(on)))
            cheap = search.cheapest(on, len(on) - fewer)
            search.block.change_all(cheap, np.zeros((len(cheap), channels), np.int8))
            continue
        if len(known) != len(on) or left % max(RENEWED, len(on) // RENEWED_SHARE) == 0:
            after = search.block.after(on, np.zeros((len(on), channels), np.int8), slice(0, GLANCE))
            known = dict(zip(on.tolist(), search.smoothed(after).mean(axis=1).tolist(), strict=True))
        near = np.array(sorted(known, key=known.__getitem__)[:STALE])
        order, _ = search.race(near, np.zeros((len(near), channels), np.int8))
        leaving = int(near[order[0]])
        search.block.change(leaving, np.zeros(channels, np.int8))
        known.pop(leaving)
        left += 1


def grow(search: Search, count: int, barred: np.ndarray | None = None) -> None:
    """Let pixels enter, always the one of a shortlist that helps most, until so many are there or none helps."""
    while len(search.on) < count and not search.clock.over:
        free = search.scene.room.allowed & ~search.block.signs.any(axis=1)
        if barred is not None:
            free &= ~barred
        pixels, signs = shortlist(search.gains(), free, search.effort.shortlist)
        if not len(pixels):
            return
        order, _ = search.race(pixels, signs)
        best = order[0]
        search.block.change(int(pixels[best]), signs[best])
