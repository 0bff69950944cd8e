"""A sparse precision matrix with at most so many edges, in scikit-learn's manner."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from atmostk.estimators.graph_fit import fitted
from atmostk.estimators.learned_graph import LearnedGraph
from atmostk.estimators.sampled_gram import Sampled, sampled_gram
from atmostk.estimators.selected_fit import selected
from atmostk.estimators.sources import is_source, source_of
from atmostk.estimators.standardised import Scales, columns_and_scales, gram_and_scales
from atmostk.estimators.streamed_gram import sampled_columns, streamed_gram
from atmostk.graphs.graph import Graph
from atmostk.objectives.graph_landscape import GRAM


class SparsePrecision(LearnedGraph):
    """The best graph with at most `edges` edges: which pairs of variables depend on one another given all others.

    It minimises the Gaussian pseudo-likelihood (`GaussianGraph`) of the standardised variables over all precision
    matrices with at most so many pairs beside the diagonal. `ridge` and `shrinkage` add a squared and an absolute
    penalty on what is chosen, on the scale of correlations. `edge_weights` multiplies what a pair would gain (a matrix,
    dense or sparse, or a function of rows and columns; 0 forbids), `known` pairs are always edges and count as such,
    `forbidden` ones never are; both by place or by name. `kicks` throws that many times 40 % of the edges out at random
    and keeps the better answer: worth it with few rows and a will to optimise, not for held-out likelihood.

    The edges are those that make the objective least, as far as a search with exchanges finds them; or those of a rule
    of `selection` (`atmostk.graphs.selection`): with few rows these recover more of the network, `Combined()` most.

    `impute` fills missing entries by their column's mean; `ranks` replaces each column by the normal quantiles of its
    ranks, so that heavy tails do not count. Everything learned is on the scale of X.

    With `checkpoint` the search is saved to that file after each look at all pairs; the same fit made again goes on
    from there. `n_jobs` threads look at all pairs beyond 3,000 variables, and find what one finds.

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
        selection: Any = None,
        assume_centered: bool = False,
        standardize: bool = True,
        impute: bool = False,
        ranks: bool = False,
        enough: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint: str | Path | None = None,
    ) -> None:
        self.edges = edges
        self.ridge = ridge
        self.shrinkage = shrinkage
        self.edge_weights = edge_weights
        self.known = known
        self.forbidden = forbidden
        self.kicks = kicks
        self.max_seconds = max_seconds
        self.selection = selection
        self.assume_centered = assume_centered
        self.standardize = standardize
        self.impute = impute
        self.ranks = ranks
        self.enough = enough
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> SparsePrecision:
        """Learn the graph of the columns of X: an array, a frame, a memory map, AnnData or the path of a .h5ad.

        Rows from `open_rows` and from Dask are read where they are: all of them once, or, where `enough` is given, as
        many as it takes (`rows_`) until what a graph lacks on fresh rows is at most that share of what edges explain.
        """
        if is_source(X):
            return self._fit_source(X)
        X = self._opened(X)
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
            return self._fit_gram_of(source, how)
        seed = self.random_state if isinstance(self.random_state, int) else 0
        columns, scales = sampled_columns(source, seed=seed, **how)
        return self._learned(scales, columns.shape[1], columns=columns)

    def _fit_gram_of(self, source: Any, how: dict[str, Any]) -> SparsePrecision:
        """From the rows that `enough` asks for, or from all."""
        if self.enough is not None:

            def graph(sample: Sampled) -> Graph:
                return self._learned(sample.scales, sample.rows, gram=sample.gram).graph_

            seed = self.random_state if isinstance(self.random_state, int) else 0
            found = sampled_gram(source, graph, np.random.default_rng(seed), tolerance=self.enough, **how)
            if found is not None:
                self.rows_ = found.rows
                return self._learned(found.scales, found.rows, gram=found.gram)
        gram, scales = streamed_gram(source, **how)
        self.rows_ = source.size
        return self._learned(scales, source.size, gram=gram)

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
        edges = min(self.edges, size * (size - 1) // 2)
        penalty = {"ridge": self.ridge, "l1": self.shrinkage, "worth": self._worth(size, self.edges)}
        if self.selection is None:
            jobs = 1 if self.n_jobs is None else effective_n_jobs(self.n_jobs)
            found = fitted(
                edges, rows, kicks=self.kicks, max_seconds=self.max_seconds, seed=self.random_state,
                checkpoint=self.checkpoint, threads=jobs, **penalty, **data,
            )  # fmt: skip
        else:
            found = selected(self.selection, edges, rows, self._small(size, data), **penalty)
        self._take(scales, found.result, found.certificate)
        return self

    def _small(self, size: int, data: dict[str, Any]) -> np.ndarray:
        """The Gram matrix, which rules of selection need; they make no use of what only the search understands."""
        if self.kicks or self.max_seconds is not None:
            raise ValueError("kicks and max_seconds belong to the search, selection=None: leave out one or the other.")
        if "gram" not in data:
            raise ValueError(
                f"X has {size:,} variables, and selection={self.selection!r} scores all pairs of up to {GRAM:,}: leave "
                "selection out, and the search finds the edges without holding all pairs."
            )
        return data["gram"]

    def _check_parameters(self) -> None:
        if isinstance(self.edges, bool) or not isinstance(self.edges, int | np.integer) or self.edges < 0:
            raise ValueError(f"SparsePrecision(edges={self.edges!r}): it must be a whole number of 0 or more.")
        for name in ("ridge", "shrinkage"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 <= value < math.inf):
                raise ValueError(f"SparsePrecision({name}={value!r}): it must be a finite number of 0 or more.")
        if self.checkpoint is not None and (self.kicks or self.max_seconds is not None or self.selection is not None):
            raise ValueError(
                "SparsePrecision: a checkpoint is kept of the plain search: leave out kicks, max_seconds and "
                "selection, or the checkpoint."
            )
        if self.enough is not None and not self.enough > 0:
            raise ValueError(
                f"SparsePrecision(enough={self.enough!r}): it must be a positive share, such as .01, or None."
            )
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise ValueError(f"SparsePrecision(max_seconds={self.max_seconds!r}): it must be positive, or None.")
