"""Regression that chooses its own number of features."""

from __future__ import annotations

from typing import Any

from atmostk.estimators.sparse_linear_cv import SparseLinearCV
from atmostk.estimators.sparse_regressor import SparseRegressor
from atmostk.estimators.transfer import same_but


class SparseRegressorCV(SparseLinearCV, SparseRegressor):
    """A `SparseRegressor` that chooses the number of features among `at_most`.

    `criterion` is "cv", the mean loss on held-out rows (`cv` as in scikit-learn: a number of folds, a splitter, or
    splits), or one of the information criteria "bic", "ebic" and "gic", which need no folds; the last two are for
    many features. With `one_standard_error` the smallest budget is chosen whose held-out loss is within one standard
    error of the best. `n_jobs` folds are fitted at once, through joblib.

    Learned besides: `at_most_`, `path_` (a `SparsePath`), `scores_` (of each budget of the path, lower is better), and
    with "cv" `errors_` and `fold_losses_`.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 20))
    >>> y = 3 * X[:, 4] - 2 * X[:, 11] + np.random.default_rng(1).normal(size=100)
    >>> model = SparseRegressorCV(at_most=range(1, 6), one_standard_error=True).fit(X, y)
    >>> model.at_most_, model.support_
    (2, array([ 4, 11]))
    """

    def __init__(
        self,
        at_most: Any = tuple(range(1, 31)),
        *,
        cv: Any = 5,
        criterion: str = "cv",
        one_standard_error: bool = False,
        loss: Any = "squared_error",
        ridge: float = 0.0,
        bounds: Any = None,
        groups: Any = None,
        always: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        kicks: int = 3,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            at_most, loss=loss, ridge=ridge, bounds=bounds, groups=groups, always=always, fit_intercept=fit_intercept,
            standardize=standardize, kicks=kicks, max_seconds=max_seconds, random_state=random_state,
        )  # fmt: skip
        self.cv = cv
        self.criterion = criterion
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs

    def _single(self) -> SparseRegressor:
        return same_but(self, SparseRegressor)
