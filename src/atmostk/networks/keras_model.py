"""A Keras 3 model on the torch backend as an attack sees it: images with channels first in, logits out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


def is_keras(model: Any) -> bool:
    """Whether it is a Keras model; Keras itself is not loaded for the question."""
    keras = sys.modules.get("keras")
    return keras is not None and isinstance(model, keras.Model)


@contextmanager
def keras_logits(model: Any) -> Iterator[Callable[[torch.Tensor], torch.Tensor]]:
    """The model without its last softmax, whether that is a layer or a layer's activation, for images (N, C, H, W).

    Keras puts the channels last; images are turned on the way in. The activation is put back afterwards.

        with keras_logits(model) as logits:
            logits(torch.zeros(1, 1, 28, 28))
    """
    keras = sys.modules["keras"]
    if keras.backend.backend() != "torch":
        raise TypeError(
            f"this Keras model runs on {keras.backend.backend()}: set KERAS_BACKEND=torch before Keras is imported, "
            "and load the model again."
        )
    last = model.layers[-1] if getattr(model, "layers", None) else None
    function = model
    if last is not None and len(model.layers) > 1 and _is_softmax(last, keras):
        function, last = keras.Model(model.inputs, model.layers[-2].output), None
    strip = last is not None and getattr(last, "activation", None) is keras.activations.softmax
    if strip:
        last.activation = keras.activations.linear  # pyright: ignore[reportOptionalMemberAccess]
    turned = _channels_last(model, keras)
    try:
        yield lambda images: function(images.permute(0, 2, 3, 1) if turned else images, training=False)
    finally:
        if strip:
            last.activation = keras.activations.softmax  # pyright: ignore[reportOptionalMemberAccess]


def _is_softmax(layer: Any, keras: Any) -> bool:
    """Whether the layer is nothing else."""
    activation = isinstance(layer, keras.layers.Activation) and layer.activation is keras.activations.softmax
    return activation or isinstance(layer, keras.layers.Softmax)


def _channels_last(model: Any, keras: Any) -> bool:
    """As the model's first layer with a layout has it, else as Keras is configured."""
    layouts = [layer.data_format for layer in getattr(model, "layers", ()) if hasattr(layer, "data_format")]
    return (layouts or [keras.config.image_data_format()])[0] == "channels_last"
