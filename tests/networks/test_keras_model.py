"""Keras models on the torch backend: channels last, the softmax left out and put back, attacked like any other."""

from __future__ import annotations

import os

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

os.environ.setdefault("KERAS_BACKEND", "torch")
keras = pytest.importorskip("keras", reason="Keras is not installed: pip install 'atmostk[keras]'")

from atmostk.networks import SparseAttack  # noqa: E402
from atmostk.networks.models import ready  # noqa: E402
from atmostk.networks.pixels.block import PassedBlock  # noqa: E402
from atmostk.networks.pixels.local_block import LocalBlock  # noqa: E402
from atmostk.networks.pixels.room import Room  # noqa: E402
from atmostk.networks.pixels.scene import Scene  # noqa: E402
from atmostk.networks.pixels.stages import stages_of  # noqa: E402

pytestmark = pytest.mark.skipif(keras.backend.backend() != "torch", reason="Keras runs on another backend here")


def body() -> list:
    keras.utils.set_random_seed(0)
    return [
        keras.layers.Input((8, 8, 1)),
        keras.layers.Conv2D(4, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.5),
    ]


MADE = {
    "an activation": lambda: keras.Sequential([*body(), keras.layers.Dense(4, activation="softmax")]),
    "a layer": lambda: keras.Sequential([*body(), keras.layers.Dense(4), keras.layers.Softmax()]),
    "an activation layer": lambda: keras.Sequential(
        [*body(), keras.layers.Dense(4), keras.layers.Activation("softmax")]
    ),
    "none": lambda: keras.Sequential([*body(), keras.layers.Dense(4)]),
}


@pytest.mark.parametrize("softmax", MADE)
def test_logits_come_out_and_the_softmax_is_put_back(softmax: str) -> None:
    model = MADE[softmax]()
    images = torch.rand(5, 1, 8, 8, generator=torch.Generator().manual_seed(0), requires_grad=True)
    before = model(images.detach().permute(0, 2, 3, 1))
    with ready(model) as logits:
        found = logits(images)
        found.sum().backward()
        found = found.detach()
    after = model(images.detach().permute(0, 2, 3, 1))
    assert_allclose(after.detach().numpy(), before.detach().numpy())
    wanted = before if softmax == "none" else before.clamp(min=1e-30).log()
    apart = (found - wanted.detach()).numpy()
    assert_allclose(apart, np.broadcast_to(apart[:, :1], apart.shape), atol=1e-4)
    assert images.grad is not None
    assert images.grad.abs().sum() > 0


def test_the_layers_of_a_keras_model_are_read() -> None:
    keras.utils.set_random_seed(0)
    layers = [
        keras.layers.Input((9, 11, 3)),
        keras.layers.Conv2D(5, 3, padding="same", activation="tanh"),
        keras.layers.MaxPooling2D((2, 3)),
        keras.layers.Conv2D(6, 2, strides=(2, 1)),
        keras.layers.ReLU(),
        keras.layers.Flatten(),
        keras.layers.Dense(7, activation="sigmoid"),
        keras.layers.Dense(4, activation="softmax"),
    ]
    model = keras.Sequential(layers)
    images = torch.rand(6, 3, 9, 11, generator=torch.Generator().manual_seed(0))
    with ready(model) as logits:
        room = Room(0.0, 1.0, 1.0, np.ones(99, bool))
        scene = Scene(model, logits, images, torch.arange(6) % 4, 1, room)
        stages = stages_of(scene)
        assert stages is not None
        signs = np.zeros((99, 3), np.int8)
        pixels, new = np.arange(99), np.ones((99, 3), np.int8)
        both = (block.after(pixels, new, slice(None)) for block in _blocks(scene, signs, stages))
        assert_allclose(*both, atol=1e-5)


def _blocks(scene: Scene, signs: np.ndarray, stages) -> tuple:
    return LocalBlock(scene, signs, stages), PassedBlock(scene, signs)


def test_a_keras_model_is_attacked(pictures) -> None:
    model = MADE["an activation"]()
    images, labels = pictures
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy")
    model.fit(np.moveaxis(images, 1, -1), labels, epochs=6, verbose=0)
    found = SparseAttack(6, 1, fast=True).fit(model, np.moveaxis(images, 1, -1), labels)
    told = found.evaluate(model, images, labels)
    assert told.accuracy_before > 0.9
    assert told.hit > told.hit_before + 0.2
    assert told.most_pixels <= 6
