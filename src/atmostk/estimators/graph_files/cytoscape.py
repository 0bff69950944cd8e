"""Cytoscape JSON: what Cytoscape and Cytoscape.js open, and networkx.cytoscape_graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.graph_files.lines import put, rows


def write(table: EdgeTable, file: BinaryIO) -> None:
    """Ids are the places as text, as Cytoscape wants them; `value` is what networkx takes for the node itself."""
    put(file, ['{"data": [], "directed": false, "multigraph": false, "elements": {"nodes": ['])
    put(
        file,
        _with_commas(
            f'{{"data": {{"id": "{place}", "value": "{place}", "name": {json.dumps(str(name))}}}}}'
            for place, name in enumerate(table.names)
        ),
    )
    put(file, ['], "edges": ['])
    put(
        file,
        _with_commas(
            f'{{"data": {{"id": "e{number}", "source": "{i}", "target": "{j}", "weight": {weight!r}, '
            f'"partial_correlation": {partial!r}}}}}'
            for number, (i, j, weight, partial) in enumerate(rows(table))
        ),
    )
    put(file, ["]}}"])


def _with_commas(lines: Iterable[str]) -> Iterator[str]:
    comma = ""
    for line in lines:
        yield comma + line
        comma = ","
