"""The pseudo-likelihood of a graph, against finite differences, plain formulas and itself in its two forms."""

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk import PIHT, Problem, minimize
from atmostk.constraints import AlwaysKept, AtMostEdges
from atmostk.graphs.graph import Graph
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample
from atmostk.samplers import Rows
from atmostk.solvers import Measured
from atmostk.stopping import after_steps

OBJECTIVES = [GaussianGraph(), GaussianGraph(ridge=0.3), GaussianGraph(l1=0.2), GaussianGraph(ridge=0.1, l1=0.05)]
SIZE = 6


def rows(count=20, size=SIZE, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(count, size)) @ (np.eye(size) + 0.3 * rng.normal(size=(size, size)))).astype(dtype)


def graph(size=SIZE, edges=5, seed=1):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(size), 2)))
    chosen = pairs[rng.choice(len(pairs), edges, replace=False)]
    return Graph.of_pairs(rng.uniform(0.5, 2, size), chosen[:, 1], chosen[:, 0], rng.normal(size=edges))


def by_the_formula(objective, W, X):
    """F as the paper writes it, one variable after the other."""
    total = 0.0
    for i in range(len(W)):
        total += -math.log(W[i, i]) + np.sum((X @ W[:, i]) ** 2) / len(X) / W[i, i]
    off = W - np.diag(np.diag(W))
    return total + objective.ridge * np.sum(W**2) + objective.l1 * np.abs(off).sum()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_value_is_the_papers_formula_for_a_matrix_and_for_a_graph(objective):
    X, W = rows(), graph()
    expected = by_the_formula(objective, W.to_dense(), X)
    sample = Sample(X, len(X))
    assert_allclose(objective.value(W, sample), expected, rtol=1e-12)
    assert_allclose(objective.value(W.to_dense(), sample), expected, rtol=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_what_moving_both_entries_of_a_pair_changes(objective, weighted):
    X, W = rows(), graph()
    sample = Sample(X, len(X), weights=np.random.default_rng(2).random(len(X)) if weighted else None)
    dense, step = W.to_dense(), 1e-5
    own = objective.gradient(W, sample)
    matrix = objective.gradient(dense, sample)
    assert_array_equal(matrix, matrix.T)
    for i in range(SIZE):
        for j in range(i, SIZE):
            if objective.l1 and i != j and dense[i, j] == 0:
                continue  # |w| has no derivative at 0
            moved = np.zeros_like(dense)
            moved[i, j] = moved[j, i] = step
            quotient = (objective.value(dense + moved, sample) - objective.value(dense - moved, sample)) / (2 * step)
            assert_allclose(matrix[i, j], quotient, rtol=1e-6, atol=1e-8)
            assert_allclose(own.take(np.array([i * SIZE + j, j * SIZE + i])), matrix[i, j], rtol=1e-10, atol=1e-12)
    assert_allclose(own.norm(), np.linalg.norm(matrix), rtol=1e-10)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("form", [lambda W: W, Graph.to_dense])
def test_the_mean_of_the_row_losses_is_the_value(objective, form):
    X, W = rows(), form(graph())
    sample = Sample(X, len(X))
    losses = objective.losses(W, sample)
    assert losses.shape == (len(X),)
    assert_allclose(losses.mean(), objective.value(W, sample), rtol=1e-12)


def test_a_weight_of_two_is_a_row_that_stands_twice():
    X, W = rows(), graph()
    weighted = Sample(X, len(X), weights=np.where(np.arange(len(X)) < 4, 2.0, 1.0))
    repeated = Sample(np.vstack((X, X[:4])), len(X) + 4)
    for form in (W, W.to_dense()):
        assert_allclose(GaussianGraph().value(form, weighted), GaussianGraph().value(form, repeated), rtol=1e-12)


def test_outside_its_domain_it_is_infinite():
    X, W = rows(), graph()
    bad = Graph(np.where(np.arange(SIZE) == 2, 0.0, W.diagonal), W.rows, W.columns, W.weights)
    for form in (bad, bad.to_dense()):
        assert GaussianGraph().value(form, Sample(X, len(X))) == math.inf
        assert np.isinf(GaussianGraph().losses(form, Sample(X, len(X)))).all()


def test_single_precision_stays_single_precision():
    X, W = rows(dtype=np.float32), graph()
    sample = Sample(X, len(X))
    assert GaussianGraph().gradient(W.to_dense().astype(np.float32), sample).dtype == np.float32
    assert GaussianGraph().losses(W, sample).dtype == np.float32
    assert GaussianGraph().gradient(W, sample).left.dtype == np.float32


def test_pytorch_gives_the_numbers_of_numpy_and_of_its_own_derivative():
    torch = pytest.importorskip("torch")
    X, W, objective = rows(), graph().to_dense(), GaussianGraph(ridge=0.1)
    x = torch.tensor(W, requires_grad=True)
    sample = Sample(torch.tensor(X), len(X))
    objective.losses(x, sample).mean().backward()
    own = objective.gradient(torch.tensor(W), sample).numpy()
    automatic = x.grad.numpy()
    both = automatic + automatic.T
    both[np.diag_indices(SIZE)] /= 2
    assert_allclose(own, both, rtol=1e-9)
    assert_allclose(own, objective.gradient(W, Sample(X, len(X))), rtol=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("constraint", [AtMostEdges(12), AlwaysKept(AtMostEdges(9), [3 * 25 + 7, 7 * 25 + 3])])
def test_piht_takes_the_same_steps_with_a_graph_as_with_a_dense_matrix(objective, constraint):
    X, start = rows(60, 25), graph(25, 12)
    problem = Problem(objective, Rows(X), constraint)
    sparse = minimize(problem, PIHT(), start, stop=after_steps(40))
    dense = minimize(problem, PIHT(), start.to_dense(), stop=after_steps(40))
    assert sum(sparse.history.column("accepted")) > 5
    assert sparse.history.column("accepted") == dense.history.column("accepted")
    assert_array_equal(sparse.support, dense.support)
    assert_allclose(np.asarray(sparse.x), dense.x, rtol=1e-9, atol=1e-12)
    assert_allclose(sparse.value, dense.value, rtol=1e-12)


def test_gradients_of_several_samples_add_up_in_factors():
    problem = Problem(GaussianGraph(ridge=0.1), Rows(rows(300, 25)), AtMostEdges(12))
    solver = PIHT(sample_size=Measured(first=32))
    sparse = minimize(problem, solver, graph(25, 12), stop=after_steps(10))
    dense = minimize(problem, solver, graph(25, 12).to_dense(), stop=after_steps(10))
    assert_allclose(np.asarray(sparse.x), dense.x, rtol=1e-8, atol=1e-10)


def test_a_run_on_a_graph_resumes_to_the_same_answer(tmp_path):
    problem = Problem(GaussianGraph(), Rows(rows(60, 25)), AtMostEdges(12))
    whole = minimize(problem, PIHT(), graph(25, 12), stop=after_steps(30), checkpoint=tmp_path / "whole.npz")
    minimize(problem, PIHT(), graph(25, 12), stop=after_steps(13), checkpoint=tmp_path / "cut.npz")
    resumed = minimize(problem, PIHT(), graph(25, 12), stop=after_steps(30), checkpoint=tmp_path / "cut.npz")
    assert isinstance(resumed.x, Graph)
    assert_array_equal(resumed.x.to_dense(), whole.x.to_dense())
    with pytest.raises(ValueError, match="belongs to another run"):
        minimize(problem, PIHT(), graph(25, 12, 3), stop=after_steps(30), checkpoint=tmp_path / "cut.npz")


def test_wrong_input_is_met_at_the_door():
    problem = Problem(GaussianGraph(), Rows(rows()), AtMostEdges(3))
    with pytest.raises(ValueError, match=r"x has shape .7, 7. but X has 6 columns"):
        problem.check(np.eye(7))
    with pytest.raises(ValueError, match=r"x has 0 at .1, 1.: a diagonal must be positive"):
        problem.check(np.diag([1.0, 0, 1, 1, 1, 1]))
    with pytest.raises(TypeError, match="reads rows without a target"):
        Problem(GaussianGraph(), Rows(rows(), np.ones(20)), AtMostEdges(3)).check(np.eye(SIZE))
    with pytest.raises(ValueError, match=r"GaussianGraph\(ridge=-1\): it must be a finite number, 0 or more"):
        GaussianGraph(ridge=-1)
