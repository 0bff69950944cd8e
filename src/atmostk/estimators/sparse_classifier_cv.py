"""Classification that chooses its own number of features."""

from __future__ import annotations

from typing import Any

from atmostk.estimators.sparse_classifier import SparseClassifier
from atmostk.estimators.sparse_linear_cv import SparseLinearCV
from atmostk.estimators.transfer import same_but


class SparseClassifierCV(SparseLinearCV, SparseClassifier):
    """A `SparseClassifier` that chooses the number of features among `at_most`, as `SparseRegressorCV` does.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 20))
    >>> y = 2 * X[:, 4] - 2 * X[:, 11] + np.random.default_rng(1).logistic(size=300) > 0
    >>> model = SparseClassifierCV(at_most=range(1, 6), criterion="ebic").fit(X, y)
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
        ridge: float = 1e-6,
        bounds: Any = None,
        groups: Any = None,
        always: Any = None,
        per_class: bool = False,
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        kicks: int = 3,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            at_most, ridge=ridge, bounds=bounds, groups=groups, always=always, per_class=per_class,
            class_weight=class_weight, fit_intercept=fit_intercept, standardize=standardize, kicks=kicks,
            max_seconds=max_seconds, random_state=random_state,
        )  # fmt: skip
        self.cv = cv
        self.criterion = criterion
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs

    def _single(self) -> SparseClassifier:
        return same_but(self, SparseClassifier)
