"""Graphs of any size: the search on the data itself, with lists of candidates, and few looks at all pairs.

A look finds the best pairs of all; growth and exchanges then work in that list, where a pair costs two products of
length `rows`. Three looks (two that grow, one that exchanges) come within .03 % of the objective of sixteen.
"""

from __future__ import annotations

import numpy as np

from atmostk.ascending import union, without
from atmostk.graphs.column_descent import descend, refresh, rescore, squares, total
from atmostk.graphs.gram_descent import neighbours
from atmostk.graphs.graph import Graph
from atmostk.graphs.pair_scan import best_pairs
from atmostk.graphs.pair_scores import Prices, Stacked
from atmostk.graphs.ranking import best_of
from atmostk.graphs.worth import KNOWN, Worth

SWEEPS = 8  # after a change of the support; more gain nothing before the next change
LISTED = 4  # candidates, for each edge of the budget
ROUNDS = 15  # of exchanges in one list
STIR = 1e-10  # of F: a gain that makes a neighbour worth another look
LEAST = 1e-7  # of F: the decrease that makes an exchange a success
ENOUGH = 2e-6  # of F: a round that gains less is the last in its list


class OnColumns:
    """Phases of the search for the best edges; `columns` holds one variable a row, scaled by 1 / sqrt(rows).

    `ridge`, `l1` and `worth` as for `OnGram`. One object serves one thread: it has a workspace of the data's size.

    >>> rng = np.random.default_rng(0)
    >>> columns = rng.normal(size=(3, 50)).astype(np.float32)
    >>> columns[2] += columns[0]
    >>> phases = OnColumns(columns / np.float32(50**0.5))
    >>> phases.grown(phases.start(), [1], 1)[0].keys
    array([2])
    """

    stages_a_look = 2

    def __init__(
        self,
        columns: np.ndarray,
        *,
        ridge: float = 0.0,
        l1: float = 0.0,
        worth: Worth | None = None,
        threads: int = 1,
    ) -> None:
        self.X = columns
        self.R = np.empty_like(columns)
        self.square = squares(columns)
        self.ridge, self.l1, self.worth, self.threads = float(ridge), float(l1), worth, threads
        self.tolerance = 1e-8 * len(columns)

    @property
    def size(self) -> int:
        """How many variables there are."""
        return len(self.X)

    def start(self) -> Graph:
        """The best diagonal with no edge but those that always are, at weight 0."""
        keys = np.empty(0, np.int64) if self.worth is None else self.worth.known
        alone = Graph(1 / self.square, *np.divmod(keys, self.size), np.zeros(keys.size))
        return self.refitted(alone)[0] if keys.size or self.ridge else alone

    def grown(self, graph: Graph, targets: list[int], edges: int) -> tuple[Graph, float]:
        """To each target in turn inside one list: the pairs of the largest score, in and out alike, and the descent."""
        found = self._looked(graph, LISTED * edges)
        value = np.inf
        for target in targets:
            value = found.keep(best_of(found.scores(), target))
        if targets[-1] >= edges:
            value = found.exchange(edges, value)[0]
        return found.graph, value

    def exchanged(self, graph: Graph, edges: int) -> tuple[Graph, float, int]:
        """Exchanges among the candidates of one look at all pairs, until none pays; how many pairs were exchanged."""
        found = self._looked(graph, LISTED * edges)
        value, moved = found.exchange(edges, found.value())
        return found.graph, value, moved

    def refitted(self, graph: Graph, *, sweeps: int = 200, tolerance: float = 1e-9) -> tuple[Graph, float]:
        """The minimum on the graph's own edges, until a sweep gains less than `tolerance` a variable, and F there."""
        found = Listed(self, graph, graph.keys)
        value = found.descend(np.ones(self.size, np.bool_), sweeps, tolerance * self.size, 0.0)
        return found.graph, value

    def entering(self, graph: Graph, count: int) -> tuple[np.ndarray, np.ndarray]:
        """The keys of the `count` best pairs outside and their scores, the best first."""
        found = self._looked(graph, count)
        scores = np.where(found.inside, np.float32(-1), found.scores())
        best = np.argsort(-scores, kind="stable")[: min(count, int((scores > 0).sum()))]
        return found.keys[best], scores[best]

    def scores_inside(self, graph: Graph) -> np.ndarray:
        """The score of each edge."""
        return Listed(self, graph, graph.keys).scores()

    def _looked(self, graph: Graph, count: int) -> Listed:
        """The best pairs of all beside the graph's own, as a list to work in."""
        found = Listed(self, graph, graph.keys)
        listed = graph.keys
        if self.worth is not None:
            listed = union(listed, without(self.worth.raised, listed))
            count += self.worth.keys.size
        inverse = 1 / graph.diagonal
        if graph.rows.size:
            left, right = Stacked(self.X, self.R, inverse, 1), Stacked(self.R, self.X, inverse, 0)
            prices = Prices(self.square, inverse, 2 * self.ridge)
        else:  # each residual is a multiple of its own variable: half the product says it all
            left = right = self.X
            prices = Prices(self.square, inverse / 4, self.ridge / 2)
        pairs = best_pairs(left, right, prices, count + graph.rows.size, threads=self.threads)
        found.take_in(union(pairs.rows * self.size + pairs.columns, listed))
        return found


class Listed:
    """A list of pairs, some of which are the edges of a graph, and the residuals that go with it."""

    def __init__(self, phases: OnColumns, graph: Graph, keys: np.ndarray) -> None:
        self.phases, self.diagonal = phases, graph.diagonal.copy()
        self.keys = graph.keys
        self.weights = graph.weights.copy()
        self.inside = np.ones(self.keys.size, bool)
        every = np.ones(phases.size, np.bool_)
        self._refresh(every)
        self.take_in(keys)

    def take_in(self, keys: np.ndarray) -> None:
        """Hold all of these pairs; the edges must be among them."""
        size = self.phases.size
        places = np.searchsorted(keys, self.keys[self.inside])
        weights = np.zeros(keys.size)
        weights[places] = self.weights[self.inside]
        self.keys, self.weights = keys, weights
        self.inside = np.zeros(keys.size, bool)
        self.inside[places] = True
        self.rows, self.columns = np.divmod(keys, size)
        self.worth = None if self.phases.worth is None else self.phases.worth.at(keys)
        self.found = np.empty(keys.size, np.float32)
        self.stale = np.ones(size, np.bool_)

    @property
    def graph(self) -> Graph:
        """The graph as it stands."""
        held = self.inside
        return Graph(self.diagonal, self.rows[held], self.columns[held], self.weights[held])

    def scores(self) -> np.ndarray:
        """The scores of all pairs of the list."""
        own, work = self.phases, self.found
        rescore(
            own.X, own.R, own.square, self.diagonal, own.ridge, self.rows, self.columns, self.weights, work, self.stale
        )
        self.stale = np.zeros(own.size, np.bool_)
        if self.worth is None:
            return work
        return np.where(self.worth >= KNOWN, np.float32(3e38), work * self.worth)

    def keep(self, chosen: np.ndarray) -> float:
        """Make these the edges, and descend; F."""
        changed = self._touched(chosen != self.inside)
        self._hold(chosen)
        self._refresh(changed)
        return self.descend(np.ones(self.phases.size, np.bool_), SWEEPS, self.phases.tolerance, 0.0)

    def exchange(self, edges: int, value: float) -> tuple[float, int]:
        """The c cheapest inside leave for the c best outside, c a quarter when a trial does not pay; F, how many."""
        moved = 0
        for _ in range(ROUNDS):
            before = value
            value, count = self._exchanged(edges, value)
            moved += count
            if count == 0 or before - value < ENOUGH * abs(value):
                break
        return value, moved

    def _exchanged(self, edges: int, value: float) -> tuple[float, int]:
        scores, inside = self.scores(), self.inside
        best = best_of(scores, edges)
        going, coming = np.flatnonzero(inside & ~best), np.flatnonzero(best & ~inside)
        going = going[np.argsort(scores[going], kind="stable")]
        coming = coming[np.argsort(-scores[coming], kind="stable")]
        room = max(edges - int(inside.sum()), 0)
        leaving = max(0, min(going.size, coming.size - room))
        while leaving + min(room, coming.size) > 0:
            chosen = inside.copy()
            chosen[going[:leaving]] = False
            chosen[coming[: leaving + room]] = True
            kept = self.weights, self.diagonal
            active = self._touched(chosen != inside)
            self.weights, self.diagonal = self.weights.copy(), self.diagonal.copy()
            self._hold(chosen)
            self._refresh(active)
            trial = self.descend(active, SWEEPS, self.phases.tolerance, STIR * abs(value))
            if trial < value - LEAST * abs(value):
                return trial, min(coming.size, leaving + room)
            self.weights, self.diagonal = kept
            self.inside = inside
            self._refresh(active)
            if leaving == 0:
                break
            leaving //= 4
        return value, 0

    def descend(self, active: np.ndarray, sweeps: int, tolerance: float, stir: float) -> float:
        """The descent on the edges, from what touches the active variables; F."""
        own, held = self.phases, self.inside
        rows, columns, weights = self.rows[held], self.columns[held], self.weights[held]
        each = self._shrinkage()
        descend(
            own.X,
            own.R,
            own.square,
            self.diagonal,
            weights,
            rows,
            columns,
            own.ridge,
            each,
            active,
            sweeps,
            tolerance,
            stir,
        )
        self.weights[held] = weights
        self.stale |= active
        return self.value()

    def value(self) -> float:
        """F as it stands."""
        own, weights = self.phases, self.weights[self.inside]
        ridge = own.ridge * (float(self.diagonal @ self.diagonal) + 2 * float(weights @ weights))
        return total(own.R, self.diagonal) + ridge + 2 * float(self._shrinkage() @ np.abs(weights))

    def _shrinkage(self) -> np.ndarray:
        own = self.phases
        if own.worth is None or own.l1 == 0:
            return np.full(int(self.inside.sum()), own.l1)
        return own.worth.shrinkage(self.keys[self.inside], own.l1)

    def _hold(self, chosen: np.ndarray) -> None:
        self.weights[self.inside & ~chosen] = 0.0
        self.inside = chosen

    def _touched(self, pairs: np.ndarray) -> np.ndarray:
        touched = np.zeros(self.phases.size, np.bool_)
        touched[self.rows[pairs]] = True
        touched[self.columns[pairs]] = True
        return touched

    def _refresh(self, chosen: np.ndarray) -> None:
        own, size = self.phases, self.phases.size
        rows, columns = np.divmod(self.keys[self.inside], size)
        refresh(own.X, own.R, self.diagonal, self.weights[self.inside], neighbours(size, rows, columns), chosen)
