"""A block: some images under one perturbation, that tells what every single change of a pixel would do to them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.stages import Stages

MOST_NUMBERS = 100_000_000  # of activations that a block keeps: 400 MB in single precision


class Block(Protocol):
    """Margins of every image, now and after a change of one pixel. A change is a pixel and its new signs."""

    @property
    def scene(self) -> Scene: ...
    @property
    def signs(self) -> np.ndarray: ...
    def margins(self) -> np.ndarray:
        """Of every image as it stands."""
        ...

    def after(
        self, pixels: np.ndarray, signs: np.ndarray, images: slice, /, *, leaving: int | None = None
    ) -> np.ndarray:
        """One row for each change, as if it alone were made; one column for each of these images.

        With `leaving`, as if that pixel had been given back first.
        """
        ...

    def change(self, pixel: int, signs: np.ndarray, /) -> None:
        """Make the change."""
        ...

    def change_all(self, pixels: np.ndarray, signs: np.ndarray, /) -> None:
        """Make several changes."""
        ...


class PassedBlock:
    """For any network: every change costs a pass of all images through it.

    What `block_of` hands out for a network whose layers are not known:

        block = PassedBlock(scene, signs)
        block.after(np.array([3, 4]), np.array([[1], [1]], np.int8), slice(0, 100))
    """

    def __init__(self, scene: Scene, signs: np.ndarray) -> None:
        self.scene = scene
        self.signs = signs.copy()
        self._margins = scene.margins(self.signs)

    def margins(self) -> np.ndarray:
        """Of every image as it stands."""
        return self._margins

    def after(
        self, pixels: np.ndarray, signs: np.ndarray, images: slice, /, *, leaving: int | None = None
    ) -> np.ndarray:
        """One row for each change, one column for each of these images."""
        scene = self.scene.part(images)
        rows = np.empty((len(pixels), len(scene.images)), np.float32)
        trial = self.signs.copy()
        if leaving is not None:
            trial[leaving] = 0
        start = trial.copy()
        for row, pixel, new in zip(rows, pixels, signs, strict=True):
            trial[pixel] = new
            row[:] = scene.margins(trial)
            trial[pixel] = start[pixel]
        return rows

    def change(self, pixel: int, signs: np.ndarray, /) -> None:
        """Make the change."""
        self.change_all(np.array([pixel]), np.asarray(signs)[None])

    def change_all(self, pixels: np.ndarray, signs: np.ndarray, /) -> None:
        """Make several changes, for one pass."""
        self.signs[pixels] = signs
        self._margins = self.scene.margins(self.signs)


def block_of(scene: Scene, signs: np.ndarray, stages: Stages | None) -> Block:
    """The fastest block for the network: the local one where its stages are known."""
    if stages is None:
        return PassedBlock(scene, signs)
    from atmostk.networks.pixels.local_block import LocalBlock

    return LocalBlock(scene, signs, stages)
