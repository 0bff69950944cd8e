"""Searches that a person would try first: greedy, a dense perturbation pruned, and random search; each for all images.

All rank and accept by the same loss as `SparseAttack`, sigmoid(margin / 2): what is compared is the search.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from atmostk.networks import Perturbation
from atmostk.networks.images import check_classes, read_images
from atmostk.networks.models import ready
from atmostk.networks.pixels.gains import gains
from atmostk.networks.pixels.room import Room, laid_out
from atmostk.networks.pixels.scene import Scene

TEMPERATURE = 2.0
Found = dict[int, Perturbation]


def greedy(network, images, labels, target, counts: Sequence[int], seed: int) -> Found:
    """One pixel after the other, to the end of the box that the slopes over 500 images promise most of (as JSMA)."""
    found: Found = {}
    with _scene(network, images, labels, target) as scene:
        rng = np.random.default_rng(seed)
        signs = np.zeros((scene.room.allowed.size, scene.shape[0]), np.int8)
        for count in range(1, max(counts) + 1):
            gain, best = gains(scene.draw(500, rng), signs, TEMPERATURE).best()
            pixel = int(np.where(signs.any(axis=1), -1.0, gain).argmax())
            signs[pixel] = best[pixel]
            if count in counts:
                found[count] = Perturbation(laid_out(signs, scene.shape).numpy(), target=target)
    return found


def pruned(network, images, labels, target, counts: Sequence[int], seed: int) -> Found:
    """A perturbation of every pixel by Adam; a quarter of the smallest pixels goes, Adam again, down to each K."""
    found: Found = {}
    with _scene(network, images, labels, target) as scene:
        rng = np.random.default_rng(seed)
        pixels = scene.room.allowed.size
        left, delta = pixels, np.zeros(scene.shape, np.float32)
        mask = np.ones((1, *scene.shape[1:]), np.float32)
        delta = _adam(scene, delta, mask, 100, rng)
        for count in sorted(counts, reverse=True):
            while left > count:
                left = max(count, int(0.75 * left))
                size = np.abs(delta).sum(axis=0).ravel()
                mask = np.zeros(pixels, np.float32)
                mask[np.argsort(-size, kind="stable")[:left]] = 1
                mask = mask.reshape(1, *scene.shape[1:])
                delta = _adam(scene, delta * mask, mask, 30, rng)
            found[count] = Perturbation(delta, target=target)
    return found


def random_search(network, images, labels, target, counts: Sequence[int], seed: int) -> Found:
    """Sparse-RS for all images at once: some pixels are swapped at random, kept when the loss on 250 images falls."""
    found: Found = {}
    with _scene(network, images, labels, target) as scene:
        for count in counts:
            rng = np.random.default_rng([seed, count])
            batch = scene.draw(250, rng)
            pixels = scene.room.allowed.size
            signs = np.zeros((pixels, scene.shape[0]), np.int8)
            signs[rng.choice(pixels, count, replace=False)] = _random_signs(count, scene.shape[0], rng)
            least = batch.losses(signs, TEMPERATURE).mean()
            for query in range(500):
                share = 0.3 / [1, 2, 4, 8][np.searchsorted([0.05, 0.2, 0.5], query / 500)]
                moved = max(1, int(share * count))
                trial = signs.copy()
                trial[rng.choice(np.flatnonzero(signs.any(axis=1)), moved, replace=False)] = 0
                into = rng.choice(np.flatnonzero(~signs.any(axis=1)), moved, replace=False)
                trial[into] = _random_signs(moved, scene.shape[0], rng)
                loss = batch.losses(trial, TEMPERATURE).mean()
                if loss <= least:
                    signs, least = trial, loss
            found[count] = Perturbation(laid_out(signs, scene.shape).numpy(), target=target)
    return found


class _scene:
    """The images that are to be fooled, with the network made ready."""

    def __init__(self, network, images, labels, target) -> None:
        self.context = ready(network)
        x, y = read_images(images, labels)
        check_classes(y, 10, target)
        if target is not None:
            x, y = x[y != target], y[y != target]
        self.parts = (network, x, y, target, Room(0.0, 1.0, 1.0, np.ones(x.shape[2] * x.shape[3], bool)))

    def __enter__(self) -> Scene:
        network, *rest = self.parts
        return Scene(network, self.context.__enter__(), *rest)

    def __exit__(self, *error) -> None:
        self.context.__exit__(*error)


def _random_signs(count: int, channels: int, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random((count, channels)) < 0.75, 1, -1).astype(np.int8)


def _adam(scene: Scene, delta: np.ndarray, mask: np.ndarray, steps: int, rng: np.random.Generator) -> np.ndarray:
    values = torch.from_numpy(delta.copy()).requires_grad_(True)
    keep = torch.from_numpy(mask)
    optimiser = torch.optim.Adam([values], lr=0.05)
    for _ in range(steps):
        batch = scene.draw(250, rng)
        margin = scene._margins((batch.images + values).clamp(0, 1), batch.labels)
        optimiser.zero_grad()
        torch.sigmoid(margin / TEMPERATURE).mean().backward()
        values.grad.mul_(keep)
        optimiser.step()
        with torch.no_grad():
            values.clamp_(-1, 1).mul_(keep)
    return values.detach().numpy()
