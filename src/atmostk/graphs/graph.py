"""A sparse symmetric matrix as it travels: its diagonal and the edges above it, never a p x p array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

DENSE = 20_000  # variables; a dense view of more would fill the memory of a workstation by itself


@dataclass(frozen=True, eq=False)
class Graph:
    """A symmetric matrix with few nonzeros: its `diagonal`, and w_ij = w_ji in `weights` for pairs `rows` < `columns`.

    Pairs ascend by row, then column. It goes wherever an iterate goes: into `minimize`, a result, a checkpoint.

    >>> graph = Graph.from_dense(np.array([[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    >>> graph
    Graph(3 variables, 1 edge)
    >>> graph.support
    array([0, 1, 3, 4, 8])
    >>> graph.to_sparse().nnz
    5
    """

    diagonal: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    weights: np.ndarray

    @classmethod
    def from_dense(cls, matrix: Any) -> Graph:
        """The graph of a symmetric matrix, dense or of scipy; its upper triangle is read."""
        from scipy import sparse

        upper: Any = sparse.triu(sparse.coo_array(matrix), 1, format="csr")
        upper.eliminate_zeros()
        upper.sort_indices()
        rows = np.repeat(np.arange(upper.shape[0]), np.diff(upper.indptr))
        diagonal = np.asarray(matrix.diagonal(), dtype=np.float64)
        return cls(diagonal, rows.astype(np.int64), upper.indices.astype(np.int64), upper.data.astype(np.float64))

    @classmethod
    def of_pairs(cls, diagonal: np.ndarray, rows: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> Graph:
        """The graph of pairs in any order, either end first."""
        low, high = np.minimum(rows, columns).astype(np.int64), np.maximum(rows, columns).astype(np.int64)
        order = np.argsort(low * diagonal.size + high, kind="stable")
        return cls(np.asarray(diagonal, np.float64), low[order], high[order], np.asarray(weights, np.float64)[order])

    def __repr__(self) -> str:
        return f"Graph({self.size} variables, {self.rows.size} edge{'s' * (self.rows.size != 1)})"

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self.diagonal.size

    @property
    def shape(self) -> tuple[int, int]:
        """As of the matrix."""
        return self.size, self.size

    @property
    def dtype(self) -> np.dtype:
        """As of the matrix."""
        return self.diagonal.dtype

    @property
    def keys(self) -> np.ndarray:
        """Each edge as the flat index of its entry above the diagonal, ascending."""
        return self.rows * self.size + self.columns

    @property
    def support(self) -> np.ndarray:
        """The flat indices of the matrix's entries that the graph has, ascending."""
        return with_mirrors(self.keys, self.size)

    def to_sparse(self) -> Any:
        """The matrix as scipy's CSR array.

        Both triangles are put in place by counting, with no sort: 2 x edges + variables operations.
        """
        from scipy import sparse

        size, edges = self.size, self.rows.size
        every = np.arange(size)
        # COO to CSR counts the rows; entries below the diagonal first, so that each row's columns ascend.
        by_column = np.argsort(self.columns, kind="stable")
        rows = np.concatenate((self.columns[by_column], every, self.rows))
        columns = np.concatenate((self.rows[by_column], every, self.columns))
        data = np.concatenate((self.weights[by_column], self.diagonal, self.weights))
        matrix = sparse.coo_array((data, (rows, columns)), shape=self.shape).tocsr()
        matrix.has_sorted_indices = True
        assert matrix.nnz == size + 2 * edges
        return matrix

    def to_dense(self) -> np.ndarray:
        """The matrix as a dense array."""
        if self.size > DENSE:
            raise MemoryError(
                f"A dense matrix of {self.size:,} variables would take {8 * self.size**2 / 1e9:.0f} GB: "
                "use to_sparse(), which holds the edges alone."
            )
        dense = np.diag(self.diagonal)
        dense[self.rows, self.columns] = self.weights
        dense[self.columns, self.rows] = self.weights
        return dense

    def is_finite(self) -> bool:
        """Whether no entry is infinite or not a number."""
        return bool(np.isfinite(self.diagonal).all() and np.isfinite(self.weights).all())

    def __sub__(self, step: Any) -> Any:
        """Less a step along a gradient, which stays in factors; less a dense matrix, which gives one."""
        from atmostk.graphs.gradient import GraphGradient, MovedGraph

        return MovedGraph(self, step) if isinstance(step, GraphGradient) else self.to_dense() - step

    def choose(self, edges: int, current: np.ndarray | None, apart: np.ndarray | None) -> np.ndarray:
        """The diagonal and both entries of the largest pairs; those `apart` use no budget."""
        return self._at_rest().choose(edges, current, apart)

    def restricted(self, support: np.ndarray) -> Graph:
        """The graph that has these entries and no others."""
        return self._at_rest().restricted(support)

    def _at_rest(self) -> Any:
        from atmostk.graphs.gradient import GraphGradient, MovedGraph

        nowhere = np.zeros((self.size, 0), np.float32)
        still = Graph(self.diagonal, self.rows, self.columns, 0 * self.weights)
        return MovedGraph(self, GraphGradient(nowhere, nowhere, 0 * self.diagonal, still))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.to_dense() if dtype is None else self.to_dense().astype(dtype)

    def __getitem__(self, pairs: Any) -> Any:
        """Entries by row and column, as of the matrix."""
        return self.to_sparse()[pairs]


def with_mirrors(keys: np.ndarray, size: int) -> np.ndarray:
    """The flat indices, ascending, of the diagonal and both entries of the pairs with these keys."""
    rows, columns = keys // size, keys % size
    return np.sort(np.concatenate((np.arange(size) * (size + 1), keys, columns * size + rows)))


def pairs_among(support: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows and columns of the entries above the diagonal among flat indices, in their order."""
    rows, columns = np.divmod(support, size)
    above = rows < columns
    return rows[above], columns[above]
