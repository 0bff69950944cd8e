"""A learned network as a graph of networkx, with all of its attributes."""

from __future__ import annotations

from typing import Any

from atmostk.estimators.edge_table import EdgeTable


def as_networkx(table: EdgeTable) -> Any:
    """A `networkx.Graph` of all variables; edges carry `weight` and `partial_correlation`, nodes `name` and `place`.

    A node is called by its variable's name; by its place where two variables have the same name.

    >>> import numpy as np
    >>> table = EdgeTable(np.array([0]), np.array([2]), np.array([-0.5]), np.array([0.4]), np.array(["a", "b", "c"]))
    >>> network = as_networkx(table)
    >>> sorted(network), network.edges["a", "c"]
    (['a', 'b', 'c'], {'weight': -0.5, 'partial_correlation': 0.4})
    """
    try:
        import networkx
    except ImportError:
        raise ImportError("to_networkx() needs networkx: pip install 'atmostk[networks]'.") from None
    names = [str(name) for name in table.names]
    called: list[Any] = names if len(set(names)) == len(names) else list(range(len(names)))
    network = networkx.Graph()
    network.add_nodes_from((called[place], {"name": name, "place": place}) for place, name in enumerate(names))
    network.add_edges_from(
        (called[i], called[j], {"weight": weight, "partial_correlation": partial})
        for i, j, weight, partial in zip(
            table.i.tolist(), table.j.tolist(), table.weight.tolist(), table.partial_correlation.tolist(), strict=True
        )
    )
    return network
