"""What each pixel would gain, to first order: the slope times the room to the box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from atmostk.networks.pixels.scene import Scene


@dataclass(frozen=True, eq=False)
class Gains:
    """By how much the mean loss would fall, for each channel of each pixel, (pixels, channels).

    `up` and `down` are those of going from where the pixel stands to its highest and its lowest, `staying` what the
    loss would rise by if its present change were taken back.
    """

    up: np.ndarray
    down: np.ndarray
    staying: np.ndarray

    def best(self) -> tuple[np.ndarray, np.ndarray]:
        """For each pixel the gain of its best signs, and those signs."""
        signs = np.where(self.up >= self.down, 1, -1).astype(np.int8)
        each = np.maximum(self.up, self.down)
        signs[each <= 0] = 0
        return np.maximum(each, 0).sum(axis=1), signs


def gains(scene: Scene, signs: np.ndarray, temperature: float) -> Gains:
    """The gains on the images of the scene under these signs, the loss smoothed with this temperature."""
    room = scene.room
    totals = torch.zeros(3, *scene.shape)
    ones = torch.ones(())
    for images, moved, slope in scene.slopes(signs, temperature):
        for place, end in enumerate((room.moved(images, ones), room.moved(images, -ones), images)):
            totals[place] += (slope * (moved - end)).sum(0)
    totals[2].neg_()
    up, down, staying = (totals / len(scene.images)).flatten(2).transpose(1, 2).numpy()
    return Gains(up, down, staying)
