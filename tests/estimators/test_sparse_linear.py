"""The linear estimators: against brute force, other solvers, and their own promises."""

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_units_and_origins_of_the_columns_do_not_matter(X, y, dtype, form):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    scales = 10.0 ** np.linspace(-3, 3, 9)
    there = form(((Z + 3000) * scales).astype(dtype))
    here, moved = SparseRegressor(at_most=3).fit(Z, y), SparseRegressor(at_most=3).fit(there, y)
    assert_array_equal(here.support_, moved.support_)
    assert_allclose(moved.coef_ * scales, here.coef_, rtol=1e-6 if dtype == np.float64 else 0.02)
    assert_allclose(moved.predict(there), here.predict(Z), atol=1e-6 if dtype == np.float64 else 0.1)


@pytest.mark.parametrize(
    ("change", "parameters", "sentence"),
    [
        ({"j": lambda f: 1 - 2 * f.a}, {"at_most": 1}, "'a' and column 'j' say the same"),
        ({"j": lambda f: 0 * f.a + 7}, {"at_most": 10}, "'j' is constant"),
        ({"j": lambda f: f.a + f.b}, {"at_most": 10}, "9 (are all|chosen features)"),
        ({}, {"at_most": 9, "rows": 6}, "fit all 6 rows exactly"),
    ],
)
@pytest.mark.parametrize("thin", [False, True])
def test_what_the_data_cannot_tell_apart_is_told_by_name(X, y, change, parameters, sentence, thin):
    frame = pd.DataFrame(X, columns=list("abcdefghi")).assign(**change)
    parameters = dict(parameters)
    rows = parameters.pop("rows", 80)
    data = frame.iloc[:rows]
    if thin:
        data, sentence = sparse.csr_array(data.values), sentence.replace("'a'", "0").replace("'j'", "9")
    target = np.asarray(X[:, 0] if parameters["at_most"] == 1 else y)[:rows]
    if parameters["at_most"] == 1:
        target = target + 0.1 * np.random.default_rng(0).normal(size=80)
    with pytest.warns(UserWarning, match=sentence):
        SparseRegressor(**parameters).fit(data, target)


def test_nothing_is_said_of_data_that_is_well(X, y, recwarn):
    SparseRegressor(at_most=3).fit(X, y)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"at_most": 2.5}, "at_most=2.5"),
        ({"ridge": -1}, "ridge=-1"),
        ({"kicks": 1.5}, "kicks=1.5"),
        ({"max_seconds": 0}, "max_seconds=0"),
        ({"loss": "hinge"}, "loss='hinge' is not known"),
        ({"groups": [1, 2]}, "one label for each of the 9 features"),
        ({"always": ["a"]}, "no column names"),
        ({"always": [9]}, "there are 9, from 0 to 8"),
        ({"always": [0, 1], "at_most": 1}, "2 are always kept"),
        ({"bounds": 3}, "give \\(lower, upper\\)"),
        ({"bounds": (1, 0)}, "no room for feature 0"),
        ({"bounds": (1, 2)}, "do not allow feature 0 to be zero"),
        ({"bounds": ([0, 1], None)}, "one number for each of the 9 features"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(X, y, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "weights", "sentence"),
    [
        (np.array([[1.0, np.nan], [2, 3]]), [1, 2], None, "NaN in column 1"),
        (np.array([[1.0, np.inf], [2, 3]]), [1, 2], None, "infinity in column 1"),
        (np.eye(2), [1, np.nan], None, "Input y contains NaN"),
        (np.eye(2), [1, 2], [1.0, -1.0], "0 or more"),
        (np.eye(2), ["a", "b"], None, "'a', which is no amount"),
        (np.array([["x", "1"], ["2", "3"]], dtype=object), [1, 2], None, "holds text \\('x'\\)"),
        (np.eye(2), [1, 2], [1.0], "one number for each of the 2 rows"),
    ],
)
def test_bad_data_is_refused_in_one_sentence(X, y, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseRegressor(at_most=1).fit(X, y, weights)


def test_a_target_that_the_loss_cannot_have_is_refused(X, y):
    for loss, sentence in (("poisson", "counts of 0 or more"), ("gamma", "amounts above 0"), ("tweedie", "0 or more")):
        with pytest.raises(ValueError, match=sentence):
            SparseRegressor(loss=loss).fit(X, y)
    with pytest.raises(ValueError, match="only one class, 'a'"):
        SparseClassifier().fit(X, ["a"] * 80)


def test_it_stands_in_a_pipeline_and_keeps_frames(X, y):
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    pipe = make_pipeline(StandardScaler(), SparseRegressor(at_most=3), LinearRegression()).set_output(
        transform="pandas"
    )
    pipe.fit(frame, y)
    chosen = pipe[1].transform(pipe[0].transform(frame))
    assert list(chosen.columns) == list(pipe[1].get_feature_names_out())
    assert_allclose(pipe.predict(frame), pipe[1].predict(pipe[0].transform(frame)), rtol=1e-6)
    assert clone(pipe[1]).get_params() == pipe[1].get_params()


def test_a_fitted_model_holds_no_data(X, y):
    model = SparseRegressor(at_most=2).fit(np.tile(X, (500, 1)), np.tile(y, 500))
    assert len(pickle.dumps(model)) < 30_000
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_running_out_of_time_is_told_and_leaves_the_best_so_far(X, y):
    with pytest.warns(ConvergenceWarning, match="seconds were over"):
        model = SparseRegressor(at_most=3, kicks=10**6, max_seconds=0.05).fit(X, y)
    assert len(model.support_) == 3


def test_the_same_call_gives_the_same_answer(X, y):
    one, two = (SparseRegressor(at_most=4, random_state=7).fit(X, y) for _ in range(2))
    assert_array_equal(one.coef_, two.coef_)
    assert one.result_.value == two.result_.value


def test_a_target_that_never_varies_needs_no_feature(X):
    model = SparseRegressor(at_most=3).fit(X, np.full(80, 7.5))
    assert model.support_.size == 0
    assert_allclose(model.predict(X), 7.5)


@pytest.mark.parametrize("at_most", [0, 4])
def test_where_all_or_none_may_stay_many_rows_are_fitted_whole(at_most: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 3 + rng.normal(size=40_000)
    model = SparseRegressor(at_most=at_most).fit(X, y)
    table = np.column_stack([np.ones(len(X)), X[:, :at_most]])
    truth = np.linalg.lstsq(table, y, rcond=None)[0]
    assert_allclose([model.intercept_, *model.coef_[:at_most]], truth, rtol=1e-7)


def test_rows_whose_order_repeats_itself_are_no_trap() -> None:
    # Every 25th row, as a round number of them would have it, sees a single day of most of these.
    rng = np.random.default_rng(1)
    for period in (2, 5, 7, 10, 25):
        X = rng.normal(size=(50_000, 30))
        season = np.arange(50_000) % period
        X[:, 3] += season
        y = 2 * X[:, 3] - X[:, 8] + X[:, 21] + rng.normal(size=50_000)
        model = SparseRegressor(at_most=3, kicks=0).fit(X, y)
        assert model.support_.tolist() == [3, 8, 21]
