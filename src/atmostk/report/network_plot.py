"""A learned network as a picture: who is close to whom, and with which sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.estimators.edge_table import EdgeTable

POSITIVE, NEGATIVE, NODE, QUIET = "#2f6fde", "#d1495b", "#37474f", "#b6bdc4"
NAMED = 40  # names that fit on a page beside each other
FAINTEST = 0.15


def plot_network(network: Any, *, names: int = NAMED, alone: bool = True, ax: Any = None, seed: int = 0) -> Any:
    """Draw a fitted `SparsePrecision`, or its `edges_`; the matplotlib axes come back.

    Positive partial correlations are blue, negative ones red, the stronger the wider; a variable is the larger the
    more edges it has. The `names` variables with the most edges are named. `alone=False` leaves out the variables
    without an edge.

        plot_network(model).figure.savefig("network.png", dpi=200)
    """
    if not isinstance(names, int | np.integer) or isinstance(names, bool) or names < 0:
        raise ValueError(f"plot_network(names={names!r}): give the number of variables to name, 0 or more.")
    table = network if isinstance(network, EdgeTable) else getattr(network, "edges_", None)
    if not isinstance(table, EdgeTable):
        raise TypeError(f"plot_network takes a fitted SparsePrecision or its edges_, not {type(network).__name__}.")
    from atmostk.report.network_layout import layout

    ax = _page() if ax is None else ax
    degrees = table.degrees
    shown = np.arange(len(degrees)) if alone else np.flatnonzero(degrees)
    number = np.full(len(degrees), -1)
    number[shown] = np.arange(len(shown))
    points = layout(len(shown), number[table.i], number[table.j], seed=seed)
    _draw_edges(ax, points[number[table.i]], points[number[table.j]], table.partial_correlation)
    _draw_nodes(ax, points, degrees[shown])
    _draw_names(ax, points, degrees[shown], [str(table.names[place]) for place in shown], names)
    _draw_key(ax, table, len(shown))
    ax.set_aspect("equal")
    ax.margins(0.04)
    ax.set_axis_off()
    return ax


def _page() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("a plot needs matplotlib: pip install 'atmostk[plots]'.") from None
    return pyplot.subplots(figsize=(9, 9), layout="constrained")[1]


def _draw_edges(ax: Any, begin: np.ndarray, end: np.ndarray, strength: np.ndarray) -> None:
    """Weak edges first, so that strong ones lie on top; many edges are thinner."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    order = np.argsort(np.abs(strength), kind="stable")
    share = np.abs(strength[order]) / max(np.abs(strength).max(initial=0), 1e-12)
    thin = min(1.0, 12 / np.sqrt(max(len(order), 1)))
    colours = np.where(strength[order, None] > 0, [to_rgba(POSITIVE)], [to_rgba(NEGATIVE)])
    colours[:, 3] = FAINTEST + (0.4 + 0.5 * thin - FAINTEST) * share
    segments: Any = np.stack([begin[order], end[order]], axis=1)
    ax.add_collection(LineCollection(segments, colors=colours, linewidths=0.25 + (0.2 + 3.8 * thin) * share, zorder=1))


def _draw_nodes(ax: Any, points: np.ndarray, degrees: np.ndarray) -> None:
    area = np.clip(14_000 / max(len(points), 1), 8, 60)
    sizes = area * (0.25 + degrees / max(np.quantile(degrees, 0.9), 1) if len(degrees) else degrees)
    colours = np.where(degrees > 0, NODE, QUIET)
    ax.scatter(points[:, 0], points[:, 1], s=sizes, c=colours, edgecolors="white", linewidths=0.4, zorder=2)


def _draw_names(ax: Any, points: np.ndarray, degrees: np.ndarray, names: list[str], count: int) -> None:
    """The variables with the most edges, none over another: where two would touch, the one with more edges stays."""
    import matplotlib.patheffects as effects

    order = [place for place in np.argsort(-degrees, kind="stable") if degrees[place] > 0]
    taken: list[tuple[float, float, float]] = []
    height = 0.036
    for place in order:
        if len(taken) >= count:
            break
        x, y = points[place]
        half = 0.0085 * (len(names[place]) + 1)
        if any(abs(x - other) < half + wide and abs(y - level) < height for other, level, wide in taken):
            continue
        taken.append((x, y, half))
        ax.annotate(
            names[place], (x, y), xytext=(0, 4), textcoords="offset points", ha="center", va="bottom", fontsize=7.5,
            color="#111111", zorder=3, path_effects=[effects.withStroke(linewidth=2.2, foreground="white")],
        )  # fmt: skip


def _draw_key(ax: Any, table: EdgeTable, shown: int) -> None:
    from matplotlib.lines import Line2D

    positive = int((table.partial_correlation > 0).sum())
    handles = [
        Line2D([], [], color=POSITIVE, lw=2, label=f"positive ({positive:,})"),
        Line2D([], [], color=NEGATIVE, lw=2, label=f"negative ({len(table) - positive:,})"),
    ]
    ax.legend(handles=handles, loc="upper left", frameon=False, fontsize=8, title="partial correlation",
              title_fontsize=8, alignment="left")  # fmt: skip
    edges = f"{len(table):,} edge{'s' * (len(table) != 1)}"
    ax.set_title(f"{edges} among {shown:,} variable{'s' * (shown != 1)}", fontsize=10, loc="left")
