"""The paper's figures of the graph experiment, each drawn three times over the same data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from reproduction.graphs.enough import enough
from reproduction.graphs.runs import FORMS, GROWN

TRAIN, VALIDATION, OTHER = "#1f6feb", "#d1495b", "#7a7a7a"
Runs = list[dict[str, Any]]


def of(runs: Runs, form: str) -> dict[int, Runs]:
    """The runs of a form, by budget in ascending order."""
    budgets = sorted({run["K"] for run in runs if run["form"] == form})
    return {K: [run for run in runs if run["form"] == form and run["K"] == K] for K in budgets}


def marked(by_budget: dict[int, Runs]) -> int | None:
    """Where more entries stop paying on the validation rows, averaged over the starts."""
    if len(by_budget) < 2:
        return None
    losses = [np.mean([run["validation_rows"] for run in runs], axis=0) for runs in by_budget.values()]
    return enough(list(by_budget), np.array(losses))


def draw(runs: Runs, folder: Path, caption: str, true_K: int | None) -> list[Path]:
    """Both figures."""
    import matplotlib

    matplotlib.use("Agg")
    return [
        _budget(runs, folder / "budget.png", caption, true_K),
        _iterations(runs, folder / "iterations.png", caption),
    ]


def _budget(runs: Runs, file: Path, caption: str, true_K: int | None) -> Path:
    """Objective and accepted iterations against K."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(13, 7), sharex=True, constrained_layout=True)
    # One scale for all objectives, and for the steps of PIHT; an exchange does the work of hundreds of those.
    for axis, first in ((axes[0, 1], axes[0, 0]), (axes[0, 2], axes[0, 0]), (axes[1, 1], axes[1, 0])):
        axis.sharey(first)
        axis.tick_params(labelleft=False)
    for column, form in enumerate(FORMS):
        by_budget = of(runs, form)
        top, bottom = axes[:, column]
        top.set_title(form)
        for name, colour in (("train", TRAIN), ("validation", VALIDATION)):
            _band(top, by_budget, name, colour, name)
        _band(bottom, by_budget, "accepted", TRAIN, None)
        if form == "ours":
            grown = of(runs, GROWN)
            for name, colour in (("train", TRAIN), ("validation", VALIDATION)):
                _band(top, grown, name, colour, f"{name}, grown from no edge", linestyle="--", marker=None)
            by_budget = grown or by_budget
        stop = marked(by_budget)
        if stop is not None:
            top.axvline(stop, color=OTHER, linestyle=":", label="where more stops paying")
            top.set_title(f"{form}: more stops paying at K = {stop:,}")
        if true_K is not None:
            top.axvline(true_K, color=OTHER, linewidth=0.8, label=f"the true graph: K = {true_K:,}")
        bottom.set_xlabel("K, nonzero entries allowed")
    axes[0, 0].set_ylabel("objective, mean of the starts")
    axes[1, 0].set_ylabel("accepted iterations")
    for axis in (axes[1, 0], axes[1, 2]):
        axis.set_ylim(0, 1.1 * axis.get_ylim()[1])
        axis.yaxis.get_major_locator().set_params(integer=True)
    labels = {
        label: handle for axis in axes[0] for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(list(labels.values()), list(labels), loc="outside lower center", ncols=len(labels), fontsize=9)
    figure.suptitle(caption, fontsize=10)
    figure.savefig(file, dpi=120)
    plt.close(figure)
    return file


def _iterations(runs: Runs, file: Path, caption: str) -> Path:
    """The objective over the successful iterations of the first start, a line for each of a few budgets."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), sharey=True, constrained_layout=True)
    for axis, form in zip(axes, FORMS, strict=True):
        by_budget = of(runs, form)
        budgets = list(by_budget)
        shown = sorted({budgets[0], budgets[len(budgets) // 2], budgets[-1]}) if budgets else []
        longest = 0
        for shade, K in zip(np.linspace(0.45, 1, len(shown)), shown, strict=True):
            first = by_budget[K][0]
            path = np.array([[0, first["start"]], *first["path"]])
            longest = max(longest, int(path[-1, 0]))
            marker = "o" if len(path) < 30 else None
            axis.plot(*path.T, color=TRAIN, alpha=shade, marker=marker, markersize=3, label=f"K = {K:,}")
        if longest > 30:
            axis.set_xscale("symlog", linthresh=1)
            axis.set_xlim(left=0)
        else:
            axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set_title(form)
        axis.set_xlabel("successful iteration (0: the start)")
        if shown:
            axis.legend(fontsize=8)
    axes[0].set_ylabel("objective on the iteration's sample")
    figure.suptitle(caption, fontsize=10)
    figure.savefig(file, dpi=120)
    plt.close(figure)
    return file


def _band(axis: Any, by_budget: dict[int, Runs], name: str, colour: str, label: str | None, **style: Any) -> None:
    if not by_budget:
        return
    K = list(by_budget)
    values = [[run[name] for run in runs] for runs in by_budget.values()]
    mean, spread = np.array([np.mean(v) for v in values]), np.array([np.std(v) for v in values])
    axis.plot(K, mean, **{"color": colour, "marker": "o", "markersize": 3, "label": label, **style})
    axis.fill_between(K, mean - spread, mean + spread, color=colour, alpha=0.2, linewidth=0)
