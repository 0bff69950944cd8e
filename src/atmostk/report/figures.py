"""The figures of a report, as the plain dictionaries that plotly draws; colours are the page's business."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from atmostk.report.saved_run import SavedRun, is_words

Figure = dict[str, Any]
BARS = 40
BELOW = {"orientation": "h", "y": -0.08, "yanchor": "top", "thickness": 10, "len": 0.6}  # a scale under its map
COLOURS = ("#2f6fde", "#d1495b", "#2a9d8f", "#b7791f", "#7b5ea7", "#6b7280")


def answer(run: SavedRun) -> Figure | None:
    """The chosen features with their coefficients, the largest first; the perturbation of an attack as a map."""
    if run.kind == "attack" and "perturbation" in run.images:
        return perturbation(run.images["perturbation"])
    table = run.tables.get("answer", {})
    if run.kind != "features" or "feature" not in table or "coefficient" not in table:
        return None
    values = np.asarray(table["coefficient"], dtype=float)
    order = np.argsort(-np.abs(values), kind="stable")[:BARS][::-1]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "x": _numbers(values[order]),
        "y": list(range(len(order))),
        "text": [_escaped(str(table["feature"][place])) for place in order],
        "textposition": "none",
        "marker": {"color": [COLOURS[0] if values[place] > 0 else COLOURS[1] for place in order]},
        "hovertemplate": "%{text}: %{x:.4g}<extra></extra>",
    }
    if "standard error" in table:
        errors = np.asarray(table["standard error"], dtype=float)[order]
        bars["error_x"] = {"type": "data", "array": _numbers(errors), "color": COLOURS[5], "thickness": 1}
    names = [_escaped(_short(str(table["feature"][place]))) for place in order]
    layout = {
        "xaxis": {"title": {"text": "coefficient"}},
        "yaxis": {"tickvals": bars["y"], "ticktext": names, "automargin": True, "showgrid": False},
    }
    return {"data": [bars], "layout": layout, "height": 90 + 22 * len(order)}


def perturbation(image: np.ndarray) -> Figure:
    """A perturbation as a map from darker to brighter; of a colour image the mean of its channels."""
    flat = np.asarray(image, dtype=float)
    while flat.ndim > 2:
        channels = int(np.argmin(flat.shape))
        flat = flat.mean(axis=channels)
    largest = float(np.abs(flat).max(initial=0.0)) or 1.0
    drawn = {
        "type": "heatmap",
        "z": [_numbers(row) for row in flat],
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0, COLOURS[1]], [0.5, "rgba(128,128,128,0.12)"], [1, COLOURS[0]]],
        "xgap": 1,
        "ygap": 1,
        "colorbar": BELOW,
        "hovertemplate": "row %{y}, column %{x}: %{z:.3g}<extra></extra>",
    }
    axis = {"showgrid": False, "zeroline": False}
    layout = {
        "xaxis": axis | {"constrain": "domain"},
        "yaxis": axis | {"constrain": "domain", "autorange": "reversed", "scaleanchor": "x"},
    }
    return {"data": [drawn], "layout": layout, "height": 460}


def confusion(run: SavedRun) -> Figure | None:
    """How often each true class is taken for each class, in shares of the true one."""
    table = run.tables.get("confusion", {})
    if not table:
        return None
    counts = np.array([np.asarray(column, dtype=float) for column in table.values()]).T
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    drawn = {
        "type": "heatmap",
        "x": list(range(len(table))),
        "y": list(range(len(table))),
        "z": [_numbers(row) for row in shares],
        "customdata": counts.astype(int).tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, "rgba(128,128,128,0.08)"], [1, COLOURS[0]]],
        "colorbar": BELOW | {"y": -0.16},
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y} taken for %{x}: %{customdata} images, %{z:.1%}<extra></extra>",
    }
    ticks = {"tickmode": "array", "tickvals": drawn["x"], "ticktext": [_escaped(str(name)) for name in table]}
    axis = {"showgrid": False, "zeroline": False, "constrain": "domain"} | (ticks if len(table) <= BARS else {})
    layout = {
        "xaxis": axis | {"title": {"text": "taken for, with the change"}},
        "yaxis": axis | {"title": {"text": "true class"}, "autorange": "reversed", "scaleanchor": "x"},
    }
    return {"data": [drawn], "layout": layout, "height": 480}


def path(run: SavedRun) -> Figure | None:
    """Each column of the path against the budget, columns of one unit in one panel, the chosen budget marked."""
    table = run.tables.get("path", {})
    columns = [name for name in table if not is_words(table[name])]
    if len(columns) < 2:
        return None
    budget, *rest = columns
    spreads = {name: f"{name} spread" for name in rest if f"{name} spread" in rest}
    shown = [name for name in rest if name not in spreads.values()]
    traces: list[list[dict[str, Any]]] = []
    panels: list[str] = []
    for name in shown:
        unit = name.split(":")[0]
        if unit not in panels:
            panels.append(unit)
            traces.append([])
        line = _line(table[budget], table[name], name, COLOURS[len(traces[panels.index(unit)]) % len(COLOURS)])
        line["mode"] = "lines+markers"
        if name in spreads:
            spread = _numbers(np.asarray(table[spreads[name]], dtype=float))
            line["error_y"] = {"type": "data", "array": spread, "thickness": 1}
        traces[panels.index(unit)].append(line)
    figure = _stacked(list(zip(panels, traces, strict=True)), str(budget))
    chosen = run.asked.get("chosen budget")
    if isinstance(chosen, int | float):
        mark = {"x0": chosen, "x1": chosen, "y0": 0, "y1": 1, "yref": "paper", "type": "line"}
        figure["layout"]["shapes"] = [mark | {"line": {"dash": "dot", "color": COLOURS[5]}}]
    return figure


def convergence(run: SavedRun) -> Figure | None:
    """Objective, radius and rows of each step, accepted steps apart from rejected ones."""
    table = run.tables.get("convergence", {})
    if "value" not in table or len(table["value"]) < 2:
        return None
    steps = np.arange(1, len(table["value"]) + 1)
    panels: list[tuple[str, list[dict[str, Any]]]] = [
        ("objective", [_line(steps, table["value"], "objective", COLOURS[0])])
    ]
    if "accepted" in table:
        accepted = np.asarray(table["accepted"], dtype=bool)
        for word, colour, chosen in (("accepted", COLOURS[2], accepted), ("rejected", COLOURS[1], ~accepted)):
            dots = _line(steps[chosen], np.asarray(table["value"])[chosen], word, colour)
            panels[0][1].append(dots | {"mode": "markers", "marker": {"color": colour, "size": 5}})
    for column, words in (("radius", "radius"), ("gradient_rows", "rows: gradient"), ("value_rows", "rows: trial")):
        if column not in table:
            continue
        line = _line(steps, table[column], words, COLOURS[len(panels[-1][1]) if column == "value_rows" else 0])
        if column == "value_rows" and panels[-1][0] == "rows":
            line["line"] = line["line"] | {"dash": "dot"}  # both are often the same
            panels[-1][1].append(line)
        else:
            panels.append((words.split(":")[0], [line]))
    if "rows" in table:
        panels.append(("rows so far", [_line(steps, table["rows"], "rows so far", COLOURS[0])]))
    logarithmic = {"radius", "rows"}
    return _stacked(panels, "step", lambda unit: unit in logarithmic)


def _stacked(
    panels: Sequence[tuple[str, list[dict[str, Any]]]],
    across: str,
    logarithmic: Callable[[str], bool] = lambda unit: False,
) -> Figure:
    """Panels one above the other over one axis."""
    count = len(panels)
    gap = 0.08 if count > 1 else 0.0
    height = (1 - gap * (count - 1)) / count
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": _escaped(across)}, "anchor": "y" if count == 1 else f"y{count}"}
    }
    data = []
    for number, (unit, lines) in enumerate(panels, start=1):
        axis = "y" if number == 1 else f"y{number}"
        top = 1 - (number - 1) * (height + gap)
        described: dict[str, Any] = {
            "domain": [max(0.0, top - height), top],
            "title": {"text": _escaped(unit)},
            "automargin": True,
        }
        if logarithmic(unit):
            described |= {"type": "log", "exponentformat": "power"}
        layout["yaxis" if number == 1 else f"yaxis{number}"] = described
        data += [line | {"yaxis": axis, "showlegend": len(lines) > 1} for line in lines]
    layout["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    return {"data": data, "layout": layout, "height": 120 + 200 * count}


def _line(x: Any, y: Any, name: str, colour: str) -> dict[str, Any]:
    x, y = np.asarray(x), np.asarray(y, dtype=float)
    thin = _thinned(len(x))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": _escaped(name),
        "x": _numbers(x[thin]),
        "y": _numbers(y[thin]),
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "size": 6},
        "hovertemplate": "%{x}: %{y:.5g}<extra>" + _escaped(name) + "</extra>",
    }


def _thinned(length: int, most: int = 4_000) -> np.ndarray:
    """At most so many places, ends included: a screen shows no more."""
    return np.arange(length) if length <= most else np.unique(np.linspace(0, length - 1, most).astype(int))


def _numbers(values: Any) -> list[float | None]:
    """As JSON has them: None for what is not finite, which plotly leaves out."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float)]


def _short(name: str, most: int = 28) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _escaped(name: str) -> str:
    """Plotly reads a little HTML in its texts: a name is no markup."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
