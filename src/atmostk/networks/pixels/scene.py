"""Whom to fool, with what, and on which images: what every part of the search is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from atmostk.networks.images import chunk_length
from atmostk.networks.models import Logits
from atmostk.networks.pixels.room import Room, laid_out
from atmostk.objectives.carlini_wagner import channels_last
from atmostk.objectives.margin import margins


@dataclass(frozen=True, eq=False)
class Scene:
    """A network, its images with their classes, the class to be taken for, and the room that pixels have.

    `unit` is how many logits count as one: the losses of the search are sigmoid(margin / (unit x temperature)).
    """

    model: Any
    logits: Logits
    images: torch.Tensor
    labels: torch.Tensor
    target: int | None
    room: Room
    unit: float = 1.0

    @property
    def shape(self) -> tuple[int, ...]:
        """Channels, height and width of an image."""
        return tuple(int(size) for size in self.images.shape[1:])

    def part(self, places: np.ndarray | slice) -> Scene:
        """The same with these images alone."""
        chosen = torch.from_numpy(places) if isinstance(places, np.ndarray) else places
        return replace(self, images=self.images[chosen], labels=self.labels[chosen])

    def draw(self, count: int, rng: np.random.Generator) -> Scene:
        """So many images, no two the same; all, when there are fewer."""
        if count >= len(self.images):
            return self
        return self.part(rng.choice(len(self.images), count, replace=False))

    def margins(self, signs: np.ndarray) -> np.ndarray:
        """How far each image is from fooling the network under these signs: below zero it does."""
        change = laid_out(signs, self.shape)
        with torch.no_grad():
            found = [self._margins(self.room.moved(images, change), labels) for images, labels in self._chunks()]
        return torch.cat(found).numpy()

    def losses(self, signs: np.ndarray, temperature: float = 1.0) -> np.ndarray:
        """The smoothed share that is not fooled, image by image."""
        return smoothed(self.margins(signs), self.unit * temperature)

    def slopes(
        self, signs: np.ndarray, temperature: float
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Images, changed images and the slopes of their losses, chunk by chunk."""
        change = laid_out(signs, self.shape)
        for images, labels in self._chunks():
            moved = self.room.moved(images, change).requires_grad_(True)
            loss = torch.sigmoid(self._margins(moved, labels) / (self.unit * temperature)).sum()
            yield images, moved.detach(), torch.autograd.grad(loss, moved)[0]

    def _margins(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return margins(self.logits(channels_last(images)), labels, self.target)

    def _chunks(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        size = chunk_length(self.images)
        yield from zip(self.images.split(size), self.labels.split(size), strict=True)


def smoothed(margin: np.ndarray, unit: float) -> np.ndarray:
    """sigmoid(margin / unit).

    >>> smoothed(np.array([0.0, -100.0]), 1.0).round(3)
    array([0.5, 0. ])
    """
    return 0.5 + 0.5 * np.tanh(margin / (2 * unit))
