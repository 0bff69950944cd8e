"""What an attack on images of 224 x 224 pixels in colour costs: CPU seconds and memory, K = 500.

    python -m benchmarks.attack_large

The network is small and trained for a moment on four kinds of pattern; what is measured is whether memory stays within
4 GB and the search still lowers the accuracy. The table goes into benchmarks/results/attack_large.md.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from atmostk.networks import SparseAttack, train

SIZE, CLASSES, IMAGES, PIXELS = 224, 4, 300, 500
SECONDS = 60  # for the search by passes, which is not looked at for its speed
MOST = 4 << 30  # bytes


def patterns(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise in colour with faint stripes: upright, level, or slanting one way or the other."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % CLASSES
    rows, columns = np.mgrid[:SIZE, :SIZE].astype(np.float32)
    phases = [columns, rows, rows + columns, rows - columns]
    images = np.empty((count, 3, SIZE, SIZE), np.float32)
    for image, label in zip(images, labels, strict=True):
        stripes = np.sin(phases[label] * 0.6 + rng.uniform(0, 6))
        image[:] = 0.5 + 0.06 * stripes + 0.15 * (rng.random((3, SIZE, SIZE), np.float32) - 0.5)
    return images, labels


def network() -> nn.Sequential:
    """Three convolutions and a dense layer."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(4),
        nn.Conv2d(32, 32, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 13 * 13, CLASSES),
    )  # fmt: skip


def main() -> None:
    """One training, one search of each kind, one table."""
    images, labels = patterns(IMAGES, 0)
    unseen = patterns(200, 1)
    trained = train(network(), images[:200], labels[:200], epochs=2, batch_size=20)
    lines = ["## A colour image of 224 x 224 pixels, K = 500", "", "`./run bench attack_large`", ""]
    lines += [
        "| search | accuracy before | after, unseen images | CPU s | peak memory, whole process |",
        "|---|---|---|---|---|",
    ]
    by_passes = f"fast, by passes (layers not looked at), ended after {SECONDS} s"
    searches = {"fast": (trained, None), by_passes: (lambda x: trained(x), SECONDS)}
    for name, (model, most) in searches.items():
        begun = time.process_time()
        found = SparseAttack(PIXELS, fast=True, batch_size=16, max_seconds=most).fit(model, images, labels)
        seconds = time.process_time() - begun
        told = found.evaluate(trained, *unseen)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        assert told.most_pixels <= PIXELS
        assert peak < MOST, f"{peak / 2**30:.2f} GB"
        cells = [name, f"{told.accuracy_before:.1%}", f"{told.accuracy_after:.1%}", f"{seconds:.0f}"]
        lines.append("| " + " | ".join([*cells, f"{peak / 2**30:.2f} GB"]) + " |")
        print(lines[-1], flush=True)
        (Path(__file__).parent / "results" / "attack_large.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
