"""Figures of an attack: the perturbation, images with and without it, success against K, confusion before and after.

Each returns a matplotlib figure, to show, save or put into a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.networks.evaluation import Evaluation, Perturbing
from atmostk.networks.perturbation import Perturbation

BLUE, RED, GREY = "#2f6fde", "#d1495b", "#6b7280"


def heat_map(perturbation: Perturbation) -> Any:
    """What is added to every image; red darkens, blue brightens, and of a colour image each channel has its map.

    >>> delta = np.zeros((1, 4, 4), np.float32)
    >>> delta[0, 1, 2] = 1
    >>> len(heat_map(Perturbation(delta, target=5)).axes)      # the map and its scale
    2
    """
    delta = perturbation.delta
    figure, axes = _grid(1, len(delta), 3.4, 3.2)
    largest = float(np.abs(delta).max(initial=0.0)) or 1.0
    drawn: Any = None
    for axis, channel, number in zip(axes.flat, delta, range(len(delta)), strict=True):
        drawn = axis.imshow(channel, cmap=_map(), vmin=-largest, vmax=largest, interpolation="nearest")
        if len(delta) > 1:
            axis.set_title(f"channel {number}", fontsize=9)
        axis.tick_params(labelsize=7, length=2)
        axis.spines[:].set_color(GREY)
    figure.colorbar(drawn, ax=axes.ravel().tolist(), shrink=0.8).ax.tick_params(labelsize=7)
    aim = "any wrong class" if perturbation.target is None else f"class {perturbation.target}"
    figure.suptitle(f"{perturbation.pixels} pixels, towards {aim}", fontsize=10)
    return figure


def before_and_after(perturbation: Perturbing, model: Any, images: Any, *, names: Sequence[str] | None = None) -> Any:
    """Images over the same images with the perturbation, each with the class that the model gives it.

    A title in red tells that the class has changed.

        before_and_after(delta, network, digits.test_images[:10]).savefig("digits.png")
    """
    import torch

    from atmostk.networks.images import read_images
    from atmostk.networks.models import ready

    x, _ = read_images(images, np.zeros(len(images), int), low=perturbation.low, high=perturbation.high)
    moved = perturbation.apply(x)
    with ready(model) as logits, torch.no_grad():
        taken = [logits(part).argmax(1).tolist() for part in (x, moved)]
    figure, axes = _grid(2, len(x), 1.1, 1.3)
    for row, (part, classes) in enumerate(zip((x, moved), taken, strict=True)):
        for axis, image, number, first in zip(axes[row], arrays.to_numpy(part), classes, taken[0], strict=True):
            shown = np.moveaxis((image - perturbation.low) / (perturbation.high - perturbation.low), 0, -1)
            axis.imshow(shown, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
            told = str(number) if names is None else names[number]
            axis.set_title(told, fontsize=9, color=RED if number != first else GREY)
            axis.set_axis_off()
    return figure


def success(curves: Mapping[Any, Mapping[int, Evaluation | Sequence[Evaluation]]]) -> Any:
    """Hits and accuracy against K: each target's curve, their mean with its spread, the best target, the untargeted.

    `curves` has for each target (None: untargeted) a dictionary of K to what `evaluate` told, or to several of them,
    such as one for each seed.

        curves = {target: {k: d.evaluate(...) for k, d in SparseAttack(target=target).path(ks, ...).items()}}
        success(curves).savefig("success.png")
    """
    if not curves:
        raise ValueError("there are no curves to draw: give a dictionary of K to evaluations for at least one target.")
    targeted = {target: curve for target, curve in curves.items() if target is not None}
    figure, axes = _grid(1, 2 if targeted else 1, 4.6, 3.4)
    _accuracies(axes.flat[-1], curves)
    if targeted:
        _hits(axes.flat[0], targeted)
    for axis in axes.flat:
        axis.set(xlabel="pixels changed, K", ylim=(0, 100))
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(alpha=0.25)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.legend(frameon=False, fontsize=8)
    return figure


def confusions(evaluation: Evaluation, *, names: Sequence[str] | None = None) -> Any:
    """For each true class, the shares of what it is taken for, before and after.

    >>> tables = np.eye(2, dtype=int), np.array([[0, 1], [0, 1]])
    >>> norms = {"l0": 1.0, "l1": 1.0, "l2": 1.0, "linf": 1.0}
    >>> told = Evaluation(2, 1, 1.0, 0.5, 0.0, 1.0, *tables, most_pixels=1, mean_pixels=1.0, norms=norms)
    >>> [axis.get_title() for axis in confusions(told).axes]
    ['before, 100.0 % right', 'after, 50.0 % right']
    """
    figure, axes = _grid(1, 2, 3.8, 3.8)
    both = (
        (evaluation.confusion_before, evaluation.accuracy_before),
        (evaluation.confusion_after, evaluation.accuracy_after),
    )
    for axis, when, (table, right) in zip(axes.flat, ("before", "after"), both, strict=True):
        shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        axis.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        labels = [str(number) if names is None else names[number] for number in range(len(table))]
        axis.set_xticks(range(len(table)), labels, fontsize=8)
        axis.set_yticks(range(len(table)), labels, fontsize=8)
        axis.set_title(f"{when}, {right:.1%} right".replace("%", " %"), fontsize=10)
        axis.set(xlabel="taken for", ylabel="class")
        if len(table) <= 12:
            for (row, column), share in np.ndenumerate(shares):
                if share >= 0.005:
                    colour = "white" if share > 0.5 else "black"
                    axis.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color=colour)
    return figure


def _hits(axis: Any, targeted: Mapping[int, Mapping[int, Evaluation | Sequence[Evaluation]]]) -> None:
    means = {target: _means(curve, "hit") for target, curve in targeted.items()}
    best = max(means, key=lambda target: sum(means[target].values()))
    if len(means) > 1:
        for mean in means.values():
            axis.plot(list(mean), list(mean.values()), color=GREY, alpha=0.3, linewidth=1)
        counts = sorted(set.intersection(*(set(mean) for mean in means.values())))
        table = np.array([[mean[count] for count in counts] for mean in means.values()])
        middle, spread = table.mean(axis=0), table.std(axis=0)
        axis.plot(counts, middle, color=BLUE, marker="o", markersize=3, label=f"mean of {len(means)} targets")
        axis.fill_between(counts, middle - spread, middle + spread, color=BLUE, alpha=0.15, linewidth=0)
    curve = means[best]
    axis.plot(list(curve), list(curve.values()), color=RED, marker="o", markersize=3, label=f"target {best}")
    axis.set_ylabel("other classes taken for the target, %")


def _accuracies(axis: Any, curves: Mapping[Any, Mapping[int, Evaluation | Sequence[Evaluation]]]) -> None:
    targeted = [_means(curve, "accuracy_after") for target, curve in curves.items() if target is not None]
    if targeted:
        counts = sorted(set.intersection(*(set(mean) for mean in targeted)))
        table = np.array([[mean[count] for count in counts] for mean in targeted])
        middle, spread = table.mean(axis=0), table.std(axis=0)
        axis.plot(counts, middle, color=BLUE, marker="o", markersize=3, label="mean of targets")
        axis.fill_between(counts, middle - spread, middle + spread, color=BLUE, alpha=0.15, linewidth=0)
    if None in curves:
        curve = _means(curves[None], "accuracy_after")
        axis.plot(list(curve), list(curve.values()), color=RED, marker="o", markersize=3, label="untargeted")
    axis.set_ylabel("accuracy, %")


def _means(curve: Mapping[int, Evaluation | Sequence[Evaluation]], name: str) -> dict[int, float]:
    """In percent, by rising K; of several evaluations the mean."""
    found = {}
    for count in sorted(curve):
        told = curve[count]
        several = [told] if isinstance(told, Evaluation) else list(told)
        found[count] = 100 * float(np.mean([getattr(one, name) for one in several]))
    return found


def _map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("darker to brighter", [RED, "#f3f4f6", BLUE])


def _grid(rows: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("figures need matplotlib: pip install 'atmostk[plots]'.") from None
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained", dpi=120)
    return figure, figure.subplots(rows, columns, squeeze=False)
