"""The models of several budgets, from one walk over them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.estimators.budget_ladder import climbed
from atmostk.estimators.linear_search import Found, LinearSearch, seed_of
from atmostk.estimators.sparse_linear import SparseLinear, is_whole


@dataclass(frozen=True, repr=False)
class SparsePath:
    """The models with each of these budgets, as `sparse_path` found them.

    `values` are the objectives, `losses` the mean losses without the ridge, `supports` the features of each model.

    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> path = sparse_path(X, X[:, 2] + 3 * X[:, 5], at_most=[1, 2])
    >>> [support.tolist() for support in path.supports]
    [[5], [2, 5]]
    >>> path.model(2).coef_.round(2)
    array([0., 0., 1., 0., 0., 3., 0., 0.])
    """

    template: SparseLinear
    found: tuple[Found, ...]

    def __repr__(self) -> str:
        return f"SparsePath(at most {', '.join(str(one.at_most) for one in self.found)})"

    @property
    def at_most(self) -> np.ndarray:
        """The budgets, ascending."""
        return np.array([one.at_most for one in self.found], np.int64)

    @property
    def values(self) -> np.ndarray:
        """The objective of each model."""
        return np.array([one.result.value for one in self.found])

    @property
    def losses(self) -> np.ndarray:
        """The mean loss of each model, without the ridge."""
        return np.array([one.loss for one in self.found])

    @property
    def supports(self) -> list[np.ndarray]:
        """The features of each model."""
        return [one.support for one in self.found]

    @property
    def coefs(self) -> np.ndarray:
        """The coefficients of each model, in the shape of its `coef_`."""
        table = np.stack([one.coefficients for one in self.found])
        return table if hasattr(self.template, "classes_") else table[:, 0]

    def model(self, at_most: int) -> Any:
        """The fitted estimator with this budget."""
        for one in self.found:
            if one.at_most == at_most:
                model = copy.copy(self.template)
                model.at_most = at_most
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model._learn(one)
                return model
        raise KeyError(f"the path has no model with at_most={at_most}, only {', '.join(map(str, self.at_most))}.")


def sparse_path(
    X: Any, y: Any = None, *, at_most: Iterable[int] = tuple(range(1, 31)), model: Any = None, sample_weight: Any = None
) -> SparsePath:
    """The best models with each of these budgets.

    `model` is a `SparseRegressor` (the default) or a `SparseClassifier` with the other parameters. Each budget gets the
    better of two answers: that of the model alone, and an exchange started from the model one feature smaller, which
    was found in the same manner. So no model is worse than it would be alone, and none depends on which other budgets
    were asked for.

    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> path = sparse_path(X, X[:, 2] + 3 * X[:, 5], at_most=range(3))
    >>> path.at_most, bool((np.diff(path.values) < 0).all())
    (array([0, 1, 2]), True)
    """
    if model is None:
        from atmostk.estimators.sparse_regressor import SparseRegressor

        model = SparseRegressor()
    if not isinstance(model, SparseLinear) or not hasattr(model, "_opened"):
        raise TypeError(f"model={model!r}: give a SparseRegressor or a SparseClassifier, whose at_most does not count.")
    template = copy.copy(model)
    search = template._opened(X, y, sample_weight)
    return walked(template, search, checked_budgets(template, at_most, search))


def walked(template: Any, search: LinearSearch, budgets: Sequence[int], max_seconds: float | None = None) -> SparsePath:
    """The path of a model that has opened its data."""
    max_seconds = template.max_seconds if max_seconds is None else max_seconds
    seed = seed_of(template.random_state)
    return SparsePath(
        template, tuple(climbed(search, budgets, kicks=template.kicks, seed=seed, max_seconds=max_seconds))
    )


def checked_budgets(model: SparseLinear, at_most: Any, search: LinearSearch) -> list[int]:
    """The budgets to try, ascending, each once, none larger than there are features."""
    if is_whole(at_most):
        at_most = [at_most]
    budgets = list(at_most) if isinstance(at_most, Iterable) and not isinstance(at_most, str) else []
    if not budgets:
        raise ValueError(f"{type(model).__name__}(at_most={at_most!r}): name the budgets to try, such as range(1, 31).")
    return sorted({model._checked_budget(one, search.rules) for one in budgets})
