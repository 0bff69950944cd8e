"""How a network grows with its budget of edges: every pair's partial correlation, and what the criterion says."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.report.network_plot import NEGATIVE, POSITIVE, QUIET

NAMED = 12
DRAWN = 3000  # lines; more cannot be told apart
APART = 0.045  # of the axis' height, between two names


def plot_path(path: Any, *, names: int = NAMED) -> Any:
    """Draw graphs of more and more edges: a path, or fitted models in any order; the matplotlib figure comes back.

    Above, the partial correlation of every pair that is an edge somewhere, against the number of edges; the `names`
    strongest are named. Below, for a path that knows it, the criterion (EBIC) whose least value chooses.

        plot_path([SparsePrecision(edges=edges).fit(X) for edges in (50, 100, 200)]).savefig("path.png", dpi=200)
    """
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("a plot needs matplotlib: pip install 'atmostk[plots]'.") from None
    models = sorted(path, key=lambda model: len(model.edges_))
    if len(models) < 2:
        raise ValueError(f"plot_path needs at least two graphs to draw a path, not {len(models)}.")
    edges = np.array([len(model.edges_) for model in models])
    pairs, strengths = _every_pair(models)
    criterion = path.ebic() if hasattr(path, "ebic") else None
    figure, panels = pyplot.subplots(
        1 if criterion is None else 2, sharex=True, squeeze=False, figsize=(8, 5 if criterion is None else 7),
        layout="constrained", height_ratios=[1] if criterion is None else [3, 1],
    )  # fmt: skip
    above = panels[0, 0]
    _draw_lines(above, edges, strengths)
    _draw_names(above, edges, pairs, strengths, models[-1].edges_.names, names)
    above.set_ylabel("partial correlation")
    above.set_title(f"{len(pairs):,} pairs that are an edge somewhere on the path", fontsize=10, loc="left")
    panels[-1, 0].set_xlabel("edges")
    for panel in panels[:, 0]:
        panel.spines[["top", "right"]].set_visible(False)
    if criterion is not None:
        best = int(np.argmin(criterion))
        below = panels[1, 0]
        below.plot(edges, criterion, "o-", color=POSITIVE, ms=4, lw=1.2)
        below.set_ylabel("EBIC")
        for panel in panels[:, 0]:
            panel.axvline(edges[best], color=QUIET, ls=":", lw=1.2, zorder=0)
        below.annotate(
            f"least at {edges[best]:,}", (edges[best], criterion[best]), xytext=(0, 14), textcoords="offset points",
            fontsize=8, ha="center", va="bottom",
        )  # fmt: skip
    return figure


def _every_pair(models: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The pairs (i, j), one a row, and the partial correlation of each in each model: 0 where it is no edge."""
    tables = [model.edges_ for model in models]
    size = len(tables[0].names)
    keys = [table.i * size + table.j for table in tables]
    every = np.unique(np.concatenate(keys))
    strengths = np.zeros((len(every), len(tables)))
    for place, (own, table) in enumerate(zip(keys, tables, strict=True)):
        strengths[np.searchsorted(every, own), place] = table.partial_correlation
    return np.column_stack(np.divmod(every, size)), strengths


def _draw_lines(ax: Any, edges: np.ndarray, strengths: np.ndarray) -> None:
    """One line for each pair, from where it enters to where it leaves; the strongest if there are too many."""
    from matplotlib.collections import LineCollection

    strongest = np.abs(strengths).max(axis=1)
    order = np.sort(np.argsort(-strongest, kind="stable")[:DRAWN])
    lines, colours, visible = [], [], min(0.9, 0.12 + 30 / max(len(order), 1))
    for row in strengths[order]:
        held = np.flatnonzero(row)
        begin, end = max(held[0] - 1, 0), min(held[-1] + 2, len(row))
        lines.append(np.column_stack([edges[begin:end], row[begin:end]]))
        colours.append(POSITIVE if row[held].sum() > 0 else NEGATIVE)
    ax.add_collection(LineCollection(lines, colors=colours, alpha=visible, linewidths=1.0))
    ax.axhline(0, color="#444444", lw=0.7)
    ax.autoscale_view()


def _draw_names(
    ax: Any, edges: np.ndarray, pairs: np.ndarray, strengths: np.ndarray, names: np.ndarray, count: int
) -> None:
    """The strongest pairs of the last graph, at the right end of their lines, pushed apart where they would touch."""
    last = strengths[:, -1]
    chosen = np.argsort(-np.abs(last), kind="stable")[:count]
    chosen = chosen[last[chosen] != 0]
    low, high = ax.get_ylim()
    step = APART * (high - low)
    for sign in (1, -1):  # the outermost stays where it is, the others move towards zero
        height = np.inf
        for pair in chosen[np.sign(last[chosen]) == sign]:
            i, j = pairs[pair]
            height = min(abs(last[pair]), height - step)
            ax.annotate(
                f"{names[i]} - {names[j]}", (edges[-1], last[pair]), xytext=(1.02, sign * height),
                textcoords=("axes fraction", "data"), fontsize=7, va="center", annotation_clip=False,
                arrowprops={"arrowstyle": "-", "lw": 0.4, "color": QUIET},
            )  # fmt: skip
