"""What the tests of the networks share: small images, and a small network that tells them apart."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'atmostk[torch]'")


@pytest.fixture(scope="session")
def pictures() -> tuple[np.ndarray, np.ndarray]:
    """200 images of 8 x 8 pixels in four classes: a bright bar at the left, right, top or bottom, with noise."""
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 4
    images = rng.random((200, 1, 8, 8)).astype(np.float32) * 0.4
    for image, label in zip(images[:, 0], labels, strict=True):
        bar = [np.s_[:, :2], np.s_[:, -2:], np.s_[:2, :], np.s_[-2:, :]][label]
        image[bar] += 0.5
    return images, labels


@pytest.fixture(scope="session")
def network(pictures):
    """A small convolutional network of logits, trained on those images."""
    from torch import nn

    from atmostk.networks import train

    torch.manual_seed(0)
    fresh = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1), nn.Linear(36, 4)
    )
    return train(fresh, *pictures, epochs=8, batch_size=20, learning_rate=0.02)
