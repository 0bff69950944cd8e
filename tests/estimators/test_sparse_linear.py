"""The linear estimators: against brute force, other solvers, and their own promises."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LinearRegression, LogisticRegression

from atmostk import SparseClassifier, SparseRegressor


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 9)) @ (np.eye(9) + 0.4 * rng.normal(size=(9, 9))) + np.arange(9)


@pytest.fixture(scope="module")
def y(X):
    return X @ np.array([3.0, 0, 0, -2, 0, 1, 0, 0.5, 0]) + 2 * np.random.default_rng(1).normal(size=80)


def test_it_finds_the_best_of_all_supports(X, y):
    errors = {}
    for chosen in combinations(range(9), 3):
        part = X[:, chosen]
        errors[chosen] = ((LinearRegression().fit(part, y).predict(part) - y) ** 2).mean() / 2
    best = min(errors, key=errors.__getitem__)
    model = SparseRegressor(at_most=3).fit(X, y)
    assert tuple(model.support_) == best
    assert_allclose(model.result_.value, errors[best], rtol=1e-9)
    other = LinearRegression().fit(X[:, best], y)
    assert_allclose(model.coef_[list(best)], other.coef_, rtol=1e-6)
    assert_allclose(model.intercept_, other.intercept_, rtol=1e-6)


def test_binary_classes_are_scikit_learns_logistic_regression_on_the_best_support(X, y):
    labels = np.where(y > np.median(y), "high", "low")
    losses = {}
    for chosen in combinations(range(9), 2):
        other = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X[:, chosen], labels)
        losses[chosen] = -np.log(other.predict_proba(X[:, chosen])[np.arange(80), (labels == "low").astype(int)]).mean()
    best = min(losses, key=losses.__getitem__)
    model = SparseClassifier(at_most=2, ridge=0.0).fit(X, labels)
    assert tuple(model.support_) == best
    assert_allclose(model.result_.value, losses[best], rtol=1e-7)
    assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_give_the_model_of_dense_ones(X, y, form):
    Z = np.where(X > 1, X, 0)
    dense, thin = SparseRegressor(at_most=3).fit(Z, y), SparseRegressor(at_most=3).fit(form(Z), y)
    assert_array_equal(dense.support_, thin.support_)
    assert_allclose(dense.coef_, thin.coef_, rtol=1e-6)
    assert_allclose(dense.predict(Z), thin.predict(form(Z)))


def test_single_precision_stays(X, y):
    model = SparseRegressor(at_most=3).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    assert model.predict(X.astype(np.float32)).dtype == np.float32


def test_a_feature_of_several_classes_counts_once_or_for_each(X, y):
    labels = np.digitize(y, np.quantile(y, [0.33, 0.66]))
    once = SparseClassifier(at_most=2).fit(X, labels)
    assert once.coef_.shape == (3, 9)
    assert len(once.support_) == 2
    assert np.count_nonzero(once.coef_) == 6
    each = SparseClassifier(at_most=4, per_class=True).fit(X, labels)
    assert np.count_nonzero(each.coef_) == 4
    assert_allclose(each.predict_proba(X).sum(axis=1), 1)


def test_names_bounds_groups_and_kept_features_hold_together(X, y):
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    model = SparseRegressor(
        at_most=3, always=["b"], bounds={"d": (None, 0), "a": (0, 1.5)}, groups=[0, 1, 2, 3, 3, 4, 4, 5, 5], ridge=0.1
    ).fit(frame, y)
    assert 1 in model.support_
    assert model.coef_[3] <= 0
    assert 0 <= model.coef_[0] <= 1.5
    chosen = {[0, 1, 2, 3, 3, 4, 4, 5, 5][place] for place in model.support_}
    assert len(chosen) == 3
    assert list(model.get_feature_names_out()) == [frame.columns[place] for place in model.support_]
