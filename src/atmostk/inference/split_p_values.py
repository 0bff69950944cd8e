"""p-values that selection does not spoil: one part of the rows chooses the features, the other tests them.

Many splits are put together by the quantile rule of Meinshausen, Meier and Buehlmann (2009, "p-values for
high-dimensional regression", JASA 104), so that the answer does not hang on one split.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import stats

from atmostk.inference.chosen import chosen, halves, names_of, rows_of, taken
from atmostk.inference.refit import loss_and_target
from atmostk.inference.wald import fitted
from atmostk.objectives.columns import taken as columns_taken

LEAST_QUANTILE = 0.05  # gamma_min of the rule, the value that its authors recommend


@dataclass(frozen=True, eq=False, repr=False)
class SplitPValues:
    """`p_values` holds one for each feature of X, corrected for the number that were tested: to call those significant
    that are at most 0.05 calls a feature without effect significant in at most 5 % of data sets, even one of them.

    `by_split` has a row for each split, 1 where a feature was not chosen; `frequencies` says how often it was.

    >>> SplitPValues(np.array([0.01, 1.0]), np.array([[0.01, 1.0]]), np.array(["a", "b"])).significant()
    array([0])
    """

    p_values: np.ndarray
    by_split: np.ndarray
    names: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """The share of splits that chose each feature."""
        return (~np.isnan(self.by_split)).mean(axis=0)

    def significant(self, level: float = 0.05) -> np.ndarray:
        """The places of the features with a p-value of at most `level`."""
        return np.flatnonzero(self.p_values <= level)

    def __repr__(self) -> str:
        count = len(self.significant())
        return f"SplitPValues({len(self.p_values)} features, {len(self.by_split)} splits, {count} significant at 5 %)"

    def __str__(self) -> str:
        order = [place for place in np.argsort(self.p_values, kind="stable") if self.p_values[place] < 1]
        width = max([7, *(len(str(self.names[place])) for place in order)])
        lines = [f"{'feature'.ljust(width)}  p-value  chosen in (p-values by sample splitting, corrected)"]
        lines += [
            f"{str(self.names[place]).ljust(width)}  {self.p_values[place]:<7.2g}  {self.frequencies[place]:.0%}"
            for place in order
        ]
        return "\n".join(lines)


def split_p_values(
    estimator: Any, X: Any, y: Any, *, splits: int = 50, share: float = 0.5, robust: bool = False, seed: int = 0,
    n_jobs: int | None = None,
) -> SplitPValues:  # fmt: skip
    """p-values of all features: a `share` of the rows chooses, the others test what was chosen, `splits` times.

    In each split a chosen feature's p-value is that of its coefficient (of all its coefficients, with several classes)
    on the rows that did not choose, times the number chosen; a feature that was not chosen has 1. They are right where
    the chosen features include those with an effect: a feature can also be significant because it stands in for one
    that was not chosen. `estimator` is anything with `support_`, `get_support` or `coef_`; it is not changed.

    >>> from atmostk import SparseRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> y = X[:, 3] - X[:, 8] + rng.normal(size=200)
    >>> split_p_values(SparseRegressor(at_most=5), X, y, splits=10).significant()
    array([3, 8])
    """
    if isinstance(splits, bool) or not isinstance(splits, int) or splits < 1:
        raise ValueError(f"split_p_values(splits={splits!r}): it must be a whole number of 1 or more.")
    if not 0 < share < 1:
        raise ValueError(f"split_p_values(share={share}): the share of rows that choose lies between 0 and 1.")
    X, y = rows_of(X), np.asarray(y)
    seeds = np.random.default_rng(seed).spawn(splits)
    rows: Any = Parallel(n_jobs=n_jobs)(delayed(_one_split)(estimator, X, y, share, robust, rng) for rng in seeds)
    by_split = np.array(rows)
    return SplitPValues(combined(np.where(np.isnan(by_split), 1.0, by_split)), by_split, names_of(X))


def combined(by_split: np.ndarray, least: float = LEAST_QUANTILE) -> np.ndarray:
    """One p-value for each column from those of many splits, which may depend on each other in any way.

    min(1, (1 - log least) inf over gamma of the gamma-quantile of the p-values / gamma), gamma from `least` to 1; of
    one split, that split's.

    >>> combined(np.array([[0.01, 0.5], [0.02, 1.0]])).round(3)
    array([0.08, 1.  ])
    """
    splits = len(by_split)
    if splits == 1:
        return by_split[0]
    # The quantile only jumps at multiples of 1 / splits, where the quotient is least.
    ranks = np.arange(max(1, math.ceil(least * splits - 1e-9)), splits + 1)
    ordered = np.sort(by_split, axis=0)[ranks - 1]
    quotients = ordered / np.maximum(ranks / splits, least)[:, None]
    return np.minimum(1.0, (1 - math.log(least)) * quotients.min(axis=0))


def _one_split(
    estimator: Any, X: Any, y: np.ndarray, share: float, robust: bool, rng: np.random.Generator
) -> np.ndarray:
    """The corrected p-values of one split; NaN where a feature was not chosen."""
    choosing, testing = halves(estimator, y, share, rng)
    support = chosen(estimator, X, y, choosing)
    found = np.full(X.shape[1], np.nan)
    if support.size == 0:
        return found
    if len(testing) <= support.size + 2:
        raise ValueError(
            f"{support.size} features were chosen, but only {len(testing)} rows are left to test them: let the "
            "estimator choose fewer, or give more rows."
        )
    loss, target, classes = loss_and_target(estimator, y)
    part = taken(X, testing)
    A = columns_taken(part.to_numpy() if hasattr(part, "to_numpy") else part, support)
    outputs = len(classes) if len(classes) > 2 else 1
    intercept = bool(getattr(estimator, "fit_intercept", True))
    fit = fitted(loss, A, target[testing], None, outputs=outputs, intercept=intercept, robust=robust)
    found[support] = np.minimum(1.0, support.size * _tests(fit, support.size, outputs))
    return found


def _tests(fit: Any, features: int, outputs: int) -> np.ndarray:
    """The p-value of each feature: t or normal, chi squared where it has several coefficients."""
    if outputs == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            statistics = np.abs(fit.values[:features]) / np.sqrt(np.maximum(np.diag(fit.covariance)[:features], 0))
        law: Any = stats.norm if np.isinf(fit.freedom) else stats.t(fit.freedom)
        return np.nan_to_num(2 * law.sf(statistics), nan=1.0)
    found = np.empty(features)
    for feature in range(features):
        # The last coefficient follows from the others, because they sum to zero.
        own = slice(feature * outputs, feature * outputs + outputs - 1)
        values, covariance = fit.values[own], fit.covariance[own, own]
        found[feature] = stats.chi2.sf(values @ np.linalg.pinv(covariance, hermitian=True) @ values, outputs - 1)
    return found
