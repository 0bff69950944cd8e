"""What the linear estimators share: from what a person asked for to a fitted model."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from atmostk.certificate import Certificate
from atmostk.estimators import linear_door
from atmostk.estimators.coefficient_rules import CoefficientRules, coefficient_rules
from atmostk.estimators.identifiability import fits_exactly, sentences
from atmostk.estimators.linear_door import Opened
from atmostk.estimators.linear_search import Found, LinearSearch, seed_of
from atmostk.minimize import Result
from atmostk.objectives.linear_predictor import predict


class SparseLinear(SelectorMixin, BaseEstimator):
    """A linear model with at most so many features; `SparseRegressor` and `SparseClassifier` say of what.

    >>> from atmostk import SparseRegressor
    >>> issubclass(SparseRegressor, SparseLinear)
    True
    """

    at_most: Any
    ridge: float
    bounds: Any
    groups: Any
    always: Any
    fit_intercept: bool
    standardize: bool
    kicks: int
    max_seconds: float | None
    random_state: Any

    coef_: np.ndarray
    support_: np.ndarray
    result_: Result
    certificate_: Certificate
    n_iter_: int
    n_features_in_: int

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, checkpoint: Any = None) -> Any:
        """Choose the features and fit their coefficients.

        X may also be rows from `datasets.open_rows`, which hold their target, or a dask array or data frame; such rows
        are read where they are. With `checkpoint`, a file, that fit can be killed, and made again it goes on.
        """
        search = self._opened(X, y, sample_weight, checkpoint)
        at_most = self._checked_budget(self.at_most, search.rules)
        seed = seed_of(self.random_state)
        result = search.run(at_most, kicks=self.kicks, seed=seed, max_seconds=self.max_seconds)
        found = search.found(at_most, result)
        self._learn(found)
        self._warn(search, found)
        return self

    def _opened(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any = None) -> LinearSearch:
        """What to minimise, from data as it comes in; the model learns of its features and its target."""
        raise NotImplementedError

    def _search(self, data: Opened, loss: Any, target: np.ndarray, weights: Any, outputs: int) -> LinearSearch:
        """What to minimise."""
        rules = coefficient_rules(
            data.X.shape[1], outputs, data.names, groups=self.groups, always=self.always, bounds=self.bounds,
            intercept=bool(self.fit_intercept), per_output=getattr(self, "per_class", False),
        )  # fmt: skip
        ridge = None
        if self.ridge:
            ridge = self.ridge * (data.moments.variances if self.standardize else np.ones(data.X.shape[1]))
        loss.check_target(target, True)
        return LinearSearch(
            loss, data.sampler(target, weights, intercept=rules.intercept), rules, ridge, data.X.dtype, data.moments
        )

    def _learn(self, found: Found) -> None:
        """Become the model that a search found."""
        vars(self).pop("_stream", None)  # whatever arrived before, this model is of these rows
        assert found.certificate is not None
        self.certificate_, self.result_, self.support_ = found.certificate, found.result, found.support
        self.n_iter_ = max(1, found.result.steps)
        if not found.result.stop.converged:
            warnings.warn(
                f"{type(self).__name__} ended early: {found.result.stop.reason} The model is the best so far.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif not found.certificate.basic_feasible and not fits_exactly(found):
            warnings.warn(
                f"{type(self).__name__} did not converge on the features that it chose (the gradient there is "
                f"{found.certificate.slope:.2g}): a ridge, such as ridge=1e-4, makes the minimum unique.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _warn(self, search: LinearSearch, found: Found) -> None:
        """Say what the data cannot tell apart, where it is in memory."""
        if search.moments is None:
            return
        for sentence in sentences(search, found, getattr(self, "feature_names_in_", None)):
            warnings.warn(f"{type(self).__name__}: {sentence}", UserWarning, stacklevel=3)

    def _check_parameters(self) -> None:
        name = type(self).__name__
        if not (_is_real(self.ridge) and 0 <= self.ridge < math.inf):
            raise ValueError(f"{name}(ridge={self.ridge!r}): it must be a finite number of 0 or more.")
        if not is_whole(self.kicks):
            raise ValueError(f"{name}(kicks={self.kicks!r}): it must be a whole number of 0 or more.")
        if self.max_seconds is not None and not (_is_real(self.max_seconds) and self.max_seconds > 0):
            raise ValueError(f"{name}(max_seconds={self.max_seconds!r}): it must be positive, or None.")

    def _checked_budget(self, at_most: Any, rules: CoefficientRules) -> int:
        """A budget that the rules leave possible, no larger than there are features."""
        name = type(self).__name__
        if not is_whole(at_most):
            raise ValueError(f"{name}(at_most={at_most!r}): it must be a whole number of 0 or more.")
        if rules.kept > at_most:
            raise ValueError(f"{name}(at_most={at_most}), but {rules.kept} are always kept: allow at least as many.")
        return min(int(at_most), rules.count)

    def _predictor(self, X: Any) -> np.ndarray:
        """X coef + intercept, a column for each output where there are several."""
        check_is_fitted(self, "coef_")
        X = linear_door.read(self, X)
        coefficients = self.coef_ if self.coef_.ndim == 1 or len(self.coef_) > 1 else self.coef_[0]
        intercept: Any = self.intercept_ if coefficients.ndim > 1 else np.ravel(self.intercept_)[0]  # pyright: ignore
        return predict(X, coefficients.T) + intercept

    def _get_support_mask(self) -> Any:
        check_is_fitted(self, "coef_")
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.support_] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def is_whole(number: Any) -> bool:
    """Whether it is a whole number of 0 or more."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool) and bool(number >= 0)


def _is_real(number: Any) -> bool:
    return isinstance(number, int | float | np.number) and not isinstance(number, bool)
