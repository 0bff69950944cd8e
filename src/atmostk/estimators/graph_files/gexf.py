"""GEXF 1.2, the format of Gephi; the strength of an edge there must not be negative."""

from __future__ import annotations

from typing import BinaryIO

from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.graph_files.lines import put, quoted, rows

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<graph defaultedgetype="undirected" mode="static">
<attributes class="node"><attribute id="name" title="name" type="string"/></attributes>
<attributes class="edge"><attribute id="precision" title="precision" type="double"/>\
<attribute id="partial" title="partial_correlation" type="double"/></attributes>
<nodes>"""


def write(table: EdgeTable, file: BinaryIO) -> None:
    """An edge's `weight` is |partial correlation|, which Gephi draws as thickness; `precision` is the signed entry."""
    put(file, [HEAD])
    put(
        file,
        (
            f'<node id="{place}" label={quoted(name)}>'
            f'<attvalues><attvalue for="name" value={quoted(name)}/></attvalues></node>'
            for place, name in enumerate(table.names)
        ),
    )
    put(file, ["</nodes>\n<edges>"])
    put(
        file,
        (
            f'<edge id="{number}" source="{i}" target="{j}" weight="{abs(partial)!r}"><attvalues>'
            f'<attvalue for="precision" value="{weight!r}"/><attvalue for="partial" value="{partial!r}"/>'
            "</attvalues></edge>"
            for number, (i, j, weight, partial) in enumerate(rows(table))
        ),
    )
    put(file, ["</edges>\n</graph>\n</gexf>"])
