"""The objective of the attack as the authors' program has it, to the letter, for the reproduction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from atmostk.objectives.carlini_wagner import channels_last, chunks
from atmostk.objectives.margin import margins
from atmostk.objectives.torch_loss import tensor
from atmostk.sample import Sample

Array = Any
HALF_LEVEL = 0.5 / 255


@dataclass(frozen=True)
class TanhCarliniWagner:
    """F(w) = mean of ||moved - image||_2 + c * attack, with moved = (tanh(artanh(2 image - 1) + w) + 1) / 2.

    The released program differs from the paper in this (paper notes 11-13): the box is kept by tanh, pixels at 0 and 1
    being pulled in by half a grey level first; the norm is taken image by image; without a target the attack term is
    the best score minus the second best, whatever the image's class. And its gradient of the norm is
    moved / ||moved - images||, over the whole batch, which is not the gradient of what it minimises: `gradient` gives
    what the program gives, so finite differences of `value` do not confirm it. `CarliniWagner` is the paper's form.

    >>> sample = Sample((np.array([[0.5, 0.25]]), np.array([0])), size=1)
    >>> TanhCarliniWagner(lambda images: 4 * images).value(np.zeros(2), sample)
    2.0
    """

    scores: Callable[[torch.Tensor], torch.Tensor]
    target: int | None = None
    weight: float = 2.0
    chunk: int = 250

    def value(self, x: Array, sample: Sample, /) -> float:
        """The mean loss of the sample's images."""
        return float(np.average(np.asarray(self.losses(x, sample), np.float64), weights=sample.weights))

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each image."""
        w, found = tensor(x).detach(), []
        with torch.no_grad():
            for images, labels, _ in chunks(w, sample, self.chunk):
                moved = through_tanh(images, w)
                found.append((moved - images).flatten(1).norm(dim=1) + self.weight * self._attack(moved, labels))
        losses = torch.cat(found)
        return losses if isinstance(x, torch.Tensor) else losses.numpy()

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """As released: the attack term's gradient is right, that of the norm is the program's."""
        w = tensor(x).detach().clone().requires_grad_(True)
        attack, norm = torch.zeros_like(w), torch.zeros_like(w)
        squared = 0.0
        for images, labels, weights in chunks(w, sample, self.chunk):
            counts = torch.ones(len(images)).to(w) if weights is None else weights.to(w)
            moved = through_tanh(images, w)
            attack = attack + torch.autograd.grad((self._attack(moved, labels) * counts).sum(), w)[0]
            with torch.no_grad():
                # The slope of (tanh(u) + 1) / 2 is 2 m (1 - m) at its value m.
                norm = norm + torch.tensordot(counts, moved * 2 * moved * (1 - moved), dims=1)
                squared += float(((moved - images).flatten(1).double().square().sum(1) * counts).sum())
        total = (norm / (squared**0.5 + 1e-12) + self.weight * attack).detach() / sample.weight
        return total if isinstance(x, torch.Tensor) else total.numpy()

    def _attack(self, moved: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        scores = self.scores(channels_last(moved))
        if self.target is not None:
            return margins(scores, labels, self.target).clamp(min=0)
        best = scores.topk(2, dim=1).values
        return best[:, 0] - best[:, 1]


def through_tanh(images: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Images of the box from 0 to 1, moved by w where tanh has straightened the box out.

    >>> through_tanh(torch.tensor([0.0, 0.5]), torch.tensor([0.0, 0.5])) * 255
    tensor([  0.5000, 186.4199])
    """
    inside = torch.where(images <= 0, HALF_LEVEL, torch.where(images >= 1, 1 - HALF_LEVEL, images))
    return torch.tanh(torch.atanh(2 * inside - 1) + w) / 2 + 0.5
