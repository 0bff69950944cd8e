"""One cell of the graph experiment: a form of the algorithm, a budget K and a start."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk import PIHT, Exchange, Problem, minimize
from atmostk.constraints import AtMostEdges
from atmostk.graphs.graph import Graph
from atmostk.objectives import GaussianGraph
from atmostk.samplers import Rows
from atmostk.stopping import after_steps, radius_below
from reproduction.graphs.data import split
from reproduction.graphs.released import ReleasedGraph, ReleasedPIHT

FORMS = ("as printed", "as released", "ours")
GROWN = "ours, grown"  # from no edge, as the front-end does: the random starts play no part
# What is left of a step this long changes no digit of the matrix: the run has come to its end.
LEAST_RADIUS = 1e-12


def one_run(cell: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """The objective on the rows for training and for validation, and what happened on the way."""
    data = split(settings["data"], settings["standardize"])
    form, edges, start = cell["form"], (cell["K"] - data.variables) // 2, cell["start"]
    limits = [after_steps(settings["steps"]), radius_below(LEAST_RADIUS)]
    # The released program counts a pair once when it makes its start.
    count = {"as released": 2 * edges, GROWN: 0}.get(form, edges)
    x0 = random_graph(data.variables, count, seed=start)
    solver: Any = {"as printed": PIHT(), "as released": ReleasedPIHT()}.get(form, Exchange())
    objective = ReleasedGraph() if form == "as released" else GaussianGraph()
    problem = Problem(objective, Rows(data.train), AtMostEdges(edges))
    result = minimize(problem, solver, x0, stop=limits if isinstance(solver, PIHT) else (), seed=start)
    losses = GaussianGraph().losses(result.x, next(iter(Rows(data.validation).blocks())))
    accepted = np.array(result.history.column("accepted"), bool)
    values = np.array(result.history.column("value"))[accepted]
    return {
        "start": float(problem.value(x0)),
        "train": float(result.value),
        "validation": float(losses.mean()),
        "validation_rows": [round(float(loss), 3) for loss in losses],
        "edges": len(result.x.rows),
        "accepted": int(accepted.sum()),
        "steps": result.steps,
        "path": _thinned(values),
        "reason": result.stop.reason,
    }


def random_graph(size: int, edges: int, *, seed: int) -> Graph:
    """Ones on the diagonal and 0.2 on random pairs: the paper's start."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.choice(size * (size - 1) // 2, edges, replace=False))
    above = np.arange(size) * (2 * size - np.arange(size) - 1) // 2  # pairs before each row
    rows = np.searchsorted(above, pairs, side="right") - 1
    columns = pairs - above[rows] + rows + 1
    return Graph.of_pairs(np.ones(size), rows, columns, np.full(edges, 0.2))


def _thinned(values: np.ndarray, most: int = 250) -> list[list[float]]:
    """Pairs of (successful iteration, objective there), few enough to keep and enough to draw."""
    if not len(values):
        return []
    places = np.unique(np.geomspace(1, len(values), most).astype(int)) - 1
    return [[int(place) + 1, round(float(values[place]), 3)] for place in places]
