"""A perturbation as a run to report: the pixels, what they do to the network, the path over K."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atmostk.report.made import convergence, made
from atmostk.report.saved_run import Fact, SavedRun, Table

SHOWN = 10


def attack_run(
    perturbation: Any,
    evaluation: Any,
    images: np.ndarray,
    *,
    title: str,
    headline: str,
    asked: Mapping[str, Fact] | None = None,
    quality: Mapping[str, Fact] | None = None,
    path: Table | None = None,
    result: Any = None,
) -> SavedRun:
    """The run of a `Perturbation`, with the `Evaluation` of it.

    The first of the `images` are shown before and after. `quality` is what is known beside the evaluation; `path` a row
    for each budget; `result` a `Result`, whose steps are drawn.

        run = attack_run(delta, delta.evaluate(network, images, labels), images, title="Digits", headline="25 pixels")
        write_report(run, "report.html")
    """
    low, width = perturbation.low, perturbation.high - perturbation.low
    shown = _channels_first(np.asarray(images[:SHOWN]), perturbation)
    tables: dict[str, Table] = {
        "answer": answer(perturbation),
        "classes": classes(evaluation),
        "confusion": {str(label): column for label, column in enumerate(evaluation.confusion_after.T)},
        **convergence(result),
    }
    if path is not None:
        tables["path"] = path
    pictures = {
        "perturbation": perturbation.delta,
        "originals": (shown - low) / width,
        "perturbed": (perturbation.apply(shown) - low) / width,
    }
    facts: dict[str, Fact] = {**evaluated(evaluation), **(quality or {})}
    return SavedRun("attack", title, headline, dict(asked or {}), facts, made(result), tables, pictures)


def answer(perturbation: Any) -> dict[str, Any]:
    """The pixels that change, the largest change first; of a colour image a column for each channel."""
    across = perturbation.delta.shape[2]
    values = perturbation.values
    order = np.argsort(-np.abs(values).max(axis=1, initial=0.0), kind="stable")
    table: dict[str, Any] = {
        "row": perturbation.support[order] // across,
        "column": perturbation.support[order] % across,
    }
    names = ["change"] if values.shape[1] == 1 else [f"change of channel {c}" for c in range(values.shape[1])]
    return table | {name: values[order, place].astype(float) for place, name in enumerate(names)}


def classes(evaluation: Any) -> dict[str, Any]:
    """Class by class: images, and the shares told right before and after, and taken for the target."""
    rows = evaluation.by_class()
    names = {"class": "class", "images": "images", "right_before": "right before", "right_after": "right after"}
    if rows and "as_target" in rows[0]:
        names["as_target"] = "taken for the target"
    return {told: np.array([row[name] for row in rows]) for name, told in names.items()}


def evaluated(evaluation: Any) -> dict[str, Fact]:
    """What the perturbation does, in words."""
    told: dict[str, Fact] = {
        "images": evaluation.images,
        "accuracy before": evaluation.accuracy_before,
        "accuracy after": evaluation.accuracy_after,
    }
    if evaluation.hit is not None:
        told |= {"other classes taken for the target": evaluation.hit, "taken for it before": evaluation.hit_before}
    told |= {"pixels changed, at most": evaluation.most_pixels, "pixels changed, mean": evaluation.mean_pixels}
    return told | {"largest change": evaluation.norms["linf"]}


def _channels_first(images: np.ndarray, perturbation: Any) -> np.ndarray:
    """As (N, channels, height, width), numbers of the box."""
    if images.dtype.kind != "f":
        images = images.astype(np.float32) / 255 * (perturbation.high - perturbation.low) + perturbation.low
    channels, height, width = perturbation.delta.shape
    if images.shape[1:] == (height, width, channels):
        return np.moveaxis(images, -1, 1)
    return images.reshape(len(images), channels, height, width)
