"""Out of a dead end: a part of the support is taken away, grown anew and exchanged; kept when that is lower."""

from __future__ import annotations

import numpy as np

from atmostk.networks.pixels.exchange import exchange
from atmostk.networks.pixels.search import Search
from atmostk.networks.pixels.sizes import grow

SHARE = (0.15, 0.35)  # of the support
MOST = 20  # pixels: each has to be found again
SURE = 0.3
LEAVING = 10  # pixels that are tried for an exchange afterwards: what a kick is good for shows early


def kick(search: Search) -> bool:
    """One kick; whether it was kept. Pixels near each other, or any; half of them may not come back at once."""
    rng, block = search.rng, search.block
    before, signs = search.losses(), block.signs.copy()
    on = search.on
    count = min(len(on), MOST, max(2, round(rng.uniform(*SHARE) * len(on))))
    if rng.random() < 0.5:
        width = search.scene.shape[2]
        centre = rng.choice(on)
        away = (on // width - centre // width) ** 2 + (on % width - centre % width) ** 2
        dropped = on[np.argsort(away, kind="stable")[:count]]
    else:
        dropped = rng.choice(on, count, replace=False)
    block.change_all(dropped, np.zeros_like(signs[dropped]))
    barred = np.zeros(len(signs), bool)
    barred[dropped[rng.random(count) < 0.5]] = True
    grow(search, len(on), barred)
    exchange(search, 1, LEAVING)
    fell = before - search.losses()
    same = np.array_equal(block.signs, signs)  # back where it was, but for rounding
    if not same and len(search.on) == len(on) and fell.mean() > SURE * fell.std() / np.sqrt(len(fell)):
        return True
    changed = np.flatnonzero((block.signs != signs).any(axis=1))
    block.change_all(changed, signs[changed])
    return False
