"""At most so many edges in a graph: pairs of mirrored entries of a symmetric matrix. The diagonal is free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atmostk import arrays
from atmostk.arrays import Array
from atmostk.ascending import among, union, without
from atmostk.constraints.budget import check_count, check_finite


@dataclass(frozen=True)
class AtMostEdges:
    """The symmetric matrices with at most so many nonzero pairs beside their diagonal (paper notes 15 and 16).

    The nearest one to a square matrix V has the entries of (V + V') / 2 on its diagonal and on the pairs where they
    are largest in magnitude.

    >>> v = np.array([[1.0, 4.0, 3.0], [0.0, 1.0, 0.0], [3.0, 0.0, 1.0]])
    >>> constraint = AtMostEdges(1)
    >>> constraint.restrict(v, constraint.choose(v))
    array([[1., 0., 3.],
           [0., 1., 0.],
           [3., 0., 1.]])
    """

    edges: int

    def __post_init__(self) -> None:
        check_count(self.edges, self, "edges")

    @property
    def limit(self) -> int:
        """How many pairs may stay."""
        return self.edges

    def choose(self, v: Array, current: np.ndarray | None = None, apart: np.ndarray | None = None, /) -> np.ndarray:
        """The diagonal and both entries of each chosen pair; on a tie a pair in `current` wins, then the upper left."""
        check_finite(v, self)
        if arrays.answers_itself(v):
            return v.choose(self.edges, current, apart)
        symmetric = self.unlimited(v)
        size = v.shape[0]
        diagonal = self.free(v)
        fixed = union(diagonal, apart)
        if current is not None:
            current = union(current, np.sort(_mirrored(current, size)))
        # Both entries of a pair are equally large, so the best pairs are all among twice as many best entries.
        entries = without(arrays.largest(symmetric, 2 * self.edges + fixed.size, current), fixed)
        pairs = np.unique(np.minimum(entries, _mirrored(entries, size)))
        prefer = None if current is None else among(pairs, current).nonzero()[0]
        pairs = pairs[arrays.largest(arrays.take(symmetric, pairs), self.edges, prefer)]
        return np.sort(np.concatenate((diagonal, pairs, _mirrored(pairs, size))))

    def free(self, x: Array, /) -> np.ndarray:
        """The diagonal."""
        return np.arange(x.shape[0]) * (x.shape[0] + 1)

    def units(self, x: Array, /) -> np.ndarray:
        """Both entries of a pair enter and leave together."""
        entries = np.arange(x.shape[0] ** 2)
        pairs = np.minimum(entries, _mirrored(entries, x.shape[0]))
        pairs[self.free(x)] = -1
        return pairs

    def unlimited(self, v: Array, /) -> Array:
        """The nearest symmetric matrix."""
        return (v + arrays.namespace(v).matrix_transpose(v)) / 2

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """The nearest symmetric matrix on the support, which holds both entries of each pair; zero elsewhere."""
        if arrays.answers_itself(v):
            return v.restricted(support)
        return arrays.keep(self.unlimited(v), support)

    def check(self, x: Array, apart: np.ndarray | None = None, /) -> None:
        """x must be a square matrix, and what is apart must be symmetric too."""
        if not arrays.answers_itself(x):
            arrays.namespace(x)
        if len(x.shape) != 2 or x.shape[0] != x.shape[1]:
            raise ValueError(f"AtMostEdges constrains a square matrix, not an array of shape {tuple(x.shape)}.")
        if apart is not None:
            alone = without(apart, np.sort(_mirrored(apart, x.shape[0])))
            if alone.size:
                row, column = divmod(int(alone[0]), x.shape[0])
                raise ValueError(
                    f"AtMostEdges keeps both entries of a pair: ({row}, {column}) is always kept, "
                    f"so ({column}, {row}) must be too."
                )


def _mirrored(entries: np.ndarray, size: int) -> np.ndarray:
    """The flat indices of the same entries in the transposed matrix, in the same order."""
    return entries % size * size + entries // size
