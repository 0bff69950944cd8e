"""A quantile's loss bends nowhere near the start where the target is far from zero: the fit has to get there first."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import QuantileRegressor

from atmostk import SparseRegressor


def test_the_median_of_a_target_far_from_zero_is_that_of_linear_programming() -> None:
    X, y = load_diabetes(return_X_y=True, scaled=False)
    y = y + 1_000
    model = SparseRegressor(at_most=3, loss="quantile", kicks=0).fit(X, y)
    chosen = X[:, model.support_]
    exact = QuantileRegressor(alpha=0).fit(chosen, y)
    ours, theirs = (np.abs(y - found).mean() for found in (model.predict(X), exact.predict(chosen)))
    assert ours <= 1.001 * theirs
