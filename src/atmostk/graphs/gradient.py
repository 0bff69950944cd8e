"""The gradient of a graph's loss as it travels: in factors, because a p x p array of it is never needed.

Above the diagonal it is left right', the same mirrored below; beside that it has a diagonal of its own and, from a
penalty, a few entries on the support. Sums and multiples of such gradients are such gradients.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from atmostk import top_k
from atmostk.ascending import among, union, without
from atmostk.graphs.graph import Graph, pairs_among, with_mirrors
from atmostk.graphs.pair_scan import best_pairs, products, squares_above
from atmostk.graphs.pair_scores import Prices, at_pairs
from atmostk.graphs.pairs_above import pairs_above


@dataclass(frozen=True, eq=False)
class GraphGradient:
    """For the pair i < j the entry left_i . right_j, plus that of `extra`; `diagonal` on the diagonal.

    `symmetric` says that left right' is a symmetric matrix, whose norm is known from small products.
    """

    left: np.ndarray
    right: np.ndarray
    diagonal: np.ndarray
    extra: Graph
    symmetric: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """As of the matrix."""
        return self.extra.shape

    def __mul__(self, factor: float) -> GraphGradient:
        extra = replace(self.extra, weights=factor * self.extra.weights)
        return replace(
            self, left=self.left.dtype.type(factor) * self.left, diagonal=factor * self.diagonal, extra=extra
        )

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> GraphGradient:
        return self * (1 / divisor)

    def __add__(self, other: GraphGradient) -> GraphGradient:
        return GraphGradient(
            np.concatenate((self.left, other.left), axis=1),
            np.concatenate((self.right, other.right), axis=1),
            self.diagonal + other.diagonal,
            replace(self.extra, weights=self.extra.weights + other.extra.weights),
            self.symmetric and other.symmetric,
        )

    def __sub__(self, other: GraphGradient) -> GraphGradient:
        return self + -1.0 * other

    def at(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The entries of these pairs, rows below columns."""
        values = at_pairs(self.left, self.right, rows, columns).astype(np.float64)
        if self.extra.rows.size and self.extra.weights.any():
            keys, asked = self.extra.keys, rows * self.extra.size + columns
            places = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
            values += np.where(keys[places] == asked, self.extra.weights[places], 0.0)
        return values

    def take(self, indices: np.ndarray) -> np.ndarray:
        """The entries at flat indices of the matrix, both triangles alike."""
        rows, columns = np.divmod(indices, self.extra.size)
        values = np.empty(indices.size)
        own, above = rows == columns, rows < columns
        values[own] = self.diagonal[rows[own]]
        values[above] = known = self.at(rows[above], columns[above])
        below = np.flatnonzero(rows > columns)
        mirrored, keys = columns[below] * self.extra.size + rows[below], indices[above]
        if among(mirrored, keys).all():  # as in every support: each pair is multiplied once
            values[below] = known[np.searchsorted(keys, mirrored)]
        else:
            values[below] = self.at(columns[below], rows[below])
        return values

    def norm(self) -> float:
        """The Euclidean norm of the whole matrix."""
        above = self._squares_from_factors() if self.symmetric else self._squares_by_block()
        if self.extra.rows.size and self.extra.weights.any():
            bare = at_pairs(self.left, self.right, self.extra.rows, self.extra.columns).astype(np.float64)
            above += float(((2 * bare + self.extra.weights) * self.extra.weights).sum())
        return math.sqrt(max(2 * above, 0.0) + float(self.diagonal @ self.diagonal))

    def _squares_from_factors(self) -> float:
        """Half of ||L R'||^2 = <L'L, R'R> without its diagonal: products as small as the factors' width."""
        whole = float(np.vdot(self.left.T @ self.left, self.right.T @ self.right))
        own = np.einsum("ik,ik->i", self.left, self.right).astype(np.float64)
        return (whole - float(own @ own)) / 2

    def _squares_by_block(self) -> float:
        return sum(squares_above(block, top == side) for top, side, block in products(self.left, self.right))


@dataclass(frozen=True, eq=False)
class MovedGraph:
    """A graph less a step along a gradient: dense in principle, known entry by entry."""

    graph: Graph
    step: GraphGradient

    @property
    def shape(self) -> tuple[int, int]:
        """As of the matrix."""
        return self.graph.shape

    def is_finite(self) -> bool:
        """Whether no entry is infinite or not a number."""
        return bool(np.isfinite(self.step.diagonal).all() and np.isfinite(self.step.left).all()
                    and np.isfinite(self.step.right).all())  # fmt: skip

    def choose(self, edges: int, current: np.ndarray | None, apart: np.ndarray | None) -> np.ndarray:
        """The diagonal and both entries of the largest pairs; those `apart` use no budget."""
        size = self.graph.size
        fixed = np.empty(0, np.int64)
        if apart is not None:
            rows, columns = pairs_among(apart, size)
            fixed = rows * size + columns
        keys = without(self.graph.keys, fixed)
        if self.step.left.shape[1]:
            keys = union(without(self._contenders(keys, edges, fixed.size), fixed), keys)
        # By magnitude; on a tie the present support wins, then the lower index (paper note 3).
        preferred = None if current is None else among(keys, current).nonzero()[0]
        best = keys[top_k.largest(self._at(keys), edges, preferred)] if edges < keys.size else keys
        return with_mirrors(np.concatenate((fixed, best)), size)

    def _contenders(self, held: np.ndarray, edges: int, fixed: int) -> np.ndarray:
        """Pairs among which are all that can be among the largest beside those held."""
        if held.size >= edges > 0:
            # A newcomer must beat the last of those held: a threshold that is known before anything is looked at.
            magnitudes = np.abs(self._at(held))
            least = float(np.partition(magnitudes, held.size - edges)[held.size - edges])
            found = pairs_above(self.step.left, self.step.right, least, room=8 * edges + 64 * self.graph.size)
            if found is not None:
                return found
        return self._best_steps(edges + held.size + 2 * fixed)

    def _best_steps(self, count: int) -> np.ndarray:
        """The keys of the pairs that move furthest."""
        size = self.graph.size
        half = np.full(size, 0.5, np.float32)
        found = best_pairs(self.step.left, self.step.right, Prices(half, np.ones(size, np.float32), 0.0), count)
        return found.rows * size + found.columns

    def restricted(self, support: np.ndarray) -> Graph:
        """The graph that has these entries and no others."""
        rows, columns = pairs_among(support, self.graph.size)
        return Graph(
            self.graph.diagonal - self.step.diagonal, rows, columns, self._at(rows * self.graph.size + columns)
        )

    def _at(self, keys: np.ndarray) -> np.ndarray:
        rows, columns = np.divmod(keys, self.graph.size)
        values = -self.step.at(rows, columns)
        own = self.graph.keys
        if own.size:
            places = np.minimum(np.searchsorted(own, keys), own.size - 1)
            values += np.where(own[places] == keys, self.graph.weights[places], 0.0)
        return values
