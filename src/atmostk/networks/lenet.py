"""A second network for the same images, of another shape: does a perturbation found on one fool the other?"""

from __future__ import annotations

import torch
from torch import nn


def lenet(*, seed: int = 0) -> nn.Sequential:
    """LeNet-5 with ReLU and max-pooling: two 5x5 convolutions, two hidden dense layers; it gives logits.

    Images are of shape (N, 1, 28, 28). The weights are fresh, drawn from the seed.

    >>> lenet()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(6, 16, 5),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(400, 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, 10),
        )
