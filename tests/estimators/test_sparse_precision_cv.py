"""The cross-validated graph: against a plain loop over folds, and its own promises."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from atmostk.datasets import band_graph, hub_graph, uniform_graph
from atmostk.estimators import SparsePrecision, SparsePrecisionCV
from atmostk.graphs.graph import Graph
from atmostk.graphs.selection import Combined, Growth, Neighbourhood, Study
from atmostk.graphs.selection.shrunk_refit import factors
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample


@parametrize_with_checks([SparsePrecisionCV(shrinkage=[0.5, 0.0]), SparsePrecision(edges=3, selection=Combined())])
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def X():
    return uniform_graph(20, seed=0).draw(90, seed=1) * np.linspace(0.1, 20, 20) + np.arange(20)


def pairs(model):
    return list(zip(model.edges_.i.tolist(), model.edges_.j.tolist(), strict=True))


@pytest.mark.parametrize("rule", [Neighbourhood(), Growth(), Growth(0.25), Combined()], ids=repr)
def test_a_rule_chooses_the_edges_and_the_refit_is_the_minimum_on_them(X, rule):
    model = SparsePrecision(edges=25, selection=rule, ridge=0.01).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_array_equal(model.graph_.keys, Study(Z.T @ Z / 90, ridge=0.01).chosen(rule, 25).keys)
    again = SparsePrecision(edges=25, known=pairs(model), ridge=0.01).fit(X)
    assert pairs(again) == pairs(model)
    assert_allclose(again.precision_.toarray(), model.precision_.toarray(), rtol=1e-3, atol=1e-6)
    assert repr(rule) in model.result_.stop.reason
    assert model.certificate_.basic_feasible


def penalised(Z, graph, each):
    """The objective of a graph on rows, with a penalty for each edge."""
    return GaussianGraph().value(graph, Sample(Z, len(Z))) + 2 * (each * np.abs(graph.weights)).sum()


def test_held_out_values_are_those_of_a_plain_loop_over_folds(X):
    folds = KFold(4, shuffle=True, random_state=3)
    model = SparsePrecisionCV([25], shrinkage=[0.0], selection=[Growth(), Neighbourhood()], cv=folds).fit(X)
    total = 0.0
    for kept, out in folds.split(X):
        mean, scale = X[kept].mean(axis=0), X[kept].std(axis=0)
        learned = SparsePrecision(25, selection=Growth()).fit((X[kept] - mean) / scale)
        total += GaussianGraph().value(learned.graph_, Sample((X[out] - mean) / scale, len(out))) * len(out) / 90
    table = model.cv_results_
    # A refit in a fold stops after 30 sweeps.
    assert_allclose(table["mean_objective"][[rule == Growth() for rule in table["selection"]]], total, rtol=1e-3)


def test_the_last_fit_is_the_minimum_under_the_penalties_that_it_tells(X):
    model = SparsePrecisionCV([15, 25], calibrate=False, shrinkage=[0.5]).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    graph, each = model.graph_, model.shrinkage_
    plain = SparsePrecision(model.best_edges_, selection=model.best_selection_).fit(X)
    assert pairs(plain) == pairs(model)
    assert_allclose(each.mean(), 0.5 * 2 * Study(Z.T @ Z / 90).penalty(model.best_edges_), rtol=1e-3)
    best = penalised(Z, graph, each)
    assert_allclose(model.result_.value, best, rtol=1e-9)
    rng = np.random.default_rng(0)
    for size in (1e-4, 1e-3, 1e-2):
        moved = graph.weights * (1 + size * rng.normal(size=graph.weights.size))
        assert penalised(Z, Graph(graph.diagonal, graph.rows, graph.columns, moved), each) > best


def test_variables_that_are_explained_and_have_many_neighbours_are_shrunk_less():
    star = Graph(np.array([4.0, 1, 1, 1, 1, 1]), np.array([0, 0, 0, 4]), np.array([1, 2, 3, 5]), np.zeros(4))
    found = factors(star)
    assert_allclose(found.mean(), 1)
    assert (found[:3] < found[3]).all()
    assert_allclose(found[0] / found[3], (1 + 1 / 4) / 2 * 3**-0.25)


def test_calibration_multiplies_the_graph_by_the_number_that_the_held_out_rows_ask_for(X):
    only = {"shrinkage": [0.3], "selection": [Growth()]}
    plain = SparsePrecisionCV([25], calibrate=False, **only).fit(X)
    calibrated = SparsePrecisionCV([25], **only, cv=KFold(5)).fit(X)
    assert calibrated.calibration_ < 1
    assert_allclose((calibrated.precision_ - calibrated.calibration_ * plain.precision_).data, 0, atol=1e-9)
    assert_allclose(calibrated.cv_results_["calibrated_objective"], calibrated.cv_results_["mean_objective"], rtol=0.05)
    assert (calibrated.cv_results_["calibrated_objective"] < calibrated.cv_results_["mean_objective"]).all()


def test_it_predicts_unseen_rows_better_than_too_few_too_many_or_unshrunk_edges():
    truth = uniform_graph(40, seed=3)
    drawn = truth.draw(560, seed=4)
    X, unseen = drawn[:60], drawn[60:]
    score = SparsePrecisionCV().fit(X).score(unseen)
    for edges in (5, 60, 300):
        assert score > SparsePrecision(edges).fit(X).score(unseen)


def test_the_frugal_rule_takes_no_more_edges():
    X = band_graph(30).draw(100, seed=5)
    best = SparsePrecisionCV().fit(X)
    frugal = SparsePrecisionCV(rule="one_standard_error").fit(X)
    assert frugal.best_edges_ < best.best_edges_
    assert frugal.score(X) < best.score(X)


def test_the_same_answer_with_any_number_of_threads_and_in_any_order_of_the_lists(X):
    one = SparsePrecisionCV([15, 30], random_state=1).fit(X)
    two = SparsePrecisionCV([30, 15], shrinkage=[0.0, 0.5, 0.2, 1.0], random_state=1, n_jobs=2).fit(X)
    three = SparsePrecisionCV([15, 30], shrinkage=[1.0, 0.5, 0.2, 0.0], random_state=1).fit(X)
    assert_array_equal(two.precision_.toarray(), three.precision_.toarray())
    assert pairs(clone(one).fit(X)) == pairs(one)


def test_names_known_and_forbidden_pairs_and_missing_values_go_through(X):
    frame = pd.DataFrame(X.copy(), columns=[f"g{place}" for place in range(20)])
    frame.iloc[3, 4] = np.nan
    model = SparsePrecisionCV([10], known=[("g0", "g19")], forbidden=[("g1", "g2")], impute=True, ranks=True).fit(frame)
    assert (0, 19) in pairs(model)
    assert (1, 2) not in pairs(model)
    assert model.edges_[0].first == "g0"
    assert np.isfinite(model.score(frame))


def test_single_precision_stays(X):
    assert SparsePrecisionCV([10]).fit(X.astype(np.float32)).location_.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"edges": []}, "at least one"),
        ({"edges": [2.5]}, "whole numbers"),
        ({"shrinkage": [-1.0]}, "finite numbers"),
        ({"selection": []}, "at least one rule"),
        ({"selection": ["lasso"]}, "no method scores"),
        ({"rule": "least"}, "one_standard_error"),
        ({"cv": 1}, "two folds"),
    ],
)
def test_what_makes_no_sense_is_refused(X, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SparsePrecisionCV(**options).fit(X)


def test_the_search_s_options_and_a_rule_exclude_one_another(X):
    with pytest.raises(ValueError, match="belong to the search"):
        SparsePrecision(edges=5, selection=Growth(), kicks=3).fit(X)


@pytest.mark.parametrize(
    "truth", [band_graph(50), uniform_graph(50, seed=1), hub_graph(50, seed=2)], ids=["band", "uniform", "hub"]
)
def test_the_chooser_recovers_about_as_much_as_the_better_of_the_rules(truth):
    true = truth.edges[:, 0] * 50 + truth.edges[:, 1]
    models = {
        "chooser": SparsePrecisionCV([len(true)]),
        "growth": SparsePrecision(len(true), selection=Growth()),
        "neighbourhood": SparsePrecision(len(true), selection=Neighbourhood()),
    }
    found = dict.fromkeys(models, 0.0)
    for seed in range(4):
        X = truth.draw(60, seed=seed)
        for name, model in models.items():
            found[name] += np.isin(model.fit(X).graph_.keys, true).mean() / 4
    best, worst = max(found["growth"], found["neighbourhood"]), min(found["growth"], found["neighbourhood"])
    assert found["chooser"] > best - 0.03
    assert found["chooser"] > worst
