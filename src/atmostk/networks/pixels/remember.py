"""The first support: signed gains remembered over many small batches, the K largest kept."""

from __future__ import annotations

import numpy as np

from atmostk.networks.pixels.clock import Clock
from atmostk.networks.pixels.gains import gains
from atmostk.networks.pixels.scene import Scene

DECAY = 0.9
TEMPERATURE = 2.0


def remember(
    scene: Scene, count: int, batches: int, batch_size: int, rng: np.random.Generator, clock: Clock
) -> np.ndarray:
    """What is remembered of each channel of each pixel, (pixels, channels): `strongest` makes signs of it.

    One noisy batch ranks pixels badly, many rank them well: a decayed sum of first-order gains, each counted towards
    the sign that it speaks for, under the `count` pixels that are the strongest so far.
    """
    memory = np.zeros((scene.room.allowed.size, scene.shape[0]), np.float32)
    for batch in range(batches):
        if batch and clock.over:
            break
        signs = strongest(memory, scene.room.allowed, count)
        found = gains(scene.draw(batch_size, rng), signs, TEMPERATURE)
        said = np.where(signs != 0, signs * found.staying, np.where(found.up >= found.down, found.up, -found.down))
        memory = DECAY * memory + (1 - DECAY) * said
    return memory


def strongest(memory: np.ndarray, allowed: np.ndarray, count: int) -> np.ndarray:
    """Signs for the allowed pixels of which most is remembered; fewer, where there is nothing to remember.

    >>> strongest(np.array([[0.5], [-2.0], [1.0]]), np.array([True, True, False]), 1)
    array([[ 0],
           [-1],
           [ 0]], dtype=int8)
    """
    weight = np.where(allowed, np.abs(memory).sum(axis=1), 0.0)
    chosen = np.argsort(-weight, kind="stable")[:count]
    chosen = chosen[weight[chosen] > 0]
    signs = np.zeros(memory.shape, np.int8)
    signs[chosen] = np.sign(memory[chosen])
    return signs
