"""A learned network into a file, in the format that the file's ending names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from atmostk.checkpoint import write_whole
from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.graph_files import cytoscape, edge_list, gexf, graphml

WRITERS: dict[str, Callable[[EdgeTable, BinaryIO], None]] = {
    ".graphml": graphml.write,
    ".gexf": gexf.write,
    ".cyjs": cytoscape.write,
    ".json": cytoscape.write,
    ".csv": edge_list.write_csv,
    ".tsv": edge_list.write_tsv,
    ".parquet": edge_list.write_parquet,
}


def write_network(path: str | Path, network: Any) -> Path:
    """Write a network to a file, whole or not at all; `network` is a fitted `SparsePrecision` or its `edges_`.

    | ending | format | read by |
    |---|---|---|
    | `.graphml` | GraphML | networkx, igraph, Cytoscape, Gephi, yEd |
    | `.gexf` | GEXF 1.2 | Gephi, networkx |
    | `.cyjs`, `.json` | Cytoscape JSON | Cytoscape, Cytoscape.js, networkx |
    | `.csv`, `.tsv`, `.parquet` | one row for each edge | anything; variables without an edge are not in it |

    Each node has its `name`; each edge its `weight` in the precision matrix and its `partial_correlation`.

    >>> import tempfile
    >>> import numpy as np
    >>> table = EdgeTable(np.array([0]), np.array([2]), np.array([-0.5]), np.array([0.4]), np.array(["a", "b", "c"]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_network(Path(folder) / "network.csv", table).read_text())
    i,j,first,second,weight,partial_correlation
    0,2,a,c,-0.5,0.4
    <BLANKLINE>
    """
    path = Path(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise ValueError(f"write_network cannot tell the format of {path.name!r}: end it in {', '.join(WRITERS)}.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"write_network: there is no folder {path.parent}: make it first.")
    table = network if isinstance(network, EdgeTable) else getattr(network, "edges_", None)
    if not isinstance(table, EdgeTable):
        raise TypeError(f"write_network takes a fitted SparsePrecision or its edges_, not {type(network).__name__}.")
    write_whole(path, lambda file: writer(table, file))
    return path
