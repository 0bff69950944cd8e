"""A block that follows a changed pixel through a small network: exact, and many times cheaper than a pass."""

from __future__ import annotations

import numpy as np
import torch

from atmostk.networks.pixels import local_push
from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.stages import MIX, Stage, Stages, activations
from atmostk.objectives.margin import margins

AT_ONCE = 4_000_000  # numbers of the answers that are held at a time


class LocalBlock:
    """Margins now and after each change of one pixel, from activations that are kept and changed in place."""

    def __init__(self, scene: Scene, signs: np.ndarray, stages: Stages) -> None:
        self.scene = scene
        self.signs = signs.copy()
        self._stages = stages
        self._table, self._slopes, self._weights = _tabled(stages)
        self._kept = activations(stages, scene, signs)
        self._origin = np.ascontiguousarray(scene.images.flatten(2).permute(2, 0, 1).numpy())  # pixel, image, channel
        self._wide, self._classes = stages.shapes[-1][2], stages.classes

    def margins(self) -> np.ndarray:
        """Of every image as it stands."""
        return self._margins(self._kept[:, -self._wide :], self.scene.labels)

    def after(
        self, pixels: np.ndarray, signs: np.ndarray, images: slice, /, *, leaving: int | None = None
    ) -> np.ndarray:
        """One row for each change, one column for each of these images."""
        first, last, _ = images.indices(len(self._kept))
        count = last - first
        step = max(1, AT_ONCE // max(1, count * (self._wide + signs.shape[1])))
        rows = np.empty((len(pixels), count), np.float32)
        if leaving is not None:
            self._push(leaving, np.zeros_like(self.signs[leaving]), images)
        for begin in range(0, len(pixels), step):
            chosen, new = pixels[begin : begin + step], signs[begin : begin + step]
            scores = np.empty((len(chosen), count, self._wide), np.float32)
            local_push.after(
                self._kept.ravel(), self._kept.shape[1], self._table, self._slopes, self._weights, self.scene.shape[2],
                chosen.astype(np.int64), self._values(chosen, new, images).ravel(), first, last, scores.ravel(),
            )  # fmt: skip
            found = self._margins(scores.reshape(-1, self._wide), self.scene.labels[images].repeat(len(chosen)))
            rows[begin : begin + step] = found.reshape(len(chosen), count)
        if leaving is not None:
            self._push(leaving, self.signs[leaving], images)
        return rows

    def change(self, pixel: int, signs: np.ndarray, /) -> None:
        """Make the change."""
        self._push(pixel, signs, slice(None))
        self.signs[pixel] = signs

    def change_all(self, pixels: np.ndarray, signs: np.ndarray, /) -> None:
        """Make several changes."""
        for pixel, new in zip(pixels.tolist(), signs, strict=True):
            self.change(pixel, new)

    def _push(self, pixel: int, signs: np.ndarray, images: slice) -> None:
        """Bring the activations of these images to what they are with these signs."""
        first, last, _ = images.indices(len(self._kept))
        values = self._values(np.array([pixel]), signs[None], images)
        local_push.change(
            self._kept.ravel(), self._kept.shape[1], self._table, self._slopes, self._weights, self.scene.shape[2],
            int(pixel), values.ravel(), first, last,
        )  # fmt: skip

    def _values(self, pixels: np.ndarray, signs: np.ndarray, images: slice) -> np.ndarray:
        """What the pixels become, (changes, images, channels)."""
        room = self.scene.room
        moved = self._origin[pixels, images] + np.float32(room.amplitude) * signs[:, None, :].astype(np.float32)
        return np.clip(moved, np.float32(room.low), np.float32(room.high))

    def _margins(self, scores: np.ndarray, labels: torch.Tensor) -> np.ndarray:
        return margins(torch.from_numpy(scores[:, : self._classes]), labels, self.scene.target).numpy()


def _tabled(stages: Stages) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The stages as numbers: one row each, the slopes below zero, and all weights one after the other."""
    table = np.zeros((len(stages.chain), local_push.WIDTH), np.int64)
    weights: list[np.ndarray] = []
    before = placed = 0
    for row, stage, shape, following in zip(table, stages.chain, stages.shapes, stages.shapes[1:], strict=False):
        after = before + int(np.prod(shape))
        row[:] = (
            stage.kind,
            before,
            *shape,
            after,
            *following,
            *stage.kernel,
            *stage.stride,
            *stage.padding,
            placed,
            0,
        )
        row[local_push.FUNCTION] = stage.function
        before = after
        placed += _append(weights, stage)
    whole = np.concatenate(weights) if weights else np.empty(0, np.float32)
    return table, np.array([stage.slope for stage in stages.chain], np.float32), whole


def _append(weights: list[np.ndarray], stage: Stage) -> int:
    if stage.kind != MIX:
        return 0
    weights.append(stage.weights.ravel())
    return weights[-1].size
