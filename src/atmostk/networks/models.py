"""A model as an attack sees it: images in, logits out, and nothing of it changed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import nn

from atmostk.networks.keras_model import is_keras, keras_logits

Logits = Callable[[torch.Tensor], torch.Tensor]


@contextmanager
def ready(model: Any) -> Iterator[Logits]:
    """A function from images, (N, channels, height, width), to logits, (N, classes), for as long as the context lasts.

    `model` is a `torch.nn.Module` (TorchScript and `torch.export` included), a Keras 3 model on the torch backend
    (channels last, its softmax left out), or any Python callable that autograd can go through. Inside, a
    module is in evaluation mode and keeps no gradients for its weights; afterwards it is as it was. Outputs that are
    probabilities are refused: see `LogProbabilities`.

    >>> network = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(4, 3))
    >>> with ready(network) as logits:
    ...     logits(torch.zeros(5, 1, 2, 2)).shape, network.training
    (torch.Size([5, 3]), False)
    >>> network.training
    True
    """
    if isinstance(model, type) or not callable(model):
        raise TypeError(f"{model!r} cannot be attacked: give a torch.nn.Module, or a function from images to logits.")
    with ExitStack() as stack:
        function: Any = model
        place: nn.Parameter | None = None
        if isinstance(model, nn.Module):
            stack.enter_context(_at_rest(model))
            place = _first_weights(model)
            if is_keras(model):
                function = stack.enter_context(keras_logits(model))
        known: list[int] = []

        def logits(images: torch.Tensor) -> torch.Tensor:
            given = function(images if place is None else images.to(place.device, place.dtype))
            # Models of the transformers library wrap their logits.
            found: Any = getattr(given, "logits", given)
            if not known:
                _check(found, len(images))
                known.append(found.shape[1])
            return found.to(images.device, images.dtype)

        yield logits


def _first_weights(network: nn.Module) -> nn.Parameter | None:
    """Parameters by whose device and precision the network's can be told."""
    return next((part for part in network.parameters() if part.is_floating_point()), None)


class LogProbabilities(nn.Module):
    """A model of probabilities as one of logits: their logarithm, which its softmax would turn into them again.

    Where a probability is zero in single precision there is no slope left to follow: attack the model without its
    softmax layer where that can be had.

    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(4, 3), nn.Softmax(1))
    >>> LogProbabilities(model)(torch.zeros(2, 1, 2, 2)).exp().sum(1).round().tolist()
    [1.0, 1.0]
    """

    def __init__(self, model: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.model = model

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """The logarithm of the model's probabilities, above the smallest that single precision can tell from zero."""
        return self.model(images).clamp(min=torch.finfo(torch.float32).tiny).log()


@contextmanager
def _at_rest(model: nn.Module) -> Iterator[None]:
    """In evaluation mode, without gradients for the weights, convolutions in the layout in which they are fastest on a
    CPU (two to three times); afterwards as before, part by part.
    """
    modes = [(part, part.training) for part in model.modules()]
    wanted = [(weights, weights.requires_grad) for weights in model.parameters()]
    for part, _ in modes:
        part.training = False
    kernels = [(weights, weights.data) for weights in _kernels(model)]
    for weights, _ in wanted:
        weights.requires_grad_(False)
    for weights, values in kernels:
        # `contiguous` would leave the weights of a single channel as they are, and the layer slow.
        weights.data = values.clone(memory_format=torch.channels_last)
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode
        for weights, want in wanted:
            weights.requires_grad_(want)
        for weights, values in kernels:
            weights.data = values


def _kernels(model: nn.Module) -> list[nn.Parameter]:
    """The weights of its two-dimensional convolutions, each once; those that are computed on the way are left out."""
    found = [part._parameters.get("weight") for part in model.modules() if isinstance(part, nn.Conv2d)]
    return list({id(weights): weights for weights in found if weights is not None}.values())


def _check(found: Any, images: int) -> None:
    if not isinstance(found, torch.Tensor) or found.ndim != 2 or len(found) != images or not found.is_floating_point():
        told = f"shape {tuple(found.shape)}" if hasattr(found, "shape") else type(found).__name__
        raise TypeError(
            f"the model gave {told} for {images} images: it must give a tensor of logits, one row for each image and "
            "one column for each class."
        )
    if found.shape[1] < 2:
        raise ValueError(
            "the model gives one number for each image: an attack needs one for each class; for two classes with one "
            "logit z give lambda images: torch.cat([0 * z(images), z(images)], 1)."
        )
    sums = found.detach().sum(1)
    if bool((found >= 0).all()) and bool(((sums - 1).abs() < 1e-3).all()):
        raise ValueError(
            "the model gives probabilities (no row holds a negative number, each adds up to 1), whose slope vanishes "
            "where it is sure: give it without its softmax layer, or as LogProbabilities(model)."
        )
