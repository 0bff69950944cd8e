"""The search on the Gram matrix: against brute force, plain formulas and its own exactness."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize as scipy_minimize

from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.worth import Worth
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample


def rows(count, size, seed, mixing=0.4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, size)) @ (np.eye(size) + mixing * rng.normal(size=(size, size)))
    return (X - X.mean(0)) / X.std(0)


def gram(X):
    return X.T @ X / len(X)


def least_on(X, pairs, ridge=0.0):
    """The minimum of F on these edges, by a general optimiser on the diagonal's logarithm and the weights."""
    size, sample, objective = X.shape[1], Sample(X, len(X)), GaussianGraph(ridge=ridge)
    low, high = np.array(pairs, np.int64).reshape(-1, 2).T

    def value(z):
        graph = Graph(np.exp(z[:size]), low, high, z[size:])
        gradient = objective.gradient(graph, sample)
        slopes = np.concatenate((gradient.diagonal * graph.diagonal, gradient.at(low, high)))
        return objective.value(graph, sample), slopes

    found = scipy_minimize(
        value, np.zeros(size + len(low)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10}
    )
    return found.fun


@pytest.mark.parametrize("ridge", [0.0, 0.2])
def test_it_finds_the_best_of_all_supports_mostly_and_one_nearly_as_good_always(ridge):
    exact = 0
    for seed in range(6):
        X = rows(40, 5, seed, mixing=0.2)
        best = min(least_on(X, chosen, ridge) for chosen in combinations(combinations(range(5), 2), 3))
        found = best_graph(OnGram(gram(X), ridge=ridge), 3)
        assert found.graph.rows.size == 3
        assert best - 1e-8 <= found.value <= best + 0.12 * abs(best)
        exact += found.value < best + 1e-6
    assert exact >= 4


@pytest.mark.parametrize("ridge", [0.0, 0.2])
def test_the_value_is_that_of_the_objective_and_least_on_the_support(ridge):
    X = rows(25, 5, 1)
    found = best_graph(OnGram(gram(X), ridge=ridge), 3)
    assert_allclose(
        found.value, least_on(X, list(zip(found.graph.rows, found.graph.columns, strict=True)), ridge), atol=1e-7
    )
    assert_allclose(found.value, GaussianGraph(ridge=ridge).value(found.graph, Sample(X, 25)), rtol=1e-10)


@given(st.integers(0, 10_000), st.integers(2, 30), st.floats(0, 0.5), st.floats(0, 0.3))
def test_the_answer_is_a_minimum_on_its_support(seed, size, ridge, l1):
    X = rows(size + 20, size, seed)
    edges = min(size, size * (size - 1) // 2)
    found = best_graph(OnGram(gram(X), ridge=ridge, l1=l1), edges).graph
    assert found.rows.size <= edges
    gradient = GaussianGraph(ridge=ridge, l1=l1).gradient(found, Sample(X, len(X)))
    slopes = gradient.at(found.rows, found.columns)
    assert np.abs(gradient.diagonal).max() < 1e-3
    assert np.abs(slopes[found.weights != 0]).max(initial=0) < 1e-3
    assert (np.abs(slopes[found.weights == 0]) <= 2 * l1 + 1e-3).all()


def test_more_edges_are_never_worse_and_all_edges_are_all():
    X = rows(40, 8, 0)
    phases = OnGram(gram(X))
    values = [best_graph(phases, edges).value for edges in (0, 1, 4, 9, 28, 40)]
    assert values == sorted(values, reverse=True)
    assert best_graph(phases, 40).graph.rows.size == 28
    assert best_graph(phases, 0).graph.rows.size == 0
    assert_allclose(best_graph(phases, 0).value, least_on(X, []), rtol=1e-10)


def test_exchanges_repair_a_support_that_growth_got_wrong():
    X = rows(60, 12, 3)
    phases = OnGram(gram(X))
    wrong = Graph.of_pairs(np.ones(12), np.arange(10), np.arange(10) + 2, np.zeros(10))
    begun, before = phases.refitted(wrong)
    found, after, moved = phases.exchanged(begun, 10)
    assert moved > 0
    assert after < before
    assert found.rows.size == 10


def test_known_edges_stay_forbidden_ones_stay_out_and_dear_ones_come_last():
    X = rows(60, 12, 4)
    free = best_graph(OnGram(gram(X)), 8).graph
    out, worth = free.keys[:3], np.ones((12, 12))
    unwanted = np.setdiff1d(np.ravel_multi_index(np.triu_indices(12, 1), (12, 12)), free.keys)[:2]
    for key, value in [*((key, 0.0) for key in out), *((key, np.inf) for key in unwanted)]:
        worth[key // 12, key % 12] = worth[key % 12, key // 12] = value
    held = best_graph(OnGram(gram(X), worth=Worth.of_matrix(worth)), 8).graph
    assert not np.isin(out, held.keys).any()
    assert np.isin(unwanted, held.keys).all()
    assert held.rows.size == 8

    cheap = np.ones((12, 12))
    cheap[held.rows, held.columns] = cheap[held.columns, held.rows] = 1e6
    assert_array_equal(best_graph(OnGram(gram(X), worth=Worth.of_matrix(cheap)), 8).graph.keys, held.keys)


def test_a_worth_divides_the_shrinkage_of_its_pair():
    X = rows(60, 4, 5)
    worth = np.ones((4, 4))
    worth[0, 1] = worth[1, 0] = np.inf
    found = best_graph(OnGram(gram(X), l1=50.0, worth=Worth.of_matrix(worth)), 6).graph
    assert found.keys[found.weights != 0].tolist() == [1]


def test_the_same_graph_whatever_was_done_before_with_the_workspace():
    X = rows(60, 20, 6)
    phases = OnGram(gram(X))
    first = best_graph(phases, 20)
    best_graph(phases, 33)
    again = best_graph(phases, 20)
    assert_array_equal(first.graph.to_dense(), again.graph.to_dense())
    assert first.value == again.value


def test_in_single_precision_the_support_is_the_same():
    X = rows(200, 30, 7)
    wide = best_graph(OnGram(gram(X)), 30)
    narrow = best_graph(OnGram(gram(X).astype(np.float32)), 30)
    assert_array_equal(narrow.graph.keys, wide.graph.keys)
    assert_allclose(narrow.value, wide.value, rtol=1e-6)
