"""What the estimators that choose their own budget share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv

from atmostk.estimators.budget_criteria import CRITERIA, information, smallest_within_one_error
from atmostk.estimators.held_out import cross_validated
from atmostk.estimators.linear_search import LinearSearch, seed_of
from atmostk.estimators.sources import is_source, only_for_sources
from atmostk.estimators.sparse_linear import SparseLinear
from atmostk.estimators.sparse_paths import SparsePath, checked_budgets, walked


class SparseLinearCV(SparseLinear):
    """A linear model that chooses its own number of features; `SparseRegressorCV` and `SparseClassifierCV` say of what.

    >>> from atmostk import SparseRegressorCV
    >>> issubclass(SparseRegressorCV, SparseLinearCV)
    True
    """

    cv: Any
    criterion: str
    one_standard_error: bool
    n_jobs: int | None

    path_: SparsePath
    at_most_: int
    scores_: np.ndarray
    errors_: np.ndarray | None
    fold_losses_: np.ndarray | None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, checkpoint: Any = None) -> Any:
        """Fit every budget, choose one by the criterion, and be that model.

        Rows from `datasets.open_rows` and from Dask are not cut into folds: an information criterion chooses there.
        """
        self._check_choice()
        only_for_sources(checkpoint, never=True)
        if is_source(X) and self.criterion == "cv":
            raise ValueError(
                f"{type(self).__name__}(criterion='cv') cuts rows in memory into folds: for rows read where they "
                "are, take criterion='bic', 'ebic' or 'gic'."
            )
        search = self._opened(X, y, sample_weight)
        budgets = checked_budgets(self, self.at_most, search)
        by_folds = self.criterion == "cv"
        seconds = self.max_seconds if self.max_seconds is None or not by_folds else self.max_seconds / 2
        path = walked(self._single(), search, budgets, seconds)
        self.fold_losses_ = self.errors_ = None
        if by_folds:
            chosen = self._cross_validate(search, budgets, seconds)
        else:
            weights = getattr(search.sampler, "weights", None)
            rows = float(search.sampler.size if weights is None else weights.sum())
            features = search.rules.units.shape[0]
            self.scores_ = information(self.criterion, list(path.found), search.loss, rows, features)
            chosen = int(np.argmin(self.scores_))
        self.path_, self.at_most_ = path, int(budgets[chosen])
        self._learn(path.found[chosen])
        self._warn(search, path.found[chosen])
        return self

    def _cross_validate(self, search: LinearSearch, budgets: Sequence[int], seconds: float | None) -> int:
        """The place of the budget that the folds prefer."""
        rows, classes = search.sampler, is_classifier(self)
        target = rows.y.astype(np.int64) if classes else rows.y
        splitter: Any = check_cv(self.cv, target, classifier=classes)
        folds = list(splitter.split(np.zeros((rows.size, 1)), target))
        losses, weights = cross_validated(
            search, folds, budgets, kicks=self.kicks, seed=seed_of(self.random_state), max_seconds=seconds,
            n_jobs=self.n_jobs,
        )  # fmt: skip
        share = weights / weights.sum()
        self.fold_losses_, self.scores_ = losses, losses @ share
        apart = (losses - self.scores_[:, None]) ** 2 @ share
        errors = self.errors_ = np.sqrt(apart / max(1, len(folds) - 1))
        if self.one_standard_error:
            return smallest_within_one_error(self.scores_, errors)
        return int(np.argmin(self.scores_))

    def _single(self) -> Any:
        """The estimator of one budget with what this one has learned of its data."""
        raise NotImplementedError

    def _check_choice(self) -> None:
        name = type(self).__name__
        if self.criterion not in CRITERIA:
            raise ValueError(f"{name}(criterion={self.criterion!r}): it must be one of {', '.join(CRITERIA)}.")
        if self.one_standard_error and self.criterion != "cv":
            raise ValueError(f"{name}(one_standard_error=True) needs the errors of criterion='cv'.")
