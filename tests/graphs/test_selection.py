"""Rules of selection: against scikit-learn's lasso, dense formulas and brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Lasso

from atmostk.datasets import band_graph, uniform_graph
from atmostk.graphs.best_graph import best_graph, stages
from atmostk.graphs.held_out import surprise
from atmostk.graphs.on_gram import NO_WORTH, OnGram
from atmostk.graphs.selection import Combined, Growth, Neighbourhood, Study
from atmostk.graphs.selection.neighbourhood_lasso import larger, linked, penalty_for, regress, residual_correlations
from atmostk.graphs.selection.ranked_pairs import strongest
from atmostk.graphs.worth import Worth
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample

RULES = [Neighbourhood(), Growth(), Growth(0.25), Combined()]


def rows(size, count, seed):
    X = uniform_graph(size, seed=seed).draw(count, seed=seed + 1)
    return (X - X.mean(0)) / X.std(0)


def gram(X):
    return X.T @ X / len(X)


@pytest.mark.parametrize("penalty", [0.3, 0.1])
def test_each_variable_has_the_lasso_on_the_others_that_scikit_learn_finds(penalty):
    X = rows(30, 60, 0)
    found = np.zeros((30, 30))
    regress(gram(X), found, penalty, NO_WORTH)
    for i in range(30):
        others = np.delete(np.arange(30), i)
        peer = Lasso(alpha=penalty, fit_intercept=False, tol=1e-10, max_iter=10**5).fit(X[:, others], X[:, i])
        assert_allclose(found[i, others], peer.coef_, atol=1e-3)
        assert found[i, i] == 0


def test_a_warm_start_ends_where_a_cold_one_does():
    S = gram(rows(40, 80, 1))
    cold, warm = np.zeros((40, 40)), np.zeros((40, 40))
    regress(S, cold, 0.12, NO_WORTH)
    for penalty in (0.4, 0.05, 0.2, 0.12):
        regress(S, warm, penalty, NO_WORTH)
    assert_allclose(warm, cold, atol=1e-3)


@pytest.mark.parametrize("edges", [1, 20, 60, 300])
def test_the_penalty_gives_enough_pairs_and_hardly_more(edges):
    S = gram(rows(40, 200, 2)).astype(np.float32)
    coefficients = np.zeros_like(S)
    penalty_for(S, coefficients, edges, NO_WORTH)
    assert edges <= linked(coefficients) <= 1.03 * edges + 2


def test_the_residuals_share_the_partial_correlation_where_nothing_was_shrunk():
    S = gram(rows(12, 300, 3))
    inverse = np.linalg.inv(S)
    coefficients = -inverse / inverse.diagonal()[:, None]
    np.fill_diagonal(coefficients, 0)
    scale = np.sqrt(np.outer(inverse.diagonal(), inverse.diagonal()))
    assert_allclose(residual_correlations(S, coefficients), np.triu(np.abs(inverse / scale), 1), atol=1e-6)
    assert_allclose(larger(coefficients), np.triu(np.maximum(abs(coefficients), abs(coefficients.T)), 1), atol=1e-6)


def test_the_worth_of_a_pair_is_what_the_objective_gains_or_loses_by_it():
    X = rows(15, 60, 4)
    study = Study(gram(X))
    graph = OnGram(gram(X)).refitted(study.grown(12, 0.0))[0]
    worths, objective, sample = study.worths(graph), GaussianGraph(), Sample(X, 60)
    whole = graph.to_dense()
    for i, j in [(0, 1), (3, 9), *zip(graph.rows[:3], graph.columns[:3], strict=True)]:

        def value(weight, i=i, j=j):
            changed = whole.copy()
            changed[i, j] = changed[j, i] = weight
            return objective.value(changed, sample)

        ends = value(-1.0), value(0.0), value(1.0)
        a, b = (ends[0] + ends[2]) / 2 - ends[1], (ends[2] - ends[0]) / 2
        # The parabola's least value against that at 0.
        assert_allclose(worths[i, j] ** 2, b * b / (4 * a), rtol=1e-3, atol=1e-6)


def test_the_strongest_pairs_are_those_of_a_sort_and_keep_to_what_is_known():
    scores = np.triu(np.random.default_rng(0).random((50, 50)), 1).astype(np.float32)
    i, j, _ = strongest(scores, NO_WORTH, 100)
    keys = np.sort(np.argsort(-scores.ravel())[:100])
    assert_array_equal(i * 50 + j, keys)
    worth = np.ones((50, 50), np.float32)
    worth.ravel()[keys[:40]] = 0
    worth[0, 1] = 1e30
    i, j, _ = strongest(scores, worth, 100)
    assert not np.isin(np.setdiff1d(keys[:40], [1]), i * 50 + j).any()
    assert (i[0], j[0]) == (0, 1)
    assert len(i) == 100


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_every_rule_finds_a_band_with_many_rows_and_keeps_to_what_is_known(rule):
    truth = band_graph(30)
    X = truth.draw(3000, seed=0)
    S = gram((X - X.mean(0)) / X.std(0))
    true = truth.edges[:, 0] * 30 + truth.edges[:, 1]
    assert np.isin(Study(S).chosen(rule, len(true)).keys, true).mean() > 0.9
    worth = Worth.of_pairs(30, [0, 1, 5], [1, 2, 20], [0.0, 0.0, np.inf])
    keys = Study(S, worth=worth).chosen(rule, 40).keys
    assert len(keys) == 40
    assert 5 * 30 + 20 in keys
    assert not np.isin([1, 32], keys).any()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_none_all_and_more_than_all_edges(rule):
    study = Study(gram(rows(8, 40, 5)))
    assert [study.chosen(rule, edges).rows.size for edges in (0, 28, 99)] == [0, 28, 28]


def test_growth_chooses_what_one_more_step_of_the_search_would():
    S = gram(rows(40, 100, 6)).astype(np.float32)
    phases = OnGram(S)
    grown = phases.grown(phases.start(), stages(50, 0), 50)[0]
    assert_array_equal(Study(S).chosen(Growth(), 50).keys, phases.grown(grown, [50], 50)[0].keys)


def test_the_answer_does_not_depend_on_what_the_study_was_asked_before():
    S = gram(rows(30, 50, 7))
    study = Study(S)
    for edges in (90, 20, 45):
        study.lasso(edges)
    for rule in RULES:
        # Where the lasso was warm its last digits differ: a pair at the margin may.
        assert len(np.setdiff1d(study.chosen(rule, 45).keys, Study(S).chosen(rule, 45).keys)) <= 1


def test_the_surprise_of_held_out_rows_is_that_of_the_dense_formula():
    X = rows(20, 80, 8)
    graph = best_graph(OnGram(gram(X[:60])), 25).graph
    left = X[60:] @ graph.to_dense()
    expected = ((left**2).mean(axis=0) / graph.diagonal).sum()
    assert_allclose(surprise(gram(X[60:]), graph.diagonal, graph.rows, graph.columns, graph.weights), expected)


def test_a_negative_shrinkage_is_refused():
    with pytest.raises(ValueError, match="0 or more"):
        Growth(-1)
