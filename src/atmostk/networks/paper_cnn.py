"""The network of the paper's attack experiments, and its training as the paper has it (paper note 14)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from atmostk.networks.training import train


def paper_cnn(*, seed: int = 0) -> nn.Sequential:
    """Conv 3x3x32, max-pooling, conv 3x3x64, max-pooling, dropout of one half, dense 10, with ReLU; it gives logits.

    Images are of shape (N, 1, 28, 28). The weights are fresh, drawn from the seed.

    >>> paper_cnn()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        # ReLU after the pooling: the same function (both are monotone) on a quarter of the numbers.
        return nn.Sequential(
            nn.Conv2d(1, 32, 3),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(0.5),
            nn.Linear(1600, 10),
        )


def train_paper_cnn(
    images: Any,
    labels: Any,
    *,
    seed: int = 0,
    epochs: int = 10,
    threads: int = 1,
    cache: str | Path | None = None,
    max_seconds: float | None = None,
    progress: bool = False,
) -> nn.Sequential:
    """The paper's network after its training: Adam, batches of 64, ten epochs. In evaluation mode.

    With `cache`, a folder, the trained weights are kept there and found again by the next call with the same data and
    settings; an interrupted training goes on from its last whole epoch.

        digits = mnist()
        network = train_paper_cnn(digits.train_images, digits.train_labels, cache=cache_folder(), progress=True)
    """
    return train(
        paper_cnn(seed=seed),
        images,
        labels,
        seed=seed,
        epochs=epochs,
        threads=threads,
        cache=cache,
        max_seconds=max_seconds,
        progress=progress,
    )
