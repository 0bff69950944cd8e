"""What a learned graph can tell: the precision matrix, its edges, likelihoods; the same however it was learned."""

from __future__ import annotations

import copy
import math
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from atmostk.certificate import Certificate
from atmostk.estimators import definiteness
from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.measurements import measured
from atmostk.estimators.prior_knowledge import prior_worth
from atmostk.estimators.standardised import Scales, filled, normal_scores
from atmostk.graphs.graph import DENSE, Graph
from atmostk.graphs.worth import Worth
from atmostk.minimize import Result
from atmostk.objectives.graph_landscape import GRAM

LOG_2_PI = math.log(2 * math.pi)
MADE_WHEN_ASKED = ("precision_", "edges_", "is_positive_definite_", "partial_correlations_", "covariance_")


class LearnedGraph(BaseEstimator):
    """Data in, by the options that all graph estimators have; and what a fitted one answers."""

    edge_weights: Any
    known: Any
    forbidden: Any
    impute: bool
    ranks: bool
    location_: np.ndarray
    scale_: np.ndarray
    graph_: Graph
    result_: Result

    def _opened(self, X: Any) -> np.ndarray:
        """X as a matrix to learn from: checked, filled and ranked as asked."""
        X = measured(self, X, fitting=True, missing=self.impute)
        if self.impute and np.isnan(X.sum()):
            X = filled(X)
        return normal_scores(X) if self.ranks else X

    def _worth(self, size: int, edges: int) -> Worth | None:
        """What is known of pairs; the known ones must fit the budget."""
        if self.edge_weights is None and self.known is None and self.forbidden is None:
            return None
        names = getattr(self, "feature_names_in_", None)
        worth = prior_worth(size, names, self.edge_weights, self.known, self.forbidden)
        if worth is not None and worth.known.size > edges:
            raise ValueError(f"edges={edges}, but {worth.known.size} edges are known: allow at least as many.")
        return worth

    def _take(self, scales: Scales, result: Result, certificate: Certificate | None) -> None:
        """Become what was found."""
        for name in MADE_WHEN_ASKED:
            self.__dict__.pop(name, None)
        self.location_, self.scale_ = scales
        self.graph_, self.result_, self._certificate = result.x, result, certificate

    @cached_property
    def precision_(self) -> Any:
        """The precision matrix of the variables as they came in: sparse and symmetric."""
        check_is_fitted(self, "graph_")
        return self._rescaled(self.graph_).to_sparse()

    @cached_property
    def covariance_(self) -> np.ndarray:
        """The inverse of the precision matrix, dense: made when first asked for."""
        precision = self.precision_
        if precision.shape[0] > DENSE:
            raise MemoryError(
                f"The covariance of {precision.shape[0]:,} variables is dense and would take "
                f"{8 * precision.shape[0] ** 2 / 1e9:.0f} GB: work with precision_, which is sparse."
            )
        return np.linalg.inv(precision.toarray())

    @cached_property
    def partial_correlations_(self) -> Any:
        """The correlation of each pair given all others: sparse, symmetric, 1 on the diagonal."""
        check_is_fitted(self, "graph_")
        graph = self.graph_
        return Graph(np.ones(graph.size), graph.rows, graph.columns, _partial(graph)).to_sparse()

    @cached_property
    def edges_(self) -> EdgeTable:
        """The edges as a table: places, names, weight in the precision matrix, partial correlation."""
        check_is_fitted(self, "graph_")
        graph = self.graph_
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = np.array([f"x{place}" for place in range(graph.size)], dtype=object)
        return EdgeTable(graph.rows, graph.columns, self._rescaled(graph).weights, _partial(graph), names)

    @cached_property
    def is_positive_definite_(self) -> bool:
        """Whether the precision matrix is that of a distribution; `to_positive_definite` makes it so."""
        return definiteness.is_positive_definite(self.precision_)

    @property
    def certificate_(self) -> Certificate:
        """How good the graph provably is: slopes inside and outside, and what the best single exchange would gain."""
        check_is_fitted(self, "graph_")
        if self._certificate is None:
            raise AttributeError(
                f"certificate_ is made up to {GRAM:,} variables: beyond, it takes one more look at all pairs, "
                "which atmostk.graphs.best_graph and GaussianGraph give."
            )
        return self._certificate

    def get_precision(self) -> Any:
        """The precision matrix, sparse and symmetric."""
        return self.precision_

    def to_networkx(self) -> Any:
        """The network as a `networkx.Graph`: names, `weight` and `partial_correlation` as attributes."""
        from atmostk.estimators.as_networkx import as_networkx

        return as_networkx(self.edges_)

    def to_positive_definite(self, *, smallest: float = 1e-3) -> LearnedGraph:
        """The same graph with the smallest loading of its diagonal that makes it positive definite.

        The same number is added to the diagonal of every standardised variable, so that the smallest eigenvalue there
        is `smallest`. A new model; this one stays as it is.
        """
        check_is_fitted(self, "graph_")
        missing = smallest - definiteness.smallest_eigenvalue(self.graph_.to_sparse())
        loaded = copy.copy(self)
        for name in MADE_WHEN_ASKED:
            loaded.__dict__.pop(name, None)
        graph = self.graph_
        loaded.graph_ = Graph(graph.diagonal + max(missing, 0.0), graph.rows, graph.columns, graph.weights)
        return loaded

    def score(self, X: Any, y: Any = None) -> float:
        """The mean over rows of the pseudo-log-likelihood: how probable each entry is given the others of its row."""
        precision = self.precision_
        left = self._centred(X) @ precision
        diagonal = precision.diagonal()
        fit = np.log(diagonal).sum() - (left * left).mean(axis=0) @ (1 / diagonal)
        return float(0.5 * (fit - len(diagonal) * LOG_2_PI))

    def mahalanobis(self, X: Any) -> np.ndarray:
        """Each row's squared distance from the mean, in the metric of the precision matrix."""
        centred = self._centred(X)
        return np.einsum("ij,ij->i", centred @ self.precision_, centred)

    def _centred(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "graph_")
        X = measured(self, X, fitting=False, missing=self.impute)
        centred = (normal_scores(X) if self.ranks else X) - self.location_
        return np.where(np.isnan(centred), 0, centred) if self.impute else centred

    def _rescaled(self, graph: Graph) -> Graph:
        """From the standardised variables to those of X."""
        inverse = 1 / self.scale_.astype(np.float64)
        weights = graph.weights * inverse[graph.rows] * inverse[graph.columns]
        return Graph(graph.diagonal * inverse**2, graph.rows, graph.columns, weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = bool(self.impute)
        return tags


def _partial(graph: Graph) -> np.ndarray:
    root = np.sqrt(graph.diagonal)
    return -graph.weights / (root[graph.rows] * root[graph.columns])
