"""What the rules of selection ask of one Gram matrix: computed when first asked for, shared among them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from atmostk.graphs.best_graph import stages
from atmostk.graphs.gram_descent import neighbours, products
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_gram import NO_WORTH, OnGram
from atmostk.graphs.selection.neighbourhood_lasso import LESS, linked, penalty_for, regress
from atmostk.graphs.selection.ranked_pairs import strongest, worths
from atmostk.graphs.worth import Worth

LEAST = 1e-6  # a penalty below which nothing more comes in


class Study:
    """A Gram matrix X'X / rows that several rules look at, in single precision; one object serves one thread.

    `penalties` gives the lasso's penalty for numbers of edges where it is known already, as a fold of a
    cross-validation knows it from all rows; where the lasso has fewer edges there, it is lowered until it has enough.

    >>> study = Study(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]]))
    >>> study.lasso(1).round(1)
    array([[0. , 0.1, 0. ],
           [0.1, 0. , 0. ],
           [0. , 0. , 0. ]], dtype=float32)
    """

    def __init__(
        self, gram: np.ndarray, *, ridge: float = 0.0, worth: Worth | None = None,
        penalties: Mapping[int, float] | None = None,
    ) -> None:  # fmt: skip
        self.phases = OnGram(np.asarray(gram, np.float32), ridge=ridge, worth=worth)
        self.gram = self.phases.gram
        self.penalties = dict(penalties or {})
        self._coefficients = np.zeros_like(self.gram)
        self._regressed: int | None = None  # for how many edges the coefficients are
        self._grown: dict[tuple[int, float], Graph] = {}

    @property
    def worth(self) -> np.ndarray:
        """Of each pair, as a matrix; empty where every pair is worth the same."""
        return self.phases.penalty.worth if self.phases.worth is not None else NO_WORTH

    def penalty(self, edges: int) -> float:
        """The lasso's penalty at which so many pairs have a coefficient."""
        if edges not in self.penalties:
            self.penalties[edges] = penalty_for(self.gram, self._coefficients, edges, self.worth)
            self._regressed = edges
        return self.penalties[edges]

    def lasso(self, edges: int) -> np.ndarray:
        """The coefficients of every variable on all others at that penalty: to be read, not kept."""
        penalty = self.penalty(edges)
        if self._regressed != edges:
            regress(self.gram, self._coefficients, penalty, self.worth)
            while linked(self._coefficients) < edges and penalty > LEAST:
                penalty *= LESS
                regress(self.gram, self._coefficients, penalty, self.worth)
            self._regressed = edges
        return self._coefficients

    def grown(self, edges: int, l1: float) -> Graph:
        """From no edge to so many, in stages, each by the score of all pairs and a few sweeps of descent."""
        if (edges, l1) not in self._grown:
            phases = self.with_l1(l1)
            self._grown[edges, l1] = phases.grown(phases.start(), stages(edges, 0), edges)[0]
        return self._grown[edges, l1]

    def with_l1(self, l1: float) -> OnGram:
        """The phases of the search under this penalty, in the same workspace."""
        phases = copy.copy(self.phases)
        phases.penalty = self.phases.penalty._replace(l1=float(l1))
        return phases

    def worths(self, graph: Graph) -> np.ndarray:
        """The root of what each pair gains by entering the graph, or costs by leaving it; above the diagonal."""
        near = neighbours(graph.size, graph.rows, graph.columns)
        products(self.gram, graph.diagonal, graph.weights, near, self.phases.space)
        ridge = self.phases.penalty.ridge
        return worths(
            self.gram, self.phases.space, graph.diagonal, graph.rows, graph.columns, graph.weights, ridge
        )  # fmt: skip

    def least(self, scores: np.ndarray, edges: int) -> np.float32:
        """The score of the last of so many edges."""
        found = strongest(scores, NO_WORTH, edges)[2]
        return found.min() if found.size else np.float32(1)

    def chosen(self, selection: Any, edges: int) -> Graph:
        """The edges that a rule chooses, with no weight yet; the known ones among them."""
        if not callable(getattr(selection, "scores", None)):
            raise TypeError(
                f"selection={selection!r} has no method scores(study, edges): take one of atmostk.graphs.selection, "
                "such as Neighbourhood(), Growth() or Combined()."
            )
        edges = min(edges, len(self.gram) * (len(self.gram) - 1) // 2)
        scores = selection.scores(self, edges) if edges else np.zeros_like(self.gram)
        rows, columns, _ = strongest(np.asarray(scores, np.float32), self.worth, edges)
        return Graph(1 / self.gram.diagonal().astype(np.float64), rows, columns, np.zeros(rows.size))
