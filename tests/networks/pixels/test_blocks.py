"""A changed pixel followed through the layers gives what a pass of the whole image gives, whatever the layers."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn
from torch.nn import functional

from atmostk.networks.lenet import lenet
from atmostk.networks.models import ready
from atmostk.networks.paper_cnn import paper_cnn
from atmostk.networks.pixels.block import PassedBlock
from atmostk.networks.pixels.local_block import LocalBlock
from atmostk.networks.pixels.room import Room
from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.stages import stages_of


class Written(nn.Module):
    """Layers called one after the other in a forward of its own, as most people write them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(2, 5, 3, padding=1)
        self.second = nn.Conv2d(5, 6, 3)
        self.last = nn.Linear(24, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(functional.relu(self.first(x)), 2)
        x = torch.tanh(self.second(x))
        return self.last(torch.flatten(functional.max_pool2d(x, 2), 1))


def normalised() -> nn.Sequential:
    layer = nn.BatchNorm2d(6)
    layer.running_mean = torch.randn(6)
    layer.running_var = torch.rand(6) + 0.5
    return nn.Sequential(nn.Conv2d(3, 6, 3, bias=False), layer, nn.ReLU(), nn.Flatten(), nn.Linear(6 * 64, 4))


KNOWN = {
    "the paper's": ((1, 28, 28), paper_cnn),
    "LeNet": ((1, 28, 28), lenet),
    "strides and padding": (
        (3, 11, 9),
        lambda: nn.Sequential(
            nn.Conv2d(3, 7, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(7, 5, (3, 2), stride=(1, 2)),
            nn.LeakyReLU(0.1), nn.Dropout(), nn.Flatten(), nn.Linear(5 * 4 * 2, 20), nn.Sigmoid(), nn.Linear(20, 4),
        ),
    ),
    "overlapping windows": (
        (1, 12, 12),
        lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=2), nn.Tanh(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(4, 8, 1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 9, 4),
        ),
    ),
    "dense alone": ((2, 5, 5), lambda: nn.Sequential(nn.Flatten(), nn.Linear(50, 33), nn.ReLU(), nn.Linear(33, 4))),
    "its own forward": ((2, 14, 14), Written),
    "normalised batches": ((3, 10, 10), normalised),
}  # fmt: skip


def scene_of(shape: tuple[int, ...], model: nn.Module, logits, target: int | None = 1) -> Scene:
    generator = torch.Generator().manual_seed(1)
    images = torch.rand(12, *shape, generator=generator)
    images[images < 0.4] = 0
    room = Room(0.0, 1.0, 0.75, np.ones(shape[1] * shape[2], bool))
    return Scene(model, logits, images, torch.arange(12) % 4, target, room)


def random_signs(shape: tuple[int, ...], count: int, rng: np.random.Generator) -> np.ndarray:
    signs = np.zeros((shape[1] * shape[2], shape[0]), np.int8)
    signs[rng.choice(len(signs), count, replace=False)] = rng.integers(-1, 2, (count, shape[0]))
    return signs


@pytest.mark.parametrize("name", KNOWN)
def test_both_blocks_give_the_same_margins(name: str) -> None:
    shape, made = KNOWN[name]
    torch.manual_seed(0)
    model, rng = made(), np.random.default_rng(0)
    with ready(model) as logits:
        scene = scene_of(shape, model, logits)
        stages = stages_of(scene)
        assert stages is not None
        signs = random_signs(shape, 6, rng)
        local, passed = LocalBlock(scene, signs, stages), PassedBlock(scene, signs)
        assert_allclose(local.margins(), passed.margins(), atol=1e-5)
        pixels = rng.permutation(len(signs))[:40]
        new = rng.integers(-1, 2, (len(pixels), shape[0])).astype(np.int8)
        part = slice(3, 11)
        assert_allclose(local.after(pixels, new, part), passed.after(pixels, new, part), atol=1e-5)
        for pixel, its in zip(pixels.tolist(), new, strict=True):
            local.change(pixel, its)
            passed.change(pixel, its)
        assert_allclose(local.margins(), passed.margins(), atol=1e-5)
        for pixel in pixels.tolist():
            local.change(pixel, signs[pixel])
        assert_allclose(local.margins(), PassedBlock(scene, signs).margins(), atol=1e-5)


class Branching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Conv2d(1, 1, 3, padding=1)
        self.last = nn.Linear(36, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last((x + self.inner(x)).flatten(1))


class Transposing(nn.Sequential):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self[0](input.permute(0, 1, 3, 2).flatten(1))


@pytest.mark.parametrize(
    "model",
    [
        Branching(),
        Transposing(nn.Linear(36, 4)),
        nn.Sequential(nn.Conv2d(1, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
        nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, padding_mode="circular"), nn.Flatten(), nn.Linear(144, 4)),
        nn.Sequential(nn.Conv2d(1, 2, 3), nn.MaxPool2d(3, ceil_mode=True), nn.Flatten(), nn.Linear(8, 4)),
        nn.Sequential(nn.Flatten(), nn.Linear(36, 4), nn.ReLU()),
    ],
    ids=["branches", "order", "average", "padding", "rounding", "end"],
)
def test_a_network_of_another_kind_is_left_to_passes(model: nn.Module) -> None:
    with ready(model) as logits:
        assert stages_of(scene_of((1, 6, 6), model, logits)) is None


def test_a_hook_that_changes_the_network_is_noticed() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Linear(36, 4))
    model[1].register_forward_hook(lambda layer, given, found: 2 * found)
    with ready(model) as logits:
        assert stages_of(scene_of((1, 6, 6), model, logits)) is None
