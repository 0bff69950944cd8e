"""The objective of the paper's attack: one perturbation of a whole data set, small, and over every decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from atmostk.sample import Sample

try:
    import torch
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError("CarliniWagner needs PyTorch: pip install 'atmostk[torch]'.") from error

from atmostk.objectives.margin import margins
from atmostk.objectives.torch_loss import tensor

Array = Any


@dataclass(frozen=True)
class CarliniWagner:
    """F(delta) = ||delta||_2 + c * mean of max(margin(clip(image + delta, low, high)), 0).

    `scores` are a network's logits as a function of images (probabilities make the paper's printed form, paper note
    10); the margin is that of `margins`, towards a `target` class or away from the image's own. A sample's data are
    images (or rows that hold one each) and their classes; images have the shape of delta. Images go through the
    network `chunk` at a time, so that memory is bounded, and no gradient is kept for the network's weights.

    >>> import numpy as np
    >>> sample = Sample((np.array([[0.5, 0.25]]), np.array([0])), size=1)
    >>> loss = CarliniWagner(lambda images: 4 * images, weight=2.0)
    >>> loss.value(np.array([0.0, 0.125]), sample)      # 0.125 + 2 * 4 * (0.5 - 0.375)
    1.125
    >>> loss.gradient(np.array([0.0, 0.125]), sample)
    array([ 8., -7.])
    """

    scores: Callable[[torch.Tensor], torch.Tensor]
    target: int | None = None
    weight: float = 2.0  # c of the paper
    low: float = 0.0
    high: float = 1.0
    chunk: int = 250

    def value(self, x: Array, sample: Sample, /) -> float:
        """The mean loss of the sample's images."""
        with torch.no_grad():
            return float(sum(part.double().sum() for part in self._shares(tensor(x), sample)) + _length(tensor(x)))

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """With respect to delta; nothing flows through a pixel that the box holds, nor from the norm at zero."""
        delta = tensor(x).detach().clone().requires_grad_(True)
        length = _length(delta)
        total = delta.detach() / length if length > 0 else torch.zeros_like(delta)
        for part in self._shares(delta, sample):
            total = total + torch.autograd.grad(part.sum(), delta)[0]
        return total if isinstance(x, torch.Tensor) else total.numpy()

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each image."""
        with torch.no_grad():
            found = torch.cat([loss for loss, _ in self._attacks(tensor(x), sample)]) + _length(tensor(x))
        return found if isinstance(x, torch.Tensor) else found.numpy()

    def _shares(self, delta: torch.Tensor, sample: Sample) -> Iterator[torch.Tensor]:
        """What each image adds to the mean of the attack term, chunk by chunk."""
        for loss, weights in self._attacks(delta, sample):
            yield loss / sample.size if weights is None else loss * weights / sample.weight

    def _attacks(self, delta: torch.Tensor, sample: Sample) -> Iterator[tuple[torch.Tensor, torch.Tensor | None]]:
        for images, labels, weights in chunks(delta, sample, self.chunk):
            changed = channels_last((images + delta).clamp(self.low, self.high))
            yield self.weight * margins(self.scores(changed), labels, self.target).clamp(min=0), weights


def chunks(
    delta: torch.Tensor, sample: Sample, size: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
    """The sample's images in the shape of delta, their classes and their weights, so many at a time."""
    images, labels = (tensor(part) for part in sample.data)
    weights = None if sample.weights is None else tensor(sample.weights)
    for first in range(0, sample.size, size):
        part = slice(first, first + size)
        shaped = images[part].reshape(-1, *delta.shape).to(delta)
        yield shaped, labels[part].long(), None if weights is None else weights[part]


def channels_last(images: torch.Tensor) -> torch.Tensor:
    """Images in the layout in which convolutions are fastest on a CPU; other rows as they are."""
    return images.contiguous(memory_format=torch.channels_last) if images.ndim == 4 else images


def _length(delta: torch.Tensor) -> float:
    return float(delta.detach().double().norm())
