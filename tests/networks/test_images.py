"""Images and labels at the door: what is let in, and the sentence for what is not."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from atmostk.networks.images import read_images

images = np.random.default_rng(0).random((6, 3, 8, 8)).astype(np.float32)
labels = np.arange(6)


def test_right_images_are_not_copied() -> None:
    x, y = read_images(images, labels)
    assert x.data_ptr() == images.ctypes.data
    assert y.dtype == torch.int64


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (images.transpose(0, 2, 3, 1), images),
        (images[:, 0], images[:, :1]),
        (images.astype(np.float64), images),
        (torch.tensor(images, requires_grad=True), images),
    ],
)
def test_other_layouts_and_types_become_channels_first_in_single_precision(given, wanted) -> None:
    x, _ = read_images(given, labels)
    assert x.dtype == torch.float32
    assert not x.requires_grad
    assert_allclose(x.numpy(), wanted)


def test_bytes_are_read_as_levels_of_the_box() -> None:
    levels = np.array([0, 51, 255], np.uint8).reshape(3, 1, 1, 1)
    x, _ = read_images(levels, [0, 1, 2], low=-1.0, high=1.0)
    assert_allclose(x.ravel().numpy(), [-1.0, -0.6, 1.0], atol=1e-6)


@pytest.mark.parametrize(
    ("given", "classes", "sentence"),
    [
        (images * 255, labels, "outside the box from 0 to 1: scale them"),
        (images - 0.1, labels, "values from -0.0"),
        (images * np.nan, labels, "NaN or infinity"),
        (images, labels[:5], "labels have shape (5,) for 6 images"),
        (images, labels + 0.5, "whole numbers"),
        (images[:0], labels[:0], "there are no images"),
        (images[0, 0], labels, "must be of shape (N, channels, height, width)"),
    ],
)
def test_what_does_not_fit_is_refused(given, classes, sentence) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_images(given, classes)


def test_missing_labels_and_things_that_are_no_images_are_refused() -> None:
    with pytest.raises(TypeError, match="labels are missing"):
        read_images(images)
    with pytest.raises(TypeError, match="must be arrays or tensors of numbers"):
        read_images([["a"]], [0])


def test_a_loader_that_is_empty_or_gives_no_labels_is_refused() -> None:
    empty = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(0, 1, 2, 2), torch.zeros(0)))
    with pytest.raises(ValueError, match="the DataLoader is empty"):
        read_images(empty)
    alone = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(4, 1, 2, 2)))
    with pytest.raises(TypeError, match="pairs of images and labels"):
        read_images(alone)
