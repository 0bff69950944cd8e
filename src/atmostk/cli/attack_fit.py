"""What `atmostk attack` asks of the attack, and what it has to tell, to write and to report afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.cli import outputs
from atmostk.cli.network_file import read_network
from atmostk.cli.options import numbers

IMAGES = ("images", "X", "x", "x_test")
LABELS = ("labels", "y", "y_test")


@dataclass(frozen=True)
class Asked:
    """What a person wants of the attack."""

    at_most: tuple[int, ...]
    target: int | None = None
    amplitude: float | None = None
    low: float = 0.0
    high: float = 1.0
    fast: bool = False
    kicks: int | None = None
    seed: int = 0
    max_seconds: float | None = None


@dataclass(frozen=True)
class Images:
    """Images and what they show, as they are in the file."""

    images: np.ndarray
    labels: np.ndarray


def budgets(text: str) -> tuple[int, ...]:
    """The numbers of pixels that --at-most names."""
    return tuple(numbers(text, "--at-most"))


def places(out: Path | None, at_most: tuple[int, ...]) -> list[Path]:
    """Where the perturbations go: one file, or for a curve one for each budget.

    >>> [place.name for place in places(Path("delta.safetensors"), (5, 10))]
    ['delta-5.safetensors', 'delta-10.safetensors']
    """
    if out is None:
        return []
    if out == outputs.STANDARD:
        raise ValueError("--out -: a perturbation is no text; name a file, or read the result with --json.")
    if out.suffix != ".safetensors":
        raise ValueError(f"--out {out}: a perturbation is written to a file that ends in .safetensors.")
    return [out] if len(at_most) == 1 else [out.with_stem(f"{out.stem}-{count}") for count in at_most]


def model(place: Path, network: str | None, probabilities: bool) -> Any:
    """The network of the file, giving logits."""
    found = read_network(place, network)
    if not probabilities:
        return found
    from atmostk.networks import LogProbabilities

    return LogProbabilities(found)


def read_images(place: Path) -> Images:
    """The images and labels of an npz file from outside."""
    from atmostk.datasets.expression import opened_archive

    if place.is_dir():
        raise IsADirectoryError(f"{place} is a folder: name a file in it.")
    arrays = opened_archive(place, needs=())
    held = ", ".join(f"{name} {value.dtype}{list(value.shape)}" for name, value in arrays.items()) or "nothing"
    parts = []
    for what, known in (("images", IMAGES), ("labels", LABELS)):
        name = next((name for name in known if name in arrays), None)
        if name is None or arrays[name].dtype.kind not in "fiub":
            raise ValueError(f"{place} needs an array of numbers named {what}: it holds {held}.")
        parts.append(arrays[name])
    return Images(*parts)


def read_mask(place: Path, images: Images) -> np.ndarray:
    """Where pixels may change."""
    try:
        mask = np.load(place, allow_pickle=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"--mask {place}: there is no such file.") from None
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"--mask {place} is no readable .npy file ({error}).") from None
    if not isinstance(mask, np.ndarray) or mask.ndim != 2 or mask.dtype.kind not in "fiub":
        raise ValueError(f"--mask {place} must hold one array of numbers, height x width, of the images' size.")
    return mask != 0


def fitted(
    asked: Asked,
    network: Any,
    images: Images,
    held: Images | None,
    mask: np.ndarray | None,
    where: str,
    working: Callable[[str], AbstractContextManager[None]],
) -> Found:
    """Search, with a line about what is done, and judge."""
    from atmostk.networks import SparseAttack

    _check_taken(network, images)
    aim = "any wrong class" if asked.target is None else f"class {asked.target}"
    counts = ", ".join(str(count) for count in asked.at_most)
    what = f"{counts} pixels that make a network take {len(images.images):,} images for {aim}"
    attack = SparseAttack(
        at_most=max(asked.at_most),
        target=asked.target,
        amplitude=asked.amplitude,
        mask=mask,
        low=asked.low,
        high=asked.high,
        fast=asked.fast,
        kicks=asked.kicks,
        seed=asked.seed,
        max_seconds=asked.max_seconds,
    )
    with working(f"choosing {what} ({where})"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            path = attack.path(list(asked.at_most), network, images.images, images.labels)
        told = [str(warning.message) for warning in caught]
        perturbations = [path[count] for count in asked.at_most]
        judged = images if held is None else held
        evaluations = [found.evaluate(network, judged.images, judged.labels) for found in perturbations]
    interrupted = any("interrupted" in text for text in told)
    return Found(asked, where, perturbations, evaluations, judged, held is not None, interrupted)


def _check_taken(network: Any, images: Images) -> None:
    """Raise with one sentence where the network cannot take images of this size."""
    import torch

    from atmostk.networks.images import read_images as checked

    # Whatever is wrong with the numbers themselves is told by the attack, which knows the box.
    x, _ = checked(np.zeros_like(images.images[:2]), np.zeros(len(images.images[:2])))
    try:
        with torch.no_grad():
            network(x)
    except (RuntimeError, ValueError, AssertionError) as error:
        last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
        raise ValueError(f"the network does not take images of shape {tuple(x.shape[1:])} ({last[0]}).") from None


@dataclass(frozen=True)
class Found:
    """Perturbations, one for each budget, and what they do."""

    asked: Asked
    where: str
    perturbations: list[Any]
    evaluations: list[Any]
    judged: Images
    held_out: bool
    interrupted: bool

    def path(self) -> dict[str, np.ndarray]:
        """A row for each budget."""
        table = {
            "pixels": np.array(self.asked.at_most),
            "share: right": np.array([found.accuracy_after for found in self.evaluations]),
        }
        if self.asked.target is not None:
            hits = [np.nan if found.hit is None else found.hit for found in self.evaluations]
            table["share: taken for the target"] = np.array(hits)
        return table

    def told(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and tables for standard output."""
        from atmostk.report.attack_run import answer, classes, evaluated

        last, found = self.evaluations[-1], self.perturbations[-1]
        facts: dict[str, Any] = {"pixels": found.pixels, "target": self.asked.target, **evaluated(last)}
        facts["judged on"] = "the images of --test" if self.held_out else "the images it was found on"
        if len(self.evaluations) > 1:
            return facts, {"path": self.path(), "answer": answer(found)}
        return facts, {"answer": answer(found), "classes": classes(last)}

    def run(self) -> Any:
        """The run, to be kept for a report."""
        from atmostk.report import attack_run

        last, found = self.evaluations[-1], self.perturbations[-1]
        asked = {
            "model and images": self.where,
            "at most": ", ".join(str(count) for count in self.asked.at_most) + " pixels",
            "target": "any wrong class" if self.asked.target is None else self.asked.target,
            "amplitude": self.asked.amplitude,
            "judged on": "held-out images" if self.held_out else "the images it was found on",
            "seed": self.asked.seed,
        }
        hit = "" if last.hit is None else f", {last.hit:.1%} of the other classes taken for {self.asked.target}"
        return attack_run(
            found,
            last,
            self.judged.images,
            title=f"Attack of {self.where}",
            headline=f"{found.pixels} pixels: accuracy {last.accuracy_before:.1%} to {last.accuracy_after:.1%}{hit}.",
            asked=asked,
            path=self.path() if len(self.evaluations) > 1 else None,
        )
