"""A path and a choice to look at: coefficients and scores against the number of features (needs matplotlib)."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.estimators.sparse_paths import SparsePath

COLOURS = ("#2f6fde", "#d1495b", "#2a9d8f", "#b7791f", "#7b5ea7", "#6b7280", "#c2649a", "#4d7c0f", "#0e7490", "#9a3412")
NAMED = 10  # features that get a name at the end of their line


def plot_path(model: Any, *, axes: Any = None, spread: Any = None) -> Any:
    """The coefficients against the number of features, of a `SparsePath` or a fitted CV estimator.

    `spread` (the columns' standard deviations) turns coefficients into effects of one standard deviation, which can be
    compared. Of several classes the longest coefficient of each feature is drawn. The largest features at the end of
    the path are named. Returns the matplotlib axes.

    >>> from atmostk import sparse_path
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> path = sparse_path(X, X[:, 2] + 3 * X[:, 5], at_most=[1, 2])
    >>> axes = plot_path(path)  # doctest: +SKIP
    """
    path = _path_of(model, "plot_path")
    axes = _axes(axes)
    used = np.unique(np.concatenate([*path.supports, np.empty(0, np.int64)])).astype(np.int64)
    drawn = _longest(path.coefs[..., used])
    label = "coefficient"
    if spread is not None:
        drawn, label = drawn * np.asarray(spread)[used], "effect of one standard deviation"
    names = getattr(path.template, "feature_names_in_", None)
    order = np.argsort(-np.abs(drawn[-1]), kind="stable")
    ends = []
    for rank, place in enumerate(order):
        named = rank < NAMED and drawn[-1, place] != 0
        colour = COLOURS[rank % len(COLOURS)] if named else "#9ca3af"
        _line(axes, path.at_most, drawn[:, place], colour, named)
        if named:
            name = f"feature {used[place]}" if names is None else str(names[used[place]])
            ends.append((float(drawn[-1, place]), name, colour))
    axes.axhline(0, color="#6b7280", linewidth=0.8)
    axes.set(xlabel="features", ylabel=label)
    _whole_ticks(axes)
    _name_ends(axes, float(path.at_most[-1]), ends)
    _chosen(axes, model)
    return axes


def plot_cv(model: Any, *, axes: Any = None) -> Any:
    """The score of each budget, lower is better, with the one that was chosen; of a fitted CV estimator.

    With criterion="cv" that is the loss on held-out rows with its standard error, beside the loss on the rows that were
    fitted; else the information criterion. Returns the matplotlib axes.

    >>> from atmostk import SparseRegressorCV
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> model = SparseRegressorCV(at_most=range(1, 5)).fit(X, X[:, 2] + 3 * X[:, 5])
    >>> axes = plot_cv(model)  # doctest: +SKIP
    """
    if not hasattr(model, "scores_") or not hasattr(model, "path_"):
        raise TypeError(f"plot_cv draws a fitted SparseRegressorCV or SparseClassifierCV, not {type(model).__name__}.")
    path, axes = model.path_, _axes(axes)
    if model.errors_ is None:
        axes.plot(path.at_most, model.scores_, color=COLOURS[0], marker="o", markersize=4)
        axes.set(ylabel=model.criterion.upper())
    else:
        low, high = model.scores_ - model.errors_, model.scores_ + model.errors_
        axes.fill_between(path.at_most, low, high, color=COLOURS[0], alpha=0.18, linewidth=0)
        axes.plot(path.at_most, model.scores_, color=COLOURS[0], marker="o", markersize=4, label="on held-out rows")
        axes.plot(path.at_most, path.losses, color=COLOURS[5], marker="o", markersize=3, label="on the rows fitted")
        axes.set(ylabel="mean loss")
        finite = high[np.isfinite(high)]
        if finite.size and finite.max() > 20 * np.median(finite):
            axes.set_yscale("log")
    axes.set(xlabel="features")
    _whole_ticks(axes)
    _chosen(axes, model)
    axes.legend(frameon=False)
    return axes


def _path_of(model: Any, who: str) -> SparsePath:
    path = getattr(model, "path_", model)
    if not isinstance(path, SparsePath):
        raise TypeError(f"{who} draws a SparsePath or a fitted CV estimator, not a {type(model).__name__}.")
    return path


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plotting needs matplotlib: pip install 'atmostk[plots]'.") from None
    return plt.subplots(figsize=(7.0, 4.2), layout="constrained")[1]


def _longest(coefficients: np.ndarray) -> np.ndarray:
    """Budgets by features; of several outputs the entry of largest size."""
    if coefficients.ndim == 2:
        return coefficients
    largest = np.abs(coefficients).argmax(axis=1)
    return np.take_along_axis(coefficients, largest[:, None], axis=1)[:, 0]


def _line(axes: Any, budgets: np.ndarray, values: np.ndarray, colour: str, named: bool) -> None:
    """A line where the feature is in the model, and where it enters or leaves."""
    inside = values != 0
    beside = inside | np.append(inside[1:], False) | np.append(False, inside[:-1])
    width = 1.6 if named else 0.8
    axes.plot(budgets, np.where(beside, values, np.nan), color=colour, linewidth=width, alpha=1.0 if named else 0.6)
    if named:
        axes.plot(budgets[inside], values[inside], "o", color=colour, markersize=3)


def _name_ends(axes: Any, end: float, ends: list[tuple[float, str, str]]) -> None:
    """Names beside the ends of their lines, moved apart where they would cover each other."""
    low, high = axes.get_ylim()
    gap, below = 0.048 * (high - low), -np.inf
    for value, name, colour in sorted(ends):
        height = max(value, below + gap)
        below = height
        axes.annotate(
            name, (end, value), (1.02, height), textcoords=axes.get_yaxis_transform(), va="center", fontsize="small",
            color=colour, annotation_clip=False,
        )  # fmt: skip


def _whole_ticks(axes: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)


def _chosen(axes: Any, model: Any) -> None:
    if hasattr(model, "at_most_"):
        axes.axvline(model.at_most_, color="#374151", linestyle=":", linewidth=1.2, label=f"chosen: {model.at_most_}")
