"""Images and labels at the door: arrays, tensors or a DataLoader in, checked tensors out."""

from __future__ import annotations

from typing import Any

import torch

from atmostk import arrays
from atmostk.networks.grey_levels import from_levels, is_levels

CHANNELS = (1, 3, 4)  # what the last axis may hold to be read as channels
# Numbers of one chunk of images: of 28 x 28 pixels 102, whose activations stay in a CPU's cache.
CHUNK = 80_000


def read_images(
    images: Any, labels: Any = None, *, low: float = 0.0, high: float = 1.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Images of shape (N, channels, height, width) in single precision, and one label for each, checked.

    Images may come with the channels last (1, 3 or 4 of them), without an axis for a single channel, as whole numbers
    from 0 to 255 of the box, or with their labels from a DataLoader. Nothing is copied that is right already.

    >>> images, labels = read_images([[[0.0, 1.0], [1.0, 0.0]]], [3])
    >>> images.shape, labels
    (torch.Size([1, 1, 2, 2]), tensor([3]))
    """
    if hasattr(images, "dataset") and labels is None:
        images, labels = _gathered(images)
    if labels is None:
        raise TypeError("labels are missing: give the class of each image, or a DataLoader of images and labels.")
    x = _as_tensor(images)
    if is_levels(x):
        x = from_levels(x, low, high)
    x = _channels_first(x.detach().float())
    y = _as_tensor(labels).detach()
    if len(x) == 0:
        raise ValueError("there are no images: give at least one.")
    if y.ndim != 1 or len(y) != len(x):
        raise ValueError(f"labels have shape {tuple(y.shape)} for {len(x)} images: give one class for each image.")
    if bool((y != y.long()).any()):
        raise ValueError("labels must be whole numbers, the classes of the images.")
    if not arrays.is_finite(x):
        raise ValueError("the images hold NaN or infinity: drop those images first.")
    smallest, largest = arrays.span(x)
    if smallest < low - 1e-6 or largest > high + 1e-6:
        raise ValueError(
            f"the images hold values from {smallest:g} to {largest:g}, outside the box from {low:g} to {high:g}: "
            "scale them, or give the box with low= and high=."
        )
    return x, y.long()


def check_classes(labels: torch.Tensor, classes: int, target: int | None = None) -> None:
    """Raise with one sentence unless labels and target are classes of the model.

    >>> check_classes(torch.tensor([0, 9]), 10, target=5)
    """
    smallest, largest = int(labels.min()), int(labels.max())
    if smallest < 0 or largest >= classes:
        raise ValueError(
            f"the labels go from {smallest} to {largest}, but the model has {classes} classes, "
            f"numbered 0 to {classes - 1}."
        )
    if target is not None and not 0 <= target < classes:
        raise ValueError(
            f"target={target} does not exist: the model has {classes} classes, numbered 0 to {classes - 1}."
        )


def chunk_length(images: torch.Tensor) -> int:
    """How many images to take through a network at a time, so that their activations stay near the processor.

    >>> chunk_length(torch.zeros(1, 1, 28, 28)), chunk_length(torch.zeros(1, 3, 224, 224))
    (102, 1)
    """
    return max(1, CHUNK // max(1, images[0].numel()))


def _as_tensor(values: Any) -> torch.Tensor:
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    try:
        return torch.as_tensor(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"images and labels must be arrays or tensors of numbers ({error}).") from None


def _gathered(loader: Any) -> tuple[torch.Tensor, torch.Tensor]:
    batches = list(loader)
    if not batches:
        raise ValueError("the DataLoader is empty: it gives no images.")
    if not all(isinstance(batch, tuple | list) and len(batch) == 2 for batch in batches):
        raise TypeError("the DataLoader must give pairs of images and labels.")
    return torch.cat([images for images, _ in batches]), torch.cat([labels for _, labels in batches])


def _channels_first(x: torch.Tensor) -> torch.Tensor:
    if x.ndim == 3:
        return x[:, None]
    if x.ndim != 4:
        raise ValueError(
            f"the images have shape {tuple(x.shape)}: they must be of shape (N, channels, height, width), "
            "or with the channels last."
        )
    if x.shape[3] in CHANNELS and x.shape[1] not in CHANNELS:
        return x.permute(0, 3, 1, 2)
    return x
