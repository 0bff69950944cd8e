"""How often each feature is chosen on half of the rows, and how many wrong ones that lets through at most.

Meinshausen and Buehlmann (2010, "Stability selection", JRSS B 72), on complementary pairs of halves as Shah and
Samworth (2013, JRSS B 75) take them: then the bound needs no assumption on the data or the estimator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from atmostk.inference.chosen import chosen, halves, names_of, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """`choices` has a row for each half and a column for each feature: whether it was chosen.

    >>> stability = Stability(np.array([[True, False, False], [True, False, True]]), np.array(["a", "b", "c"]))
    >>> stability.frequencies, stability.stable(0.9), round(stability.error_bound(0.9), 6)
    (array([1. , 0. , 0.5]), array([0]), 0.9375)
    """

    choices: np.ndarray
    names: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """The share of halves in which each feature was chosen."""
        return self.choices.mean(axis=0)

    @property
    def size(self) -> float:
        """How many features a half chooses on average."""
        return float(self.choices.sum(axis=1).mean())

    def stable(self, threshold: float = 0.75) -> np.ndarray:
        """The places of the features that at least such a share of the halves chose."""
        self._check(threshold)
        return np.flatnonzero(self.frequencies >= threshold - 1e-12)

    def error_bound(self, threshold: float = 0.75) -> float:
        """How many of the stable features are expected at most to be ones that a half chooses no more often than by
        chance: size^2 / ((2 threshold - 1) features).

        By chance: with probability at most size / features. Under the exchangeability of Meinshausen and Buehlmann
        these are the features without effect; without it they are what Shah and Samworth call low selection
        probability.
        """
        self._check(threshold)
        return self.size**2 / ((2 * threshold - 1) * self.choices.shape[1])

    def threshold_for(self, errors: float) -> float:
        """The smallest threshold for which the bound is at most `errors`; above 1 where none is low enough."""
        return 0.5 + self.size**2 / (2 * errors * self.choices.shape[1])

    def __repr__(self) -> str:
        count = len(self.stable())
        return (
            f"Stability({self.choices.shape[1]} features, {len(self.choices)} halves: {count} chosen in at least 75 %, "
            f"of them at most {self.error_bound():.2g} expected by chance)"
        )

    @staticmethod
    def _check(threshold: float) -> None:
        if not 0.5 < threshold <= 1:
            raise ValueError(f"threshold={threshold}: it lies above 0.5, because the bound does, and at most at 1.")


def stability_selection(
    estimator: Any, X: Any, y: Any, *, pairs: int = 50, seed: int = 0, n_jobs: int | None = None
) -> Stability:
    """Fit a copy of the estimator on both halves of the rows, `pairs` times halved at random, and count the choices.

    `estimator` is anything that fits and has `support_`, `get_support` or `coef_`; it is not changed. Of a classifier
    both halves hold the classes in the same shares. Fits run side by side through joblib.

    >>> from atmostk import SparseRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 200))
    >>> y = X[:, 3] - X[:, 8] + rng.normal(size=100)
    >>> stability = stability_selection(SparseRegressor(at_most=4), X, y, pairs=20)
    >>> stability.stable(0.9), round(stability.error_bound(0.9), 3)
    (array([3, 8]), 0.1)
    """
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 1:
        raise ValueError(f"stability_selection(pairs={pairs!r}): it must be a whole number of 1 or more.")
    X, y = rows_of(X), np.asarray(y)
    if X.shape[0] < 4:
        raise ValueError(f"{X.shape[0]} rows are too few to halve: give at least 4.")
    seeds = np.random.default_rng(seed).spawn(pairs)
    found: Any = Parallel(n_jobs=n_jobs)(delayed(_one_pair)(estimator, X, y, rng) for rng in seeds)
    return Stability(np.concatenate(found), names_of(X))


def _one_pair(estimator: Any, X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    choices = np.zeros((2, X.shape[1]), bool)
    for own, half in zip(choices, halves(estimator, y, 0.5, rng), strict=True):
        own[chosen(estimator, X, y, half)] = True
    return choices
