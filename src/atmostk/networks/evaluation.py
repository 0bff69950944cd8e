"""What a perturbation does to a model: accuracy, hits, confusion, and pixels as they would be in a file."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from atmostk.networks.grey_levels import to_levels
from atmostk.networks.images import check_classes, chunk_length, read_images
from atmostk.networks.models import Logits, ready


class Perturbing(Protocol):
    """Anything that changes images within a box: a `Perturbation`, or the released program's form of one."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def target(self) -> int | None: ...
    @property
    def norms(self) -> dict[str, float]: ...
    def apply(self, images: Any, /) -> Any: ...


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Shares are of 1; a confusion table has a row for each true class and a column for each prediction.

    `hit` is the share of the images of *other* classes that are predicted as the target; None without a target.
    `most_pixels` and `mean_pixels` are counted on the images as 8-bit files would hold them.

        found = evaluate(perturbation, network, images, labels)
        print(found)                                     # the sentence
        found.confusion_after[3]                         # what the threes are taken for
        [row["right_after"] for row in found.by_class()]
    """

    images: int
    target: int | None
    accuracy_before: float
    accuracy_after: float
    hit_before: float | None
    hit: float | None
    confusion_before: np.ndarray
    confusion_after: np.ndarray
    most_pixels: int
    mean_pixels: float
    norms: dict[str, float]

    @property
    def predicted_as_target(self) -> int | None:
        """How many of all images are predicted as the target, as the paper's figures count."""
        return None if self.target is None else int(self.confusion_after[:, self.target].sum())

    def by_class(self) -> list[dict[str, float]]:
        """For each class that occurs: its images, shares told right before and after, share taken for the target."""
        rows = []
        for label in np.flatnonzero(self.confusion_after.sum(axis=1)):
            before, after = self.confusion_before[label], self.confusion_after[label]
            row = {"class": int(label), "images": int(after.sum())}
            row |= {"right_before": before[label] / before.sum(), "right_after": after[label] / after.sum()}
            if self.target is not None:
                row["as_target"] = after[self.target] / after.sum()
            rows.append(row)
        return rows

    def __str__(self) -> str:
        told = f"accuracy {self.accuracy_before:.2%} -> {self.accuracy_after:.2%} on {self.images} images"
        if self.hit is not None:
            told += f", {self.hit:.2%} of the other classes taken for class {self.target}"
        return f"{told}, at most {self.most_pixels} pixels changed"


def evaluate(
    perturbation: Perturbing, model: Any, images: Any, labels: Any = None, *, batch_size: int = 250
) -> Evaluation:
    """Predictions before and after, on every image.

    >>> from atmostk.networks.perturbation import Perturbation
    >>> delta = np.zeros((1, 1, 2), np.float32)
    >>> delta[0, 0, 1] = 1
    >>> images = torch.tensor([[[[1.0, 0.0]]], [[[0.0, 1.0]]]])
    >>> flat = torch.nn.Flatten()
    >>> print(evaluate(Perturbation(delta, target=1), lambda x: 3 * flat(x), images * 0.9, [0, 1]))
    accuracy 100.00% -> 50.00% on 2 images, 100.00% of the other classes taken for class 1, at most 1 pixels changed
    """
    x, y = read_images(images, labels, low=perturbation.low, high=perturbation.high)
    step = min(batch_size, chunk_length(x))
    before, after, changed = [], [], []
    with ready(model) as logits, torch.no_grad():
        for chunk in x.split(step):
            moved = perturbation.apply(chunk)
            before.append(_scores(logits, chunk))
            after.append(_scores(logits, moved))
            levels = [to_levels(part, perturbation.low, perturbation.high, _BYTES) for part in (chunk, moved)]
            changed.append((levels[0] != levels[1]).any(1).flatten(1).sum(1))
    classes = before[0].shape[1]
    check_classes(y, classes, perturbation.target)
    tables = [_confusion(y, torch.cat(scores).argmax(1), classes) for scores in (before, after)]
    pixels = torch.cat(changed)
    return Evaluation(
        images=len(x),
        target=perturbation.target,
        accuracy_before=_right(tables[0]),
        accuracy_after=_right(tables[1]),
        hit_before=_hit(tables[0], perturbation.target),
        hit=_hit(tables[1], perturbation.target),
        confusion_before=tables[0],
        confusion_after=tables[1],
        most_pixels=int(pixels.max()),
        mean_pixels=float(pixels.double().mean()),
        norms=perturbation.norms,
    )


def spread(evaluations: Sequence[Evaluation]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation over several evaluations, such as one for each seed; hits only where all have one.

    Of one perturbation on several networks:

        told = spread([evaluate(perturbation, network, images, labels) for network in networks])
        mean, deviation = told["accuracy_after"]
    """
    if not evaluations:
        raise ValueError("there are no evaluations to take the spread of.")
    told = {}
    for name in ("accuracy_before", "accuracy_after", "hit_before", "hit", "most_pixels", "mean_pixels"):
        values = [getattr(evaluation, name) for evaluation in evaluations]
        if None not in values:
            told[name] = (statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0)
    return told


_BYTES = torch.zeros(0, dtype=torch.uint8)


def _scores(logits: Logits, images: torch.Tensor) -> torch.Tensor:
    return logits(images.contiguous(memory_format=torch.channels_last)).cpu()


def _confusion(labels: torch.Tensor, predicted: torch.Tensor, classes: int) -> np.ndarray:
    pairs = labels.cpu() * classes + predicted
    return torch.bincount(pairs, minlength=classes * classes).reshape(classes, classes).numpy()


def _right(confusion: np.ndarray) -> float:
    return float(np.trace(confusion) / confusion.sum())


def _hit(confusion: np.ndarray, target: int | None) -> float | None:
    """The share of the other classes' images predicted as the target; None without a target, or without such images."""
    if target is None:
        return None
    others = np.delete(confusion, target, axis=0)
    return float(others[:, target].sum() / others.sum()) if others.sum() else None
