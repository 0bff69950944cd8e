"""The answer of the released program: a shift behind a tanh, and images rounded down to grey levels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.networks.evaluation import Evaluation, evaluate
from atmostk.networks.perturbation import norms
from atmostk.objectives.tanh_carlini_wagner import through_tanh


@dataclass(frozen=True, eq=False, repr=False)
class TanhPerturbation:
    """image = floor(255 (tanh(artanh(2 image - 1) + shift) + 1) / 2) / 255 (paper note 11).

    Not an array that is added to every image: what a pixel moves by depends on what it was, and the rounding changes
    white pixels outside the support too, which `Evaluation.most_pixels` shows.

    >>> moved = TanhPerturbation(np.array([[[0.0, 0.5]]])).apply(np.array([[[[1.0, 0.5]]]], np.float32))
    >>> np.round(moved * 255)
    array([[[[254., 186.]]]], dtype=float32)
    """

    shift: Array
    target: int | None = None
    low: float = field(init=False, default=0.0)
    high: float = field(init=False, default=1.0)

    def __repr__(self) -> str:
        aim = "untargeted" if self.target is None else f"target {self.target}"
        return f"TanhPerturbation({self.pixels} of {self.shift.shape[1]} x {self.shift.shape[2]} pixels, {aim})"

    @property
    def support(self) -> np.ndarray:
        """The pixels that are shifted, row by row from the top left."""
        return np.flatnonzero(self.shift.any(axis=0))

    @property
    def pixels(self) -> int:
        """How many pixels are shifted."""
        return len(self.support)

    @property
    def norms(self) -> dict[str, float]:
        """The number of shifted entries, and the sum, the Euclidean norm and the largest of their magnitudes."""
        return norms(self.shift)

    def apply(self, images: Array) -> Array:
        """New images of the same kind, (..., channels, height, width), between 0 and 1."""
        given = images if isinstance(images, torch.Tensor) else torch.from_numpy(np.asarray(images))
        moved = through_tanh(given, torch.from_numpy(np.asarray(self.shift)).to(given))
        return arrays.like(torch.floor(moved * 255) / 255, images)

    def evaluate(self, model: Any, images: Any, labels: Any = None, *, batch_size: int = 250) -> Evaluation:
        """What it does to a model on these images: see `Evaluation`."""
        return evaluate(self, model, images, labels, batch_size=batch_size)
