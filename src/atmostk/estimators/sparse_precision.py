"""A sparse precision matrix with at most so many edges, in scikit-learn's manner."""

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
from atmostk.estimators.graph_fit import Fit, fitted
from atmostk.estimators.measurements import measured
from atmostk.estimators.prior_knowledge import prior_worth
from atmostk.estimators.sources import is_source, source_of
from atmostk.estimators.standardised import Scales, columns_and_scales, filled, gram_and_scales, normal_scores
from atmostk.estimators.streamed_gram import sampled_columns, streamed_gram
from atmostk.graphs.graph import DENSE, Graph
from atmostk.minimize import Result
from atmostk.objectives.graph_landscape import GRAM

LOG_2_PI = math.log(2 * math.pi)


class SparsePrecision(BaseEstimator):
    """The best graph with at most `edges` edges: which pairs of variables depend on one another given all others.

    It minimises the Gaussian pseudo-likelihood (`GaussianGraph`) of the standardised variables over all precision
    matrices with at most so many pairs beside the diagonal. `ridge` and `shrinkage` add a squared and an absolute
    penalty on what is chosen, on the scale of correlations. `edge_weights` multiplies what a pair would gain (a matrix,
    dense or sparse, or a function of rows and columns; 0 forbids), `known` pairs are always edges and count as such,
    `forbidden` ones never are; both by place or by name. `kicks` throws that many times 40 % of the edges out at random
    and keeps the better answer: worth it with few rows and a will to optimise, not for held-out likelihood.

    `impute` fills missing entries by their column's mean; `ranks` replaces each column by the normal quantiles of its
    ranks, so that heavy tails do not count. Everything learned is on the scale of X.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> X[:, 4] += X[:, 0]
    >>> model = SparsePrecision(edges=1).fit(X)
    >>> model.edges_
    1 edge among 5 variables
      x0 -- x4: +0.655
    """

    def __init__(
        self,
        edges: int = 1550,
        *,
        ridge: float = 0.0,
        shrinkage: float = 0.0,
        edge_weights: Any = None,
        known: Any = None,
        forbidden: Any = None,
        kicks: int = 0,
        max_seconds: float | None = None,
        assume_centered: bool = False,
        standardize: bool = True,
        impute: bool = False,
        ranks: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.edges = edges
        self.ridge = ridge
        self.shrinkage = shrinkage
        self.edge_weights = edge_weights
        self.known = known
        self.forbidden = forbidden
        self.kicks = kicks
        self.max_seconds = max_seconds
        self.assume_centered = assume_centered
        self.standardize = standardize
        self.impute = impute
        self.ranks = ranks
        self.n_jobs = n_jobs
        self.random_state = random_state

    location_: np.ndarray
    scale_: np.ndarray
    graph_: Graph
    result_: Result

    def fit(self, X: Any, y: Any = None) -> SparsePrecision:
        """Learn the graph of the columns of X: an array, a frame, a memory map, AnnData or the path of a .h5ad.

        Rows from `open_rows` and from Dask are read where they are.
        """
        if is_source(X):
            return self._fit_source(X)
        X = measured(self, X, fitting=True, missing=self.impute)
        if self.impute and np.isnan(X.sum()):
            X = filled(X)
        if self.ranks:
            X = normal_scores(X)
        how = {
            "centered": self.assume_centered,
            "standardize": self.standardize,
            "names": getattr(self, "feature_names_in_", None),
        }
        if X.shape[1] <= GRAM:
            gram, scales = gram_and_scales(X, **how)
            return self._learned(scales, X.shape[0], gram=gram)
        columns, scales = columns_and_scales(X, **how)
        return self._learned(scales, X.shape[0], columns=columns)

    def _fit_source(self, X: Any) -> SparsePrecision:
        """By one pass over all rows; of more variables than have room in a Gram matrix, by a sample of the rows."""
        if self.impute or self.ranks:
            raise ValueError("impute and ranks need all rows in memory: fill in or rank the columns before, or load X.")
        source, names = source_of(self, X)
        how = {"centered": self.assume_centered, "standardize": self.standardize, "names": names}
        if len(source.names) <= GRAM:
            gram, scales = streamed_gram(source, **how)
            return self._learned(scales, source.size, gram=gram)
        seed = self.random_state if isinstance(self.random_state, int) else 0
        columns, scales = sampled_columns(source, seed=seed, **how)
        return self._learned(scales, columns.shape[1], columns=columns)

    def fit_covariance(self, covariance: Any, *, rows: int) -> SparsePrecision:
        """Learn from a covariance (or correlation) matrix that `rows` rows made, in place of the rows themselves.

        >>> SparsePrecision(edges=1).fit_covariance([[1.0, 0.5], [0.5, 1.0]], rows=50).precision_.toarray().round(3)
        array([[ 1.333, -0.667],
               [-0.667,  1.333]])
        """
        names = np.asarray(covariance.columns, dtype=object) if hasattr(covariance, "columns") else None
        gram = np.array(covariance)
        gram = gram if gram.dtype == np.float32 else gram.astype(np.float64)
        if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or not np.isfinite(gram).all():
            raise ValueError(f"covariance has shape {gram.shape}: it must be a square matrix of finite numbers.")
        if not np.allclose(gram, gram.T, rtol=1e-4, atol=1e-6 * np.abs(gram).max()):
            raise ValueError("covariance is not symmetric: is it X.T @ X / rows?")
        variances = gram.diagonal()
        if not (variances > 0).all():
            place = int(np.argmin(variances))
            raise ValueError(f"covariance has {variances[place]:g} at ({place}, {place}): a variance must be positive.")
        self.n_features_in_ = len(gram)
        if names is not None:
            self.feature_names_in_ = names
        scale = np.sqrt(variances) if self.standardize else np.ones_like(variances)
        return self._learned(Scales(0 * scale, scale), rows, gram=gram / scale / scale[:, None])

    def _learned(self, scales: Scales, rows: int, **data: Any) -> SparsePrecision:
        size = scales.scale.size
        self._check_parameters()
        worth = None
        if self.edge_weights is not None or self.known is not None or self.forbidden is not None:
            names = getattr(self, "feature_names_in_", None)
            worth = prior_worth(size, names, self.edge_weights, self.known, self.forbidden)
            if worth is not None and worth.known.size > self.edges:
                raise ValueError(f"edges={self.edges}, but {worth.known.size} edges are known: allow at least as many.")
        for name in ("precision_", "edges_", "is_positive_definite_", "partial_correlations_", "covariance_"):
            self.__dict__.pop(name, None)
        self.location_, self.scale_ = scales
        found: Fit = fitted(
            min(self.edges, size * (size - 1) // 2), rows, ridge=self.ridge, l1=self.shrinkage, worth=worth,
            kicks=self.kicks, max_seconds=self.max_seconds, seed=self.random_state, **data,
        )  # fmt: skip
        self.graph_, self.result_, self._certificate = found.result.x, found.result, found.certificate
        return self

    def _check_parameters(self) -> None:
        if isinstance(self.edges, bool) or not isinstance(self.edges, int | np.integer) or self.edges < 0:
            raise ValueError(f"SparsePrecision(edges={self.edges!r}): it must be a whole number of 0 or more.")
        for name in ("ridge", "shrinkage"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 <= value < math.inf):
                raise ValueError(f"SparsePrecision({name}={value!r}): it must be a finite number of 0 or more.")
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise ValueError(f"SparsePrecision(max_seconds={self.max_seconds!r}): it must be positive, or None.")

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

    def to_positive_definite(self, *, smallest: float = 1e-3) -> SparsePrecision:
        """The same graph with the smallest loading of its diagonal that makes it positive definite.

        The same number is added to the diagonal of every standardised variable, so that the smallest eigenvalue there
        is `smallest`. A new model; this one stays as it is.
        """
        check_is_fitted(self, "graph_")
        missing = smallest - definiteness.smallest_eigenvalue(self.graph_.to_sparse())
        loaded = copy.copy(self)
        for name in ("precision_", "edges_", "is_positive_definite_", "partial_correlations_", "covariance_"):
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
