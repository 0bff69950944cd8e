"""What `Exchange` asks of a Gaussian graph: the units are edges, free are the diagonal and known edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.ascending import among, union, without
from atmostk.graphs.graph import Graph, pairs_among
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.worth import Worth
from atmostk.objectives.gaussian_graph import columns_of

Array = Any
GRAM = 3000  # variables, up to which the Gram matrix is small enough, and faster


@dataclass(frozen=True)
class GraphPoint:
    """The minimum on the edges of a graph; `units` are the keys of those that count."""

    graph: Graph
    units: np.ndarray
    value: float


class GraphLandscape:
    """The pseudo-likelihood on the whole data, under a budget of edges.

    Whole phases are its own: growth and exchanges run compiled, on the Gram matrix or, for many variables, on the data.
    """

    def __init__(self, phases: OnGram | OnColumns, limit: int, known: np.ndarray, rows: int, x0: Array) -> None:
        self.phases, self.limit, self.known = phases, limit, known
        self.size = phases.size
        self.count = self.size * (self.size - 1) // 2 - known.size
        self.rows_of_a_look, self.rows = rows, 0
        self.x0 = x0

    def start(self, x0: Array, /) -> GraphPoint:
        """The minimum on the edges of x0 and the known ones."""
        graph = x0 if isinstance(x0, Graph) else Graph.from_dense(arrays.to_numpy(x0))
        return self.refit(GraphPoint(graph, graph.keys, np.inf), graph.keys)

    def refit(self, point: GraphPoint, units: np.ndarray, /, model: Any = None) -> GraphPoint:
        """The minimum on these edges and the known ones."""
        keys = union(np.sort(np.asarray(units, np.int64)), self.known)
        old = point.graph.keys
        weights = np.zeros(keys.size)
        held = among(keys, old)
        weights[held] = point.graph.weights[np.searchsorted(old, keys[held])]
        return self._made(self.phases.refitted(Graph(point.graph.diagonal, *np.divmod(keys, self.size), weights)))

    def grown(self, point: GraphPoint, targets: Sequence[int], /) -> GraphPoint:
        """To the next of these numbers of edges; to the next two where each look at all pairs is dear."""
        now = [target + self.known.size for target in targets[: self.phases.stages_a_look]]
        return self._made(self.phases.grown(point.graph, now, self.limit + self.known.size))

    def exchanged(self, point: GraphPoint, /) -> GraphPoint:
        """The point after all exchanges that pay among the candidates of one look at all pairs."""
        return self._made(self.phases.exchanged(point.graph, self.limit + self.known.size)[:2])

    def entering(self, point: GraphPoint, count: int, /) -> tuple[np.ndarray, np.ndarray]:
        """The best pairs outside, with the decrease of F that each promises alone."""
        self.rows += self.rows_of_a_look
        return self.phases.entering(point.graph, count)

    def leaving(self, point: GraphPoint, /) -> np.ndarray:
        """What F would rise by if one edge left and the others stayed as they are."""
        scores = self.phases.scores_inside(point.graph)
        return scores[~among(point.graph.keys, self.known)]

    def model(self, point: GraphPoint, pool: np.ndarray, /) -> None:
        """None: pricing pairs of edges gains hundredths of a percent, and held-out likelihood suffers."""
        return None

    def polish(self, point: GraphPoint, /) -> GraphPoint:
        """The minimum on the edges, as exactly as the precision allows."""
        return self.refit(point, point.units)

    def dense(self, point: GraphPoint, /) -> Array:
        """The graph; a matrix where x0 was one."""
        return point.graph if isinstance(self.x0, Graph) else arrays.like(point.graph.to_dense(), self.x0)

    def entries(self, point: GraphPoint, /) -> np.ndarray:
        """The flat indices of the diagonal and both entries of each edge."""
        return point.graph.support

    def _made(self, found: tuple[Graph, float]) -> GraphPoint:
        self.rows += self.rows_of_a_look
        graph, value = found
        return GraphPoint(graph, without(graph.keys, self.known), value)


def graph_landscape(problem: Any, x0: Array) -> GraphLandscape:
    """The landscape of a `GaussianGraph` on the rows of the problem."""
    objective, size = problem.objective, int(x0.shape[0])
    limit, kept = _budget(problem.constraint, size)
    worth = objective.worth
    if kept.size:
        rows, columns = np.divmod(kept, size)
        known = Worth.of_pairs(size, rows, columns, np.inf)
        worth = known if worth is None else worth.joined(known)
    penalty = {"ridge": objective.ridge, "l1": objective.l1, "worth": worth}
    phases = OnGram(_gram(problem), **penalty) if size <= GRAM else OnColumns(_columns(problem, size), **penalty)
    known = np.empty(0, np.int64) if worth is None else worth.known
    return GraphLandscape(phases, limit, known, problem.sampler.size or 0, x0)


def _budget(constraint: Any, size: int) -> tuple[int, np.ndarray]:
    """How many edges, and the keys of those that are kept beside them."""
    kept = np.empty(0, np.int64)
    while hasattr(constraint, "entries") and hasattr(constraint, "constraint"):  # AlwaysKept
        rows, columns = pairs_among(constraint.entries, size)
        kept = union(kept, rows * size + columns)
        constraint = constraint.constraint
    if not hasattr(constraint, "edges"):
        raise TypeError(
            f"Exchange on a GaussianGraph counts edges, not the units of {type(constraint).__name__}: "
            "give it AtMostEdges(edges), alone or inside AlwaysKept."
        )
    return constraint.edges, kept


def _gram(problem: Any) -> np.ndarray:
    """X'X over the rows, added up block by block."""
    gram, weight = None, 0.0
    for block in _blocks(problem):
        columns = columns_of(block)
        part = columns @ columns.T
        gram = part * part.dtype.type(block.weight) if gram is None else gram + part.dtype.type(block.weight) * part
        weight += block.weight
    assert gram is not None
    return gram / gram.dtype.type(weight)


def _columns(problem: Any, size: int) -> np.ndarray:
    """All rows, one variable a row, scaled so that products are means, in single precision."""
    blocks = list(_blocks(problem))
    if len(blocks) == 1:
        return columns_of(blocks[0]).astype(np.float32, copy=False)
    weight = sum(block.weight for block in blocks)
    columns = np.empty((size, sum(block.size for block in blocks)), np.float32)
    begin = 0
    for block in blocks:
        columns[:, begin : begin + block.size] = columns_of(block) * np.float32((block.weight / weight) ** 0.5)
        begin += block.size
    return columns


def _blocks(problem: Any) -> Any:
    if problem.sampler.size is None:
        raise TypeError("Exchange on a GaussianGraph reads all rows: draw as many as are wanted from the stream first.")
    return problem.sampler.blocks()
