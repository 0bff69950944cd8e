"""How often an edge is chosen when half of the rows are left out: which edges a repetition would find again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from atmostk.estimators.learned_graph import LearnedGraph
from atmostk.estimators.prior_knowledge import pair_places


@dataclass(frozen=True, eq=False, repr=False)
class EdgeStability:
    """Each pair that was ever chosen, i < j, the most frequent first, and in which share of the subsamples.

    >>> from atmostk.datasets import band_graph
    >>> from atmostk.estimators import SparsePrecision
    >>> stability = edge_stability(SparsePrecision(edges=18), band_graph(20).draw(100, seed=0), subsamples=20)
    >>> stability.frequency.max()
    np.float64(1.0)
    >>> len(stability.stable(0.9)) <= 18 <= len(stability.frequency)
    True
    """

    i: np.ndarray
    j: np.ndarray
    frequency: np.ndarray
    names: np.ndarray
    chosen: float
    subsamples: int

    def stable(self, threshold: float = 0.6) -> np.ndarray:
        """The pairs that at least this share of the subsamples chose, one a row, the most frequent first."""
        kept = self.frequency >= threshold
        return np.column_stack((self.i[kept], self.j[kept]))

    def false_edges(self, threshold: float = 0.6) -> float:
        """At most so many of the stable edges are expected to be none (Meinshausen and Buehlmann 2010).

        chosen^2 / ((2 threshold - 1) pairs), where noise pairs are chosen as often as one another.
        """
        if threshold <= 0.5:
            raise ValueError(f"false_edges({threshold!r}): the bound holds for thresholds above .5.")
        size = len(self.names)
        return self.chosen**2 / ((2 * threshold - 1) * size * (size - 1) / 2)

    def frequencies(self) -> Any:
        """As a sparse symmetric matrix of all variables."""
        size = len(self.names)
        upper = sparse.coo_array((self.frequency, (self.i, self.j)), shape=(size, size))
        return (upper + upper.T).tocsr()

    def to_frame(self) -> Any:
        """One row for each pair, as a pandas frame."""
        import pandas

        ends = {"i": self.i, "j": self.j, "first": self.names[self.i], "second": self.names[self.j]}
        return pandas.DataFrame({**ends, "frequency": self.frequency})

    def __repr__(self) -> str:
        return (
            f"EdgeStability({len(self.stable()):,} pairs in 60 % or more of {self.subsamples} subsamples, "
            f"{self.chosen:,.0f} edges each)"
        )


def edge_stability(
    model: LearnedGraph, X: Any, *, subsamples: int = 50, n_jobs: int | None = None, random_state: Any = 0
) -> EdgeStability:
    """Fit the model on random halves of the rows, in pairs that share no row, and count how often each edge comes.

    Any graph estimator will do: `SparsePrecision`, with a rule of selection or without, or `SparsePrecisionCV`.

    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> X[:, 4] += 2 * X[:, 0]
    >>> from atmostk.estimators import SparsePrecision
    >>> edge_stability(SparsePrecision(edges=1), X, subsamples=10).stable().tolist()
    [[0, 4]]
    """
    if subsamples < 2:
        raise ValueError(f"edge_stability(subsamples={subsamples!r}): it takes at least two.")
    whole: Any = clone(model)
    X = whole._opened(X)
    rows, size = X.shape
    if rows < 8:
        raise ValueError(f"edge_stability needs at least 8 rows, X has {rows}: a half of them must tell of a graph.")
    # What was filled and ranked once stays so in every half.
    half: Any = clone(model)
    half.set_params(impute=False, ranks=False)
    named = getattr(whole, "feature_names_in_", None)
    for option in ("known", "forbidden"):
        half.set_params(**{option: pair_places(size, named, getattr(whole, option), option)})
    rng = check_random_state(random_state)
    halves: list[np.ndarray] = []
    while len(halves) < subsamples:
        order = rng.permutation(rows)
        halves += [np.sort(order[: rows // 2]), np.sort(order[rows // 2 : 2 * (rows // 2)])]

    def keys(kept: np.ndarray) -> np.ndarray:
        again: Any = clone(half)
        return again.fit(X[kept]).graph_.keys

    found: Any = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(keys)(kept) for kept in halves[:subsamples])
    pairs, times = np.unique(np.concatenate(found), return_counts=True)
    order = np.argsort(-times, kind="stable")
    i, j = np.divmod(pairs[order], size)
    names = named if named is not None else np.array([f"x{place}" for place in range(size)], dtype=object)
    return EdgeStability(i, j, times[order] / subsamples, names, sum(map(len, found)) / subsamples, subsamples)
