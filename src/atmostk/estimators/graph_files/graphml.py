"""GraphML: the exchange format that most programs for networks read."""

from __future__ import annotations

from typing import BinaryIO
from xml.sax.saxutils import escape

from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.graph_files.lines import FORBIDDEN, put, rows

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
<key id="name" for="node" attr.name="name" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<key id="partial" for="edge" attr.name="partial_correlation" attr.type="double"/>
<graph edgedefault="undirected">"""


def write(table: EdgeTable, file: BinaryIO) -> None:
    """Nodes n0, n1, ... by their places, since an id of GraphML may not hold what a name may."""
    put(file, [HEAD])
    put(
        file,
        (
            f'<node id="n{place}"><data key="name">{escape(FORBIDDEN.sub(chr(0xFFFD), str(name)))}</data></node>'
            for place, name in enumerate(table.names)
        ),
    )
    put(
        file,
        (
            f'<edge source="n{i}" target="n{j}"><data key="weight">{weight!r}</data>'
            f'<data key="partial">{partial!r}</data></edge>'
            for i, j, weight, partial in rows(table)
        ),
    )
    put(file, ["</graph>\n</graphml>"])
