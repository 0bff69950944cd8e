"""What a pixel may become: a perturbation as one sign for each channel of each pixel, and the box around the images.

Every search that moved the values of its pixels too ended with each of them at its bound: what is hard is which pixels,
and which way. So a perturbation is a table of signs, (pixels, channels), -1, 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, eq=False)
class Room:
    """A changed image is clip(image + amplitude x signs, low, high); only `allowed` pixels may have signs.

    >>> room = Room(0.0, 1.0, 0.5, np.array([True, True]))
    >>> room.moved(torch.tensor([[0.25, 0.75]]), torch.tensor([1, 1]))
    tensor([[0.7500, 1.0000]])
    """

    low: float
    high: float
    amplitude: float
    allowed: np.ndarray

    def moved(self, images: torch.Tensor, signs: torch.Tensor) -> torch.Tensor:
        """The images after a change; the signs are of a shape that spreads over theirs."""
        return (images + self.amplitude * signs.to(images)).clamp(self.low, self.high)


def laid_out(signs: np.ndarray, shape: tuple[int, ...]) -> torch.Tensor:
    """A table of signs as an image of this shape, (channels, height, width).

    >>> laid_out(np.array([[1], [0], [0], [-1]], np.int8), (1, 2, 2))
    tensor([[[ 1.,  0.],
             [ 0., -1.]]])
    """
    return torch.from_numpy(signs.T.astype(np.float32)).reshape(shape)
