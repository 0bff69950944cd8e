"""A perturbation changes its pixels and no others, in every layout and type of image, and survives its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.networks import Perturbation

pytest.importorskip("safetensors")
rng = np.random.default_rng(0)


def sparse(shape: tuple[int, int, int], pixels: int, seed: int = 0) -> np.ndarray:
    """A perturbation of so many random pixels."""
    drawn = np.random.default_rng(seed)
    flat = np.zeros((shape[0], shape[1] * shape[2]), np.float32)
    flat[:, drawn.choice(flat.shape[1], pixels, replace=False)] = drawn.uniform(-1, 1, (shape[0], pixels))
    return flat.reshape(shape)


def test_support_values_and_norms_of_a_colour_perturbation_are_those_written_down() -> None:
    delta = np.zeros((3, 2, 4), np.float32)
    delta[:, 0, 2] = [0.5, 0.0, -0.5]
    delta[1, 1, 3] = 1.0
    perturbation = Perturbation(delta)
    assert perturbation.support.tolist() == [2, 7]
    assert perturbation.pixels == 2
    assert_array_equal(perturbation.values, [[0.5, 0.0, -0.5], [0.0, 1.0, 0.0]])
    assert perturbation.norms == {"l0": 3.0, "l1": 2.0, "l2": pytest.approx(1.5**0.5), "linf": 1.0}


def test_the_image_is_clip_of_x_plus_delta() -> None:
    images, delta = rng.random((5, 3, 4, 6)), sparse((3, 4, 6), 7)
    assert_allclose(Perturbation(delta).apply(images), np.clip(images + delta, 0, 1), rtol=1e-6)


def test_every_layout_gives_the_same_images() -> None:
    delta, images = sparse((1, 5, 7), 6), rng.random((4, 1, 5, 7)).astype(np.float32)
    perturbation = Perturbation(delta)
    wanted = perturbation.apply(images)
    assert_array_equal(perturbation.apply(images[:, 0]), wanted[:, 0])
    assert_array_equal(perturbation.apply(images[0]), wanted[0])
    assert_array_equal(perturbation.apply(images.transpose(0, 2, 3, 1)), wanted.transpose(0, 2, 3, 1))


def test_tensors_stay_tensors_and_keep_their_precision() -> None:
    torch = pytest.importorskip("torch")
    images, perturbation = rng.random((4, 1, 5, 7)), Perturbation(sparse((1, 5, 7), 6))
    found = perturbation.apply(torch.tensor(images))
    assert found.dtype == torch.float64
    assert_array_equal(found.numpy(), perturbation.apply(images))
    assert perturbation.apply(images.astype(np.float32)).dtype == np.float32


def test_the_images_that_came_in_are_not_written_to() -> None:
    images = rng.random((4, 1, 5, 7))
    before = images.copy()
    images.flags.writeable = False
    Perturbation(sparse((1, 5, 7), 6)).apply(images)
    assert_array_equal(images, before)


@given(st.integers(0, 12), st.integers(0, 1000), st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)]))
def test_bytes_change_at_the_support_alone_and_stay_bytes(pixels: int, seed: int, box: tuple[float, float]) -> None:
    low, high = box
    delta = sparse((3, 4, 5), pixels, seed) * np.float32(high - low)
    images = np.random.default_rng(seed).integers(0, 256, (6, 3, 4, 5), dtype=np.uint8)
    moved = Perturbation(delta, low, high).apply(images)
    assert moved.dtype == np.uint8
    changed = (moved != images).any(axis=(0, 1)).ravel()
    assert set(np.flatnonzero(changed)) <= set(Perturbation(delta).support)
    wanted = np.round((np.clip(images / 255 * (high - low) + low + delta, low, high) - low) / (high - low) * 255)
    assert np.abs(moved - wanted).max() <= 1  # a half may fall to either side


def test_quantised_values_are_whole_levels_and_nearly_the_same() -> None:
    perturbation = Perturbation(sparse((1, 5, 7), 6), target=3)
    rounded = perturbation.quantised()
    assert_allclose(rounded.delta * 255, np.round(rounded.delta * 255), atol=1e-4)
    assert np.abs(rounded.delta - perturbation.delta).max() <= 0.5 / 255 + 1e-7
    assert rounded.target == 3


def test_a_pixel_that_rounds_to_nothing_leaves_the_support() -> None:
    delta = np.zeros((1, 2, 2), np.float32)
    delta[0, 0] = [0.001, 0.5]
    assert Perturbation(delta).quantised().support.tolist() == [1]


@pytest.mark.parametrize("target", [None, 0, 7])
@pytest.mark.parametrize("pixels", [0, 5])
def test_what_was_saved_is_loaded(tmp_path: Path, target: int | None, pixels: int) -> None:
    saved = Perturbation(sparse((3, 5, 7), pixels), -1.0, 1.0, target)
    saved.save(tmp_path / "delta.safetensors")
    loaded = Perturbation.load(tmp_path / "delta.safetensors")
    assert_array_equal(loaded.delta, saved.delta)
    assert (loaded.low, loaded.high, loaded.target) == (-1.0, 1.0, target)


def test_other_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    file = tmp_path / "delta.safetensors"
    file.write_bytes(b"no safetensors at all")
    with pytest.raises(ValueError, match="is no perturbation saved by atmostk, or is damaged"):
        Perturbation.load(file)
    save_file({"weight": np.zeros(2)}, file)
    with pytest.raises(ValueError, match="is no perturbation saved by atmostk"):
        Perturbation.load(file)
    with pytest.raises(FileNotFoundError):
        Perturbation.load(tmp_path / "nowhere.safetensors")


@pytest.mark.parametrize("pixel", [-1, 4, 10**9])
def test_a_file_whose_support_lies_outside_the_image_is_refused(tmp_path: Path, pixel: int) -> None:
    from safetensors.numpy import save_file

    told = {"shape": [1, 2, 2], "low": 0.0, "high": 1.0, "target": None}
    parts = {"support": np.array([pixel]), "values": np.ones((1, 1), np.float32)}
    about = {"format": "atmostk perturbation 1", "perturbation": json.dumps(told)}
    save_file(parts, tmp_path / "delta.safetensors", about)
    with pytest.raises(ValueError, match="outside the image"):
        Perturbation.load(tmp_path / "delta.safetensors")


@pytest.mark.parametrize(
    ("delta", "box", "sentence"),
    [
        (np.zeros((2, 2)), (0.0, 1.0), r"of shape \(channels, height, width\), not \(2, 2\)"),
        (np.full((1, 2, 2), np.nan), (0.0, 1.0), "NaN or infinity"),
        (np.zeros((1, 2, 2)), (1.0, 1.0), "from low=1.0 to high=1.0 is empty or endless"),
    ],
)
def test_what_is_no_perturbation_is_refused(delta, box, sentence) -> None:
    with pytest.raises(ValueError, match=sentence):
        Perturbation(delta, *box)


def test_images_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"images have shape \(4, 1, 28, 27\) and the perturbation \(1, 28, 28\)"):
        Perturbation(np.zeros((1, 28, 28))).apply(np.zeros((4, 1, 28, 27)))
