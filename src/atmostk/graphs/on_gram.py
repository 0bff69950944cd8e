"""Graphs of up to a few thousand variables: every phase of the search on the Gram matrix, which is small enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from atmostk.ascending import without
from atmostk.graphs.gram_descent import Penalty, neighbours, products
from atmostk.graphs.gram_scan import best_pairs, rescore
from atmostk.graphs.gram_search import exchange, grow, refit
from atmostk.graphs.graph import Graph
from atmostk.graphs.worth import Worth

NO_WORTH = np.empty((0, 0), np.float32)
NO_KEYS = np.empty(0, np.int64)


class OnGram:
    """Phases of the search for the best edges, on S = X'X / rows.

    `ridge` and `l1` are those of `GaussianGraph`; `worth` says what is known of pairs before the data is seen.
    The search ranks in single precision; the last refit has the precision of S. One object serves one thread: it has
    a workspace of the size of S.

    >>> gram = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 1.0]])
    >>> phases = OnGram(gram)
    >>> phases.grown(phases.start(), [1], 1)[0].keys
    array([1])
    """

    stages_a_look = 1

    def __init__(self, gram: np.ndarray, *, ridge: float = 0.0, l1: float = 0.0, worth: Worth | None = None) -> None:
        self.exact = np.ascontiguousarray(gram)
        self.gram = self.exact.astype(np.float32, copy=False)
        self.worth = worth
        self.penalty = Penalty(float(ridge), float(l1), NO_WORTH if worth is None else worth.to_dense())
        self.space = np.empty_like(self.gram)
        self.tolerance = 1e-8 * len(self.gram)

    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.gram)

    def start(self) -> Graph:
        """The best diagonal with no edge but those that always are, at weight 0."""
        square = self.exact.diagonal().astype(np.float64)
        keys = NO_KEYS if self.worth is None else self.worth.known
        alone = Graph(1 / square, *np.divmod(keys, self.size), np.zeros(keys.size))
        return self.refitted(alone)[0] if keys.size or self.penalty.ridge else alone

    def grown(self, graph: Graph, targets: Sequence[int], edges: int) -> tuple[Graph, float]:
        """To each target in turn: the pairs of the largest score, in and out alike, and a few sweeps; F there."""
        value = np.inf
        for target in targets:
            d = graph.diagonal.copy()
            found = grow(
                self.gram, self.space, d, graph.rows, graph.columns, graph.weights, target, self.penalty, self.tolerance
            )
            graph, value = Graph(d, *found[:3]), found[3]
        return graph, value

    def exchanged(self, graph: Graph, edges: int) -> tuple[Graph, float, int]:
        """Exchanges among the candidates of one look at all pairs, until none pays; how many pairs were exchanged."""
        d = graph.diagonal.copy()
        found = exchange(
            self.gram, self.space, d, graph.rows, graph.columns, graph.weights, self.penalty, edges, self.tolerance
        )
        return Graph(d, *found[:3]), found[3], found[4]

    def refitted(self, graph: Graph, *, sweeps: int = 500, tolerance: float = 1e-9) -> tuple[Graph, float]:
        """The minimum on the graph's own edges, until a sweep gains less than `tolerance` a variable, and F there."""
        d, w = graph.diagonal.copy(), graph.weights.copy()
        value = refit(
            self.exact,
            self._space_for(self.exact),
            d,
            graph.rows,
            graph.columns,
            w,
            self.penalty,
            sweeps,
            tolerance * self.size,
        )
        return Graph(d, graph.rows, graph.columns, w), value

    def entering(self, graph: Graph, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The keys of the `count` best pairs outside and their scores, the best first."""
        near = neighbours(self.size, graph.rows, graph.columns)
        products(self.gram, graph.diagonal, graph.weights, near, self.space)
        rows, columns = best_pairs(
            self.gram, self.space, graph.diagonal, self.penalty.ridge, self.penalty.worth, count + graph.rows.size
        )
        keys = without(rows * self.size + columns, graph.keys)
        scores = self._scores(graph, *np.divmod(keys, self.size))
        best = np.argsort(-scores, kind="stable")[: min(count, int((scores > 0).sum()))]
        return keys[best], scores[best]

    def scores_inside(self, graph: Graph) -> np.ndarray:
        """The score of each edge."""
        return self._scores(graph, graph.rows, graph.columns)

    def _scores(self, graph: Graph, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        near, scores = neighbours(self.size, graph.rows, graph.columns), np.empty(rows.size, np.float32)
        every = np.ones(self.size, np.bool_)
        rescore(self.gram, graph.diagonal, graph.weights, near, self.penalty, rows, columns, scores, every)
        return scores

    def _space_for(self, gram: np.ndarray) -> np.ndarray:
        return self.space if gram.dtype == self.space.dtype else np.empty_like(gram)
