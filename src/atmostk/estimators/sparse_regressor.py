"""Regression on at most K features, in scikit-learn's manner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin, clone

from atmostk.estimators.arriving.partial_fit import ArrivingRegressor
from atmostk.estimators.linear_door import opened
from atmostk.estimators.linear_search import Found, LinearSearch
from atmostk.estimators.regression_losses import checked_loss, needs_scale, scaled, spread
from atmostk.estimators.sources import is_source, only_for_sources
from atmostk.estimators.sparse_linear import SparseLinear, is_whole
from atmostk.estimators.streamed_fit import opened_stream, streamed_search
from atmostk.objectives.linear_predictor import LinearPredictorLoss

SAMPLED = 20_000  # rows that tell a scale to about a percent


class SparseRegressor(ArrivingRegressor, RegressorMixin, SparseLinear):
    """The best linear regression on at most `at_most` features.

    It minimises the mean loss plus ridge / 2 times the squared coefficients (of columns with variance 1, where
    `standardize`) over all coefficients with at most so many nonzeros. The intercept is free.

    `loss` is "squared_error", "huber", "quantile" (the median), "poisson", "gamma", "tweedie", or an objective of
    `atmostk.objectives` such as `Huber(0.5)`, `Quantile(0.9)` or `Tweedie(1.7)`. Quantiles are smoothed; their window,
    and the threshold of "huber", follow the spread of the residuals of a first fit, and stand in `loss_`.
    `bounds` is (lower, upper), each None, a number or one for each feature, or a dictionary {feature: (lower, upper)};
    `groups` has a label for each feature, and at_most counts groups; features in `always` (places, column names or a
    mask) are in the model whatever they are worth, and count. More `kicks` search longer for a better model;
    `max_seconds` ends the search with the best so far.

    X may be an array, a frame, or a scipy CSR or CSC matrix; it is not copied, and float32 stays float32.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 20))
    >>> y = 3 * X[:, 4] - 2 * X[:, 11] + 1
    >>> model = SparseRegressor(at_most=2).fit(X, y)
    >>> model.support_, model.coef_[model.support_].round(3), round(float(model.intercept_), 3)
    (array([ 4, 11]), array([ 3., -2.]), 1.0)
    """

    def __init__(
        self,
        at_most: int = 10,
        *,
        loss: Any = "squared_error",
        ridge: float = 0.0,
        bounds: Any = None,
        groups: Any = None,
        always: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        kicks: int = 3,
        max_seconds: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.at_most = at_most
        self.loss = loss
        self.ridge = ridge
        self.bounds = bounds
        self.groups = groups
        self.always = always
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.kicks = kicks
        self.max_seconds = max_seconds
        self.random_state = random_state

    loss_: LinearPredictorLoss
    intercept_: float

    def _opened(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any = None) -> LinearSearch:
        self._check_parameters()
        self.loss_ = checked_loss(self.loss)
        if is_source(X):
            stream = opened_stream(self, X, y, sample_weight, checkpoint)
            if needs_scale(self.loss):
                self.loss_ = self._scaled_by_sample(stream.source)
            return streamed_search(self, stream, stream.source, self.loss_, 1)
        only_for_sources(checkpoint)
        data = opened(self, X, y, sample_weight, numeric=True, about_mean=bool(self.fit_intercept))
        if not needs_scale(self.loss):
            return self._search(data, self.loss_, data.y, data.weights, 1)
        rows = len(data.y)
        budgets = [int(budget) for budget in np.ravel(self.at_most) if is_whole(budget)]
        features = min(max(budgets, default=0), rows // 4)
        rough = scaled(self.loss_, spread(data.y, data.weights), rows, features)
        search = self._search(data, rough, data.y, data.weights, 1)
        found = search.run(max(features, search.rules.kept), kicks=0, seed=0).state.point
        self.loss_ = scaled(self.loss_, spread(data.y - found.predictor, data.weights), rows, features)
        return replace(search, loss=self.loss_)

    def _scaled_by_sample(self, source: Any) -> LinearPredictorLoss:
        """The loss at the scale of what a fit in memory leaves of a sample."""
        sample = source.draw(min(source.size, source.sample_rows, SAMPLED), np.random.default_rng(0))
        near: Any = clone(self)
        near.set_params(at_most=int(np.max(self.at_most))).fit(*sample.data, sample.weights)
        apart = sample.data[1] - near._predictor(sample.data[0])
        features = min(int(np.max(self.at_most)), source.size // 4)
        return scaled(checked_loss(self.loss), spread(apart, sample.weights), source.size, features)

    def _learn(self, found: Found) -> None:
        super()._learn(found)
        self.coef_, self.intercept_ = found.coefficients[0], found.intercepts[0]

    def predict(self, X: Any) -> np.ndarray:
        """The expected amount of each row."""
        z = self._predictor(X)
        return self.loss_.mean(z)
