"""The pseudo-likelihood of a Gaussian graph: how well each variable is predicted from its neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.graphs.gradient import GraphGradient
from atmostk.graphs.graph import Graph
from atmostk.graphs.residuals import by_row, quadratics, residuals
from atmostk.graphs.worth import Worth
from atmostk.sample import Sample

Array = Any


@dataclass(frozen=True)
class GaussianGraph:
    """F(W) = sum_i ( -log w_ii + ||Xs w_i||^2 / w_ii ) + ridge ||W||^2 + l1 sum_{i != j} |w_ij|, Xs = X / sqrt(rows).

    W is symmetric with a positive diagonal; w_ij / sqrt(w_ii w_jj) is minus the partial correlation of i and j (paper
    note 17). It is a dense matrix, or a `Graph`, which holds the edges alone and whose gradient travels in factors, so
    that nothing of the size of the matrix is stored. The gradient of an edge is the derivative of F when both of its
    entries move together (paper note 15).

    `worth` says what is known of pairs before the data is seen: it divides the l1 of a pair, and `Exchange` multiplies
    by it what the pair would gain: 0 for one that must not be an edge, infinity for one that always is.

    >>> from atmostk.samplers import Rows
    >>> rows = Rows(np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]))
    >>> GaussianGraph().value(np.eye(2), rows.draw(4, np.random.default_rng(0)))
    2.0
    """

    ridge: float = 0.0
    l1: float = 0.0
    worth: Worth | None = None

    def __post_init__(self) -> None:
        for name in ("ridge", "l1"):
            if not (getattr(self, name) >= 0 and math.isfinite(getattr(self, name))):
                raise ValueError(f"GaussianGraph({name}={getattr(self, name)}): it must be a finite number, 0 or more.")

    def check(self, x: Array, sample: Sample, /) -> None:
        """Raise with one sentence where these rows cannot have this graph."""
        if isinstance(sample.data, tuple):
            raise TypeError("GaussianGraph reads rows without a target: give the sampler X alone, as in Rows(X).")
        if arrays.is_scipy_sparse(sample.data):
            raise TypeError(
                "GaussianGraph reads dense rows, because standardised columns have no zeros: pass X.toarray()."
            )
        size = int(sample.data.shape[1])
        if tuple(x.shape) != (size, size):
            raise ValueError(f"x has shape {tuple(x.shape)} but X has {size} columns: x must be {size} x {size}.")
        diagonal = x.diagonal if isinstance(x, Graph) else arrays.to_numpy(x).diagonal()
        if not (diagonal > 0).all():
            place = int(np.argmin(diagonal))
            raise ValueError(
                f"x has {diagonal[place]:g} at ({place}, {place}): a diagonal must be positive; start from ones."
            )

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """What `Exchange` asks of a graph."""
        from atmostk.objectives.graph_landscape import graph_landscape

        return graph_landscape(problem, x0)

    def value(self, x: Array, sample: Sample, /) -> float:
        """F at x; infinite where the diagonal is not positive (paper notes 9 and 16)."""
        if isinstance(x, Graph):
            if not (x.diagonal > 0).all():
                return math.inf
            squares = quadratics(columns_of(sample), x)
            return float((squares / x.diagonal - np.log(x.diagonal)).sum()) + self._penalty(x)
        return arrays.mean(self.losses(x, sample), sample.weights)

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row; what does not depend on the row counts in each."""
        if isinstance(x, Graph):
            if not (x.diagonal > 0).all():
                return np.full(sample.size, math.inf)
            X = np.ascontiguousarray(arrays.to_numpy(sample.data).T)
            return (by_row(X, x) + (self._penalty(x) - float(np.log(x.diagonal).sum()))).astype(X.dtype, copy=False)
        xp = arrays.namespace(x)
        diagonal = xp.linalg.diagonal(x)
        if not bool(xp.all(diagonal > 0)):
            return 0 * sample.data[:, 0] + math.inf
        left = sample.data @ x
        return xp.sum(left * left / diagonal, axis=1) - xp.sum(xp.log(diagonal)) + self._dense_penalty(x, xp)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """For each pair the derivative of F when both its entries move; on the diagonal that of the entry."""
        if isinstance(x, Graph):
            return self._factors(x, sample)
        xp = arrays.namespace(x)
        diagonal = xp.linalg.diagonal(x)
        X = sample.data
        share = 1 / sample.size if sample.weights is None else (sample.weights / sample.weight)[:, None]
        left = X @ x
        slopes = X.T @ (share * left) * (2 / diagonal)
        # The diagonal of X'R is the quadratic's slope in w_ii; the division by w_ii adds its own.
        own = xp.linalg.diagonal(slopes) - 1 / diagonal - xp.sum(share * left * left, axis=0) / diagonal**2
        both = slopes + xp.matrix_transpose(slopes) + 4 * self.ridge * x
        if self.l1:
            both = both + 2 * self._dense_shrinkage(x) * xp.sign(x)
        kept = 1 - xp.eye(x.shape[0], dtype=x.dtype)
        return both * kept + (own + 2 * self.ridge * diagonal) * xp.eye(x.shape[0], dtype=x.dtype)

    def _factors(self, x: Graph, sample: Sample) -> GraphGradient:
        columns = columns_of(sample)
        left = residuals(columns, x)
        own = np.einsum("ik,ik->i", left, left, dtype=np.float64)
        along = np.einsum("ik,ik->i", left, columns, dtype=np.float64)
        d = x.diagonal
        diagonal = -1 / d + 2 * along / d - own / d**2 + 2 * self.ridge * d
        left *= (2 / d).astype(left.dtype)[:, None]
        extra = Graph(d, x.rows, x.columns, 4 * self.ridge * x.weights + 2 * self._shrinkage(x) * np.sign(x.weights))
        return GraphGradient(np.hstack((columns, left)), np.hstack((left, columns)), diagonal, extra)

    def _penalty(self, x: Graph) -> float:
        ridge = self.ridge * (float(x.diagonal @ x.diagonal) + 2 * float(x.weights @ x.weights)) if self.ridge else 0.0
        return ridge + 2 * float(self._shrinkage(x) @ np.abs(x.weights)) if self.l1 else ridge

    def _shrinkage(self, x: Graph) -> np.ndarray:
        return np.full(x.rows.size, self.l1) if self.worth is None else self.worth.shrinkage(x.keys, self.l1)

    def _dense_penalty(self, x: Array, xp: Any) -> Any:
        diagonal = xp.linalg.diagonal(x)
        ridge = self.ridge * xp.sum(x * x) if self.ridge else 0.0
        if not self.l1:
            return ridge
        if self.worth is None:
            return ridge + self.l1 * (xp.sum(xp.abs(x)) - xp.sum(xp.abs(diagonal)))
        return ridge + xp.sum(xp.abs(x) * self._dense_shrinkage(x))

    def _dense_shrinkage(self, x: Array) -> Any:
        """The l1 of each entry; none on the diagonal."""
        size = x.shape[0]
        each = np.full((size, size), self.l1)
        if self.worth is not None:
            rows, columns = np.divmod(self.worth.keys, size)
            each[rows, columns] = each[columns, rows] = self.worth.shrinkage(self.worth.keys, self.l1)
        np.fill_diagonal(each, 0.0)
        return arrays.like(each, x)


def columns_of(sample: Sample) -> np.ndarray:
    """The sample's variables, one a row, scaled so that a product of two is their (weighted) mean product."""
    X = arrays.to_numpy(sample.data)
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    if sample.weights is None:
        return np.ascontiguousarray(X.T) * X.dtype.type(1 / math.sqrt(sample.size))
    share = np.sqrt(arrays.to_numpy(sample.weights) / sample.weight).astype(X.dtype)
    return np.ascontiguousarray(X.T) * share
