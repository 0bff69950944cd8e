"""The answer of an attack: one perturbation of a few pixels, to apply, look at, judge, save and load."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.checkpoint import write_whole
from atmostk.networks.grey_levels import from_levels, is_levels, to_levels

if TYPE_CHECKING:
    from atmostk.networks.evaluation import Evaluation

FORMAT = "atmostk perturbation 1"


@dataclass(frozen=True, eq=False, repr=False)
class Perturbation:
    """One array that is added to every image, zero at all but a few pixels: image = clip(image + delta, low, high).

    `delta` is of shape (channels, height, width); `target` is the class that it was made to be taken for, None when it
    was made to be taken for any wrong one. Pixels outside the support are left exactly as they are.

    >>> delta = np.zeros((1, 2, 2), np.float32)
    >>> delta[0, 0, 1] = 0.75
    >>> perturbation = Perturbation(delta, target=5)
    >>> perturbation
    Perturbation(1 of 2 x 2 pixels, target 5)
    >>> perturbation.apply(np.full((1, 1, 2, 2), 0.5))
    array([[[[0.5, 1. ],
             [0.5, 0.5]]]])
    """

    delta: Array
    low: float = 0.0
    high: float = 1.0
    target: int | None = None

    def __post_init__(self) -> None:
        delta = np.array(arrays.to_numpy(self.delta), np.float32)
        if delta.ndim != 3:
            raise ValueError(f"a perturbation is of shape (channels, height, width), not {delta.shape}.")
        if not np.isfinite(delta).all():
            raise ValueError("the perturbation holds NaN or infinity.")
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"the box from low={self.low} to high={self.high} is empty or endless.")
        delta.flags.writeable = False
        object.__setattr__(self, "delta", delta)

    def __repr__(self) -> str:
        _, height, width = self.delta.shape
        aim = "untargeted" if self.target is None else f"target {self.target}"
        return f"Perturbation({self.pixels} of {height} x {width} pixels, {aim})"

    @property
    def support(self) -> np.ndarray:
        """The pixels that change, row by row from the top left, ascending: row = index // width."""
        return np.flatnonzero(self.delta.any(axis=0))

    @property
    def values(self) -> np.ndarray:
        """What is added to them: one row for each pixel of the support, one column for each channel."""
        return self.delta.reshape(len(self.delta), -1)[:, self.support].T

    @property
    def pixels(self) -> int:
        """How many pixels change; a pixel counts once, whatever its channels."""
        return len(self.support)

    @property
    def norms(self) -> dict[str, float]:
        """The number of changed entries, and the sum, the Euclidean norm and the largest of their magnitudes."""
        return norms(self.delta)

    def apply(self, images: Array) -> Array:
        """The images with the perturbation, in the box: a new array of the same kind, layout and precision.

        Images are NumPy arrays or tensors of shape (..., channels, height, width), or with the channels last; without
        channels where there is only one. Whole numbers are read as levels from 0 to 255 of the box.
        """
        delta = self._laid_out(tuple(images.shape))
        if is_levels(images):
            return to_levels(self._added(from_levels(images, self.low, self.high), delta), self.low, self.high, images)
        return self._added(images, delta)

    def quantised(self) -> Perturbation:
        """Its values rounded to the 256 levels of an 8-bit image; pixels that round to nothing leave the support."""
        level = (self.high - self.low) / 255
        return Perturbation(np.round(self.delta / level) * level, self.low, self.high, self.target)

    def evaluate(self, model: Any, images: Any, labels: Any = None, *, batch_size: int = 250) -> Evaluation:
        """What it does to a model on these images: see `Evaluation`. Needs PyTorch.

        `images` and `labels` are arrays or tensors, or `images` is a DataLoader of both.
        """
        from atmostk.networks.evaluation import evaluate

        return evaluate(self, model, images, labels, batch_size=batch_size)

    def save(self, file: str | Path) -> None:
        """Write it to a safetensors file: the support, the values, and the rest as text."""
        safetensors = _safetensors()
        told = {"shape": self.delta.shape, "low": self.low, "high": self.high, "target": self.target}
        parts = {"support": self.support, "values": np.ascontiguousarray(self.values)}
        whole = safetensors.numpy.save(parts, {"format": FORMAT, "perturbation": json.dumps(told)})
        write_whole(Path(file), lambda opened: opened.write(whole))

    @staticmethod
    def load(file: str | Path) -> Perturbation:
        """The perturbation that `save` wrote. The file is read as numbers and text; nothing in it is run."""
        safetensors = _safetensors()
        try:
            with safetensors.safe_open(str(file), framework="np") as opened:
                about = opened.metadata() or {}
                if about.get("format") != FORMAT:
                    raise ValueError(f"its format is {about.get('format')}")
                told = json.loads(about["perturbation"])
                support, values = opened.get_tensor("support"), opened.get_tensor("values")
            channels, height, width = (int(size) for size in told["shape"])
            if support.size and not 0 <= support.min() <= support.max() < height * width:
                raise ValueError("its support lies outside the image")
            delta = np.zeros((channels, height * width), np.float32)
            delta[:, support] = values.T
            target = None if told["target"] is None else int(told["target"])
            return Perturbation(delta.reshape(channels, height, width), told["low"], told["high"], target)
        except (safetensors.SafetensorError, KeyError, TypeError, ValueError, IndexError) as error:
            raise ValueError(f"{file} is no perturbation saved by atmostk, or is damaged ({error}).") from None

    def _added(self, images: Array, delta: np.ndarray) -> Array:
        return arrays.clip(images + arrays.like(delta, images), self.low, self.high)

    def _laid_out(self, shape: tuple[int, ...]) -> np.ndarray:
        """The perturbation in the layout of images of this shape."""
        if shape[-3:] == self.delta.shape:
            return self.delta
        last = np.moveaxis(self.delta, 0, -1)
        if shape[-3:] == last.shape:
            return last
        if len(self.delta) == 1 and shape[-2:] == self.delta.shape[1:]:
            return self.delta[0]
        raise ValueError(
            f"the images have shape {shape} and the perturbation {self.delta.shape}: "
            "it fits images with these last three sizes, or with the channels last."
        )


def norms(delta: np.ndarray) -> dict[str, float]:
    """How large an array is, in four ways.

    >>> norms(np.array([3.0, 0.0, -4.0]))
    {'l0': 2.0, 'l1': 7.0, 'l2': 5.0, 'linf': 4.0}
    """
    size = np.abs(delta.astype(np.float64))
    return {
        "l0": float(np.count_nonzero(size)),
        "l1": float(size.sum()),
        "l2": arrays.norm(delta),
        "linf": float(size.max(initial=0.0)),
    }


def _safetensors() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise ImportError(
            "saving and loading a perturbation needs safetensors: pip install 'atmostk[torch]'."
        ) from None
    return safetensors
