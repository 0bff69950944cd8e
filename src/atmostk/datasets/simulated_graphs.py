"""Gaussian graphs whose edges are known, to learn from and to be judged by: a band, uniform edges, hubs, blocks.

Nothing of size p x p is made beyond `DENSE` variables, so that a million of them are drawn in minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh

DENSE = 3000  # variables up to which a dense Cholesky factor is the fastest way to draw rows
SMALLEST = 0.2  # the smallest eigenvalue of a simulated precision matrix
WEIGHTS = (0.3, 0.6)  # magnitudes of its entries before the diagonal is set; signs are random


@dataclass(frozen=True)
class TrueGraph:
    """A precision matrix, sparse and symmetric: x ~ N(0, inverse of it), and its nonzero pairs are the edges.

    >>> graph = band_graph(50)
    >>> graph.edges.shape, graph.draw(20, seed=0).shape
    ((97, 2), (20, 50))
    """

    precision: Any

    @property
    def edges(self) -> np.ndarray:
        """The pairs (i, j), i < j, in ascending order: one row each."""
        upper = sparse.triu(self.precision, 1).tocoo()
        return np.unique(np.column_stack([upper.row, upper.col]).astype(np.int64), axis=0)

    def draw(self, rows: int, *, seed: int) -> np.ndarray:
        """So many independent rows, in single precision beyond `DENSE` variables."""
        size = self.precision.shape[0]
        rng = np.random.default_rng(seed)
        if size <= DENSE:
            normal = rng.standard_normal((size, rows))
            factor = linalg.cholesky(self.precision.toarray(), lower=True)
            return linalg.solve_triangular(factor.T, normal, lower=False).T
        return _inverse_root(self.precision, rng.standard_normal((size, rows), dtype=np.float32)).T


def band_graph(variables: int) -> TrueGraph:
    """Each variable has an edge to the next two, as in an autoregression: .5 and .25 beside 1.1.

    >>> band_graph(4).edges.tolist()
    [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    """
    _check(variables, "band_graph")
    offsets: Any = [distance for distance in (-2, -1, 0, 1, 2) if abs(distance) < variables]
    diagonals = [np.full(variables - abs(k), 1.1 if k == 0 else 0.5 ** abs(k)) for k in offsets]
    return TrueGraph(sparse.diags_array(diagonals, offsets=offsets, format="csr"))


def uniform_graph(variables: int, *, seed: int) -> TrueGraph:
    """Three edges for every two variables, each pair equally likely.

    >>> len(uniform_graph(40, seed=0).edges)
    60
    """
    _check(variables, "uniform_graph")
    rng = np.random.default_rng(seed)
    wanted = min(int(1.5 * variables), variables * (variables - 1) // 2)
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < wanted:
        drawn = np.sort(rng.integers(0, variables, (2 * wanted, 2)), axis=1)
        pairs = np.unique(np.concatenate([pairs, drawn[drawn[:, 0] < drawn[:, 1]]]), axis=0)
    return _with_edges(variables, pairs[rng.permutation(len(pairs))[:wanted]], rng)


def hub_graph(variables: int, *, seed: int) -> TrueGraph:
    """Scale-free: each new variable has edges to one or two earlier ones, more likely to those that have many.

    One and two in turn, in proportion to 1 + the number of edges (Barabasi and Albert).

    >>> degrees = np.bincount(hub_graph(200, seed=0).edges.ravel())
    >>> degrees.max() > 5 * np.median(degrees)
    np.True_
    """
    _check(variables, "hub_graph")
    rng = np.random.default_rng(seed)
    pairs: list[tuple[int, int]] = []
    ends = [0]  # each variable once and once more for every edge: a uniform choice is the proportional one
    for new in range(1, variables):
        count = min(new, 2 if new % 2 else 1)
        chosen = {ends[rng.integers(len(ends))] for _ in range(count)}
        pairs += [(old, new) for old in sorted(chosen)]
        ends += [new, *chosen, *[new] * len(chosen)]
    return _with_edges(variables, np.array(pairs, np.int64).reshape(-1, 2), rng)


def block_graph(variables: int, *, seed: int, block: int = 10) -> TrueGraph:
    """Modules of `block` variables; a pair of the same module has an edge with probability .35.

    >>> edges = block_graph(100, seed=0).edges
    >>> (edges[:, 0] // 10 == edges[:, 1] // 10).all()
    np.True_
    """
    _check(variables, "block_graph")
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(block, 1)
    starts = np.arange(0, variables, block)[:, None]
    pairs = np.stack([(starts + first).ravel(), (starts + second).ravel()], axis=1)
    pairs = pairs[(pairs[:, 1] < variables) & (rng.random(len(pairs)) < 0.35)]
    return _with_edges(variables, pairs, rng)


def _with_edges(variables: int, pairs: np.ndarray, rng: np.random.Generator) -> TrueGraph:
    """Random weights on the pairs, and the diagonal that makes the smallest eigenvalue `SMALLEST`."""
    weights = rng.uniform(*WEIGHTS, len(pairs)) * rng.choice([-1.0, 1.0], len(pairs))
    i, j = pairs.T
    entries = (np.concatenate([weights, weights]), (np.concatenate([i, j]), np.concatenate([j, i])))
    off = sparse.csr_array(entries, shape=(variables, variables))
    if variables <= DENSE:
        lowest = float(linalg.eigvalsh(off.toarray(), subset_by_index=[0, 0])[0])
    else:
        start = np.ones(variables) / np.sqrt(variables)  # ARPACK's own start is random
        tolerance: Any = 1e-3  # the stubs say int
        found = eigsh(off, k=1, which="SA", tol=tolerance, v0=start, return_eigenvectors=False)
        lowest = float(found[0]) * (1 + 1e-3)
    return TrueGraph((off + (SMALLEST - lowest) * sparse.eye_array(variables)).tocsr())


def _inverse_root(precision: Any, normal: np.ndarray) -> np.ndarray:
    """precision^(-1/2) times each column, by a Chebyshev series: products with a sparse matrix and nothing else.

    The eigenvalues lie between those that the simulators set and Gershgorin's bound; the series' error falls as
    ((sqrt(ratio) - 1) / (sqrt(ratio) + 1))^degree, to below single precision here.
    """
    low, high = SMALLEST, float(np.abs(precision).sum(axis=1).max())
    ratio = np.sqrt(high / low)
    degree = int(np.ceil(np.log(1e-7) / np.log((ratio - 1) / (ratio + 1)))) + 2
    series = chebyshev.Chebyshev.interpolate(_one_over_root, degree, domain=[low, high]).coef
    scaled = (precision * (2 / (high - low))).astype(normal.dtype)
    shift = normal.dtype.type((high + low) / (high - low))
    later = np.zeros_like(normal)
    now = np.zeros_like(normal)
    for coefficient in series[:0:-1].astype(normal.dtype):  # Clenshaw's recurrence
        now, later = coefficient * normal + 2 * (scaled @ now - shift * now) - later, now
    return series[0].astype(normal.dtype) * normal + (scaled @ now - shift * now) - later


def _one_over_root(value: Any) -> Any:
    return value**-0.5


def _check(variables: int, name: str) -> None:
    if isinstance(variables, bool) or not isinstance(variables, int | np.integer) or variables < 1:
        raise ValueError(f"{name}({variables!r}): give the number of variables, a whole number of 1 or more.")
