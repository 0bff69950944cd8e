"""Graphs of more and more edges in one call, each from the one before, and a criterion that chooses among them."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from atmostk.estimators.edge_counts import edge_counts
from atmostk.estimators.graph_fit import certified
from atmostk.estimators.selected_fit import told
from atmostk.estimators.sparse_precision import SparsePrecision
from atmostk.estimators.standardised import Scales, columns_and_scales, gram_and_scales
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.selection.study import Study
from atmostk.objectives.graph_landscape import GRAM

STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)  # edges for each variable, where nothing is said


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionPath:
    """A fitted `SparsePrecision` for each number of edges, ascending; `values` are the objective without penalties.

    >>> from atmostk.datasets import band_graph
    >>> path = precision_path(band_graph(20).draw(300, seed=0), [10, 20, 37, 60, 100])
    >>> path
    PrecisionPath(5 graphs of 10 to 100 edges among 20 variables)
    >>> len(path.best().edges_)
    37
    """

    models: tuple[SparsePrecision, ...]
    values: np.ndarray
    rows: int

    @property
    def edges(self) -> np.ndarray:
        """How many edges each graph has."""
        return np.array([model.graph_.rows.size for model in self.models])

    def ebic(self, gamma: float = 0.5) -> np.ndarray:
        """The extended Bayesian information criterion of each graph.

        It is rows F + 2 edges (log rows + 4 gamma log variables): twice the penalty of Foygel and Drton (2010), because
        the pseudo-likelihood tells of each edge twice. `gamma` = 0 is the plain criterion.
        """
        size = self.models[0].graph_.size
        return self.rows * self.values + 2 * self.edges * (np.log(self.rows) + 4 * gamma * np.log(size))

    def best(self, gamma: float = 0.5) -> SparsePrecision:
        """The model of the least EBIC."""
        return self.models[int(self.ebic(gamma).argmin())]

    def partial_correlations(self) -> tuple[np.ndarray, np.ndarray]:
        """Every pair (i, j) that is an edge somewhere, one a row, and what it is in each graph, one a column."""
        size = self.models[0].graph_.size
        tables = [model.edges_ for model in self.models]
        keys = np.unique(np.concatenate([table.i * size + table.j for table in tables]))
        found = np.zeros((keys.size, len(tables)))
        for place, table in enumerate(tables):
            found[np.searchsorted(keys, table.i * size + table.j), place] = table.partial_correlation
        return np.column_stack(np.divmod(keys, size)), found

    def to_frame(self) -> Any:
        """One row for each graph, as a pandas frame."""
        import pandas

        return pandas.DataFrame({"edges": self.edges, "objective": self.values, "ebic": self.ebic()})

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, place: int) -> SparsePrecision:
        return self.models[place]

    def __repr__(self) -> str:
        edges, size = self.edges, self.models[0].graph_.size
        return f"PrecisionPath({len(self)} graphs of {edges[0]:,} to {edges[-1]:,} edges among {size:,} variables)"


def precision_path(
    X: Any, edges: Sequence[int] | None = None, *, model: SparsePrecision | None = None
) -> PrecisionPath:  # fmt: skip
    """A graph for each number of edges; every one starts from the one before, and the data is prepared once.

    `model` carries the options, all but its own number of edges; a rule of selection chooses anew each time, but its
    regressions go on from the ones before.

    >>> X = np.random.default_rng(0).normal(size=(50, 6))
    >>> [len(graph.edges_) for graph in precision_path(X, [1, 4, 9])]
    [1, 4, 9]
    """
    template: Any = clone(model) if model is not None else SparsePrecision()
    template._check_parameters()
    X = template._opened(X)
    rows, size = X.shape
    counts = edge_counts(edges, size, STEPS, owner="precision_path")
    names = getattr(template, "feature_names_in_", None)
    scaling = {"centered": template.assume_centered, "standardize": template.standardize, "names": names}
    worth = template._worth(size, min(counts))
    penalty = {"ridge": float(template.ridge), "l1": float(template.shrinkage), "worth": worth}
    if size <= GRAM:
        gram, scales = gram_and_scales(X, **scaling)
        phases: Any = OnGram(gram, **penalty)
    else:
        columns, scales = columns_and_scales(X, **scaling)
        if template.selection is not None:
            template._small(size, {})  # says that it cannot be
        phases = OnColumns(columns, **penalty)
    study = None if template.selection is None else Study(phases.exact, ridge=penalty["ridge"], worth=worth)
    models, values = [], []
    graph: Any = None
    for count in counts:
        begun = time.perf_counter()
        if study is None:
            graph, value, _ = best_graph(phases, count, start=graph)
            how = "no exchange among all pairs lowers the objective."
        else:
            graph, value = phases.refitted(study.chosen(template.selection, count))
            how = f"the edges are those of {template.selection!r}."
        certificate = certified(phases, graph, value, rows) if isinstance(phases, OnGram) else None
        result = told(graph, value, how, time.perf_counter() - begun)
        models.append(_fitted(template, count, scales, result, certificate))
        values.append(value - _penalties(graph, penalty))
    return PrecisionPath(tuple(models), np.array(values), rows)


def _fitted(template: SparsePrecision, count: int, scales: Scales, result: Any, certificate: Any) -> SparsePrecision:
    model = copy.copy(template)
    model.edges = count
    model._take(scales, result, certificate)
    return model


def _penalties(graph: Graph, penalty: dict[str, Any]) -> float:
    """What the objective holds beside the likelihood."""
    worth, l1 = penalty["worth"], penalty["l1"]
    each = np.full(graph.rows.size, l1) if worth is None else worth.shrinkage(graph.keys, l1)
    squares = float((graph.diagonal**2).sum() + 2 * (graph.weights**2).sum())
    return penalty["ridge"] * squares + 2 * float((each * np.abs(graph.weights)).sum())
