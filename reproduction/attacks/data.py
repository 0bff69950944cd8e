"""The images of the attack experiment and the network that is attacked: trained once, then found in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from atmostk.datasets import mnist
from atmostk.datasets.cache import cache_folder
from atmostk.datasets.mnist import Mnist

if TYPE_CHECKING:
    import torch

WHOLE, SUBSET = "mnist", "mnist subset"
EPOCHS = 10  # of the paper (note 14)


@dataclass(frozen=True)
class Attacked:
    """The network, and the images on which a perturbation is sought and judged."""

    network: torch.nn.Module
    digits: Mnist
    told: str


def chosen(name: str | None) -> str:
    """The data that a run will use: what was asked for, else all of MNIST where it can be had, else the subset."""
    if name is not None:
        return name
    try:
        mnist()
    except (OSError, ValueError):
        return SUBSET
    return WHOLE


@lru_cache(maxsize=1)
def attacked(name: str) -> Attacked:
    """The images called `name`, and the paper's network after its training on them."""
    from atmostk.networks.paper_cnn import train_paper_cnn

    digits = images(name)
    network = train_paper_cnn(
        digits.train_images, digits.train_labels, epochs=EPOCHS, cache=cache_folder(), progress=True
    )
    return Attacked(network, digits, told(name))


@lru_cache(maxsize=1)
def images(name: str) -> Mnist:
    """The images alone, for who draws without running."""
    return mnist(subset=name == SUBSET)


def told(name: str) -> str:
    """What a caption says of the data."""
    digits = images(name)
    kind = "MNIST" if name == WHOLE else "the 5,000-image subset of MNIST"
    counts = (
        f"{len(digits.train_labels):,} images to find the perturbation, {len(digits.test_labels):,} others to judge"
    )
    return f"{kind}, the paper's network trained for {EPOCHS} epochs; {counts}"


def shown(before: np.ndarray, after: np.ndarray, labels: np.ndarray, target: int | None) -> list[list[int]]:
    """For each digit that was to be taken for another, an image on which that succeeded, or the first that
    was known: its place, what it was taken for before, and after.

    >>> shown(np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([0, 1, 1]), target=0)
    [[2, 1, 0]]
    """
    rows = []
    for digit in np.unique(labels):
        if digit == target:
            continue
        own = np.flatnonzero(labels == digit)
        fooled = after[own] != digit if target is None else after[own] == target
        known = before[own] == digit
        # The best kind of image of which there is one.
        place = int(next(kind[0] for kind in (own[known & fooled], own[known], own) if len(kind)))
        rows.append([place, int(before[place]), int(after[place])])
    return rows
