"""The sections of a report, from a saved run to HTML: what was asked, the answer, quality, the path, convergence."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from atmostk.report import figures, png
from atmostk.report.network_layout import layout
from atmostk.report.saved_run import Fact, SavedRun, Table, is_words

ROWS = 200
SHOWN_IMAGES = 10


def of_run(run: SavedRun, number: int) -> str:
    """One run, as a part of the page."""
    parts = [
        ("What was asked", _facts(run.asked)),
        ("The answer", _answer(run, number)),
        ("Quality", _facts(run.quality) + _by_class(run, number)),
        ("The path over the budget", _drawn(figures.path(run), f"path-{number}") + _details(run, "path", number)),
        ("Convergence", _drawn(figures.convergence(run), f"convergence-{number}")),
        ("How it was made", _facts(run.made)),
    ]
    sections = "\n".join(
        f'<section class="part"><h3>{title}</h3>\n{content}</section>' for title, content in parts if content
    )
    return (
        f'<article id="run-{number}" data-kind="{run.kind}">\n<h2>{_text(run.title)}</h2>\n'
        f'<p class="headline">{_text(run.headline)}</p>\n{sections}\n</article>'
    )


def _answer(run: SavedRun, number: int) -> str:
    parts = []
    if run.kind == "graph" and "edges" in run.tables:
        parts.append(_network(run, number))
    parts.append(_drawn(figures.answer(run), f"answer-{number}"))
    parts.append(_images(run))
    parts.append(_details(run, "answer", number, opened=run.kind == "features"))
    if run.kind == "graph":
        parts.append(_details(run, "edges", number))
    return "\n".join(part for part in parts if part)


def _network(run: SavedRun, number: int) -> str:
    """The explorable network: the data for network.js, which draws it."""
    edges = run.tables["edges"]
    first, second = (np.asarray(edges[name], dtype=np.int64) for name in ("first", "second"))
    names = [str(name) for name in run.tables.get("nodes", {}).get("name", ())]
    count = max(len(names), int(max(first.max(initial=-1), second.max(initial=-1))) + 1)
    names += [f"x{place}" for place in range(len(names), count)]
    points = layout(count, first, second)
    drawn = {
        "names": names,
        "x": [round(float(x), 4) for x in points[:, 0]],
        "y": [round(float(y), 4) for y in points[:, 1]],
        "first": first.tolist(),
        "second": second.tolist(),
        "strength": [round(float(value), 4) for value in np.asarray(edges["partial correlation"], dtype=float)],
    }
    return f"""<div class="network" id="network-{number}" data-source="network-data-{number}">
<div class="controls">
<label>Search <input type="search" class="find" list="names-{number}" placeholder="a name" autocomplete="off"></label>
<datalist id="names-{number}"></datalist>
<label>Partial correlation at least <input type="range" class="least" min="0" max="1000" value="0">
<output class="least-told"></output></label>
<button type="button" class="all">Show all</button>
<span class="told" role="status"></span>
</div>
<div class="stage"><canvas tabindex="0" role="img" aria-label="The network: drag to move, wheel or pinch to zoom">
</canvas><aside class="about" hidden></aside></div>
<p class="key"><i class="plus"></i> together <i class="minus"></i> against each other; wider is stronger.
Drag to move, wheel or pinch to zoom, click a node for its neighbours.</p>
{_data(drawn, f"network-data-{number}")}
</div>"""


def _images(run: SavedRun) -> str:
    """Originals over perturbed images."""
    if not {"originals", "perturbed"} <= set(run.images):
        return ""
    rows = []
    for name in ("originals", "perturbed"):
        shown = np.asarray(run.images[name])[:SHOWN_IMAGES]
        cells = "".join(
            f'<img alt="{name} {place + 1}" src="{png.address(image)}">' for place, image in enumerate(shown)
        )
        rows.append(f'<div class="strip"><span>{name}</span>{cells}</div>')
    return f'<div class="strips">{"".join(rows)}</div>'


def _by_class(run: SavedRun, number: int) -> str:
    """What classes are taken for, class by class."""
    return _drawn(figures.confusion(run), f"confusion-{number}") + _details(run, "classes", number)


def _facts(facts: Mapping[str, Fact]) -> str:
    if not facts:
        return ""
    rows = "".join(f"<dt>{_text(name)}</dt><dd>{_text(_said(value))}</dd>" for name, value in facts.items())
    return f"<dl>{rows}</dl>"


def _details(run: SavedRun, name: str, number: int, *, opened: bool = False) -> str:
    """A table to unfold: its first rows, and all of them to save."""
    table = run.tables.get(name)
    if not table or not len(next(iter(table.values()))):
        return ""
    table = _named(run, table) if name == "edges" else table
    length = len(next(iter(table.values())))
    head = "".join(f"<th>{_text(column)}</th>" for column in table)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(_said(values[row]))}</td>" for values in table.values()) + "</tr>"
        for row in range(min(length, ROWS))
    )
    told = f"the first {ROWS} of {length:,} rows" if length > ROWS else f"{length} rows"
    columns = {column: list(values) if is_words(values) else _rounded(values) for column, values in table.items()}
    source = f"table-{name}-{number}"
    return (
        f'<details{" open" * opened}><summary>{name}, {told}</summary><div class="scroll"><table><thead><tr>{head}</tr>'
        f'</thead><tbody>{rows}</tbody></table></div><button type="button" class="save" data-source="{source}" '
        f'data-name="{name}.csv">Save all as CSV</button>{_data(columns, source)}</details>'
    )


def _named(run: SavedRun, edges: Table) -> Table:
    """The edges with names for numbers, the strongest first."""
    order = np.argsort(-np.abs(np.asarray(edges["partial correlation"], dtype=float)), kind="stable")
    names = run.tables.get("nodes", {}).get("name")
    told: dict[str, Any] = {}
    for column, values in edges.items():
        if names is not None and column in ("first", "second"):
            told[column] = [str(names[int(values[place])]) for place in order]
        else:
            told[column] = [values[p] for p in order] if is_words(values) else np.asarray(values)[order]
    return told


def _drawn(figure: figures.Figure | None, name: str) -> str:
    if figure is None:
        return ""
    place = f'<div class="figure" id="{name}" data-source="figure-{name}" style="height:{figure["height"]}px"></div>'
    return place + _data(figure, f"figure-{name}")


def _data(content: Any, name: str) -> str:
    """Numbers and names for a script, in a form that no name can break out of."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _rounded(values: Any) -> list[Any]:
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return array.tolist()
    return [float(f"{value:.8g}") if np.isfinite(value) else None for value in array]


def _said(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None:
        return "not asked for"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int | np.integer) else str(value)


def _text(words: str) -> str:
    return html.escape(words)
