"""Paths and chosen budgets: against single fits, brute force, scikit-learn's folds, and formulas written out."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from atmostk import SparseClassifier, SparseClassifierCV, SparseRegressor, SparseRegressorCV, sparse_path
from atmostk.estimators.budget_ladder import rungs


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(90, 40))
    return Z + 0.9 * np.roll(Z, 1, axis=1) + 0.8 * np.roll(Z, 2, axis=1)


@pytest.fixture(scope="module")
def y(X):
    return X[:, [3, 5, 8, 20, 21]] @ [3.0, -2, 1, 1, -1] + 2 * np.random.default_rng(6).normal(size=90)


def test_no_model_of_a_path_is_worse_than_alone_or_depends_on_the_others(X, y):
    path = sparse_path(X, y, at_most=range(1, 11), model=SparseRegressor(kicks=1))
    for budget, value in zip(path.at_most, path.values, strict=True):
        assert value <= SparseRegressor(at_most=int(budget), kicks=1).fit(X, y).result_.value
    some = sparse_path(X, y, at_most=[9, 4], model=SparseRegressor(kicks=1))
    assert_array_equal(some.at_most, [4, 9])
    for budget in (4, 9):
        assert_array_equal(some.model(budget).coef_, path.model(budget).coef_)
    assert_array_equal(np.count_nonzero(path.coefs, axis=1), path.at_most)
    with pytest.raises(KeyError, match="at_most=11"):
        path.model(11)


def test_the_way_to_a_budget_does_not_depend_on_how_far_one_goes():
    assert list(rungs(200))[: len(list(rungs(60)))] == list(rungs(60))


def test_the_model_of_a_path_predicts_and_says_how_good_it_is(X, y):
    model = sparse_path(X, y, at_most=[3]).model(3)
    assert isinstance(model, SparseRegressor)
    assert_allclose(model.result_.value, ((model.predict(X) - y) ** 2).mean() / 2, rtol=1e-9)
    assert model.certificate_.basic_feasible


@pytest.mark.parametrize("criterion", ["bic", "ebic", "gic"])
def test_the_criteria_are_their_formulas(X, y, criterion):
    model = SparseRegressorCV(at_most=range(1, 13), criterion=criterion).fit(X, y)
    n, p = X.shape
    written_out = []
    for one in range(1, 13):
        fit = n * math.log(((model.path_.model(one).predict(X) - y) ** 2).mean())
        price = {
            "bic": one * math.log(n),
            "ebic": one * math.log(n) + 2 * math.log(math.comb(p, one)),
            "gic": one * math.log(p) * math.log(math.log(n)),
        }[criterion]
        written_out.append(fit + price)
    assert_allclose(model.scores_, written_out, rtol=1e-9)
    assert model.at_most_ == 1 + int(np.argmin(written_out))
    assert len(model.support_) == model.at_most_


def test_the_held_out_loss_is_what_scikit_learns_folds_give_where_the_search_is_exact(X, y):
    few = X[:, :5]
    folds = KFold(4, shuffle=True, random_state=0)
    model = SparseRegressorCV(at_most=range(1, 6), cv=folds).fit(few, y)
    for place, budget in enumerate(range(1, 6)):
        scores = cross_val_score(SparseRegressor(budget), few, y, cv=folds, scoring="neg_mean_squared_error")
        assert_allclose(model.fold_losses_[place], -scores / 2, rtol=1e-5)
    assert_allclose(model.scores_, model.fold_losses_ @ np.bincount(folds_of(folds, few)) / 90)


def folds_of(folds, X):
    labels = np.empty(len(X), int)
    for place, (_, test) in enumerate(folds.split(X)):
        labels[test] = place
    return labels


def test_one_standard_error_chooses_no_more_features_within_the_error(X, y):
    best = SparseRegressorCV(at_most=range(1, 16)).fit(X, y)
    lean = SparseRegressorCV(at_most=range(1, 16), one_standard_error=True).fit(X, y)
    assert lean.at_most_ <= best.at_most_
    allowed = best.scores_.min() + best.errors_[np.argmin(best.scores_)]
    assert lean.scores_[lean.at_most_ - 1] <= allowed
    assert (lean.scores_[: lean.at_most_ - 1] > allowed).all()


def test_folds_in_parallel_give_the_same_answer(X, y):
    labels = np.where(y > 0, "up", "down")
    one = SparseClassifierCV(at_most=range(1, 5), kicks=0).fit(X, labels)
    two = SparseClassifierCV(at_most=range(1, 5), kicks=0, n_jobs=2).fit(X, labels)
    assert_array_equal(one.fold_losses_, two.fold_losses_)
    assert isinstance(one.path_.model(2), SparseClassifier)
    assert_array_equal(one.predict(X), one.path_.model(one.at_most_).predict(X))


def test_a_grid_search_over_budgets_works(X, y):
    search = GridSearchCV(SparseRegressor(kicks=0), {"at_most": [1, 5], "ridge": [0.0, 0.1]}, cv=3).fit(X, y)
    assert search.best_params_["at_most"] == 5


def test_a_path_that_runs_out_of_time_still_has_all_its_models(X, y):
    with pytest.warns(UserWarning, match="seconds were over"):
        model = SparseRegressorCV(at_most=range(1, 21), kicks=10**6, max_seconds=0.5).fit(X, y)
    assert len(model.path_.at_most) == 20
    assert not model.result_.stop.converged


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"criterion": "aic"}, "criterion='aic'"),
        ({"at_most": []}, "name the budgets to try"),
        ({"at_most": [2, -1]}, "whole number of 0 or more"),
        ({"criterion": "bic", "one_standard_error": True}, "needs the errors"),
    ],
)
def test_bad_choices_are_refused_in_one_sentence(X, y, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseRegressorCV(**parameters).fit(X, y)
