"""Exchange on graphs: small ones on their Gram matrix, all of them on the data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk import Exchange, Problem, minimize
from atmostk.constraints import AlwaysKept, AtMost, AtMostEdges
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.graph import Graph, with_mirrors
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.worth import Worth
from atmostk.landscape import Landscape, OwnPhases
from atmostk.objectives import GaussianGraph, graph_landscape
from atmostk.samplers import Rows, Simulator
from atmostk.stopping import after_steps


def rows(count=80, size=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, size))
    X[:, 1:] += 0.5 * X[:, :-1]
    return (X - X.mean(0)) / X.std(0)


def alone(size=30):
    none = np.empty(0, np.int64)
    return Graph(np.ones(size), none, none, np.empty(0))


def columns(X):
    return np.ascontiguousarray(X.T / len(X) ** 0.5, dtype=np.float32)


@pytest.fixture(params=["gram", "columns"])
def form(request, monkeypatch):
    """Both forms of the data, whatever the number of variables."""
    monkeypatch.setattr(graph_landscape, "GRAM", 3000 if request.param == "gram" else 0)
    return request.param


def test_it_keeps_the_protocols():
    problem = Problem(GaussianGraph(), Rows(rows()), AtMostEdges(20))
    landscape = graph_landscape.graph_landscape(problem, alone())
    assert isinstance(landscape, Landscape)
    assert isinstance(landscape, OwnPhases)


def test_exchange_finds_the_chain_that_made_the_rows(form):
    problem = Problem(GaussianGraph(), Rows(rows(400)), AtMostEdges(29))
    result = minimize(problem, Exchange(kicks=0), alone())
    assert isinstance(result.x, Graph)
    chain = np.arange(29) * 30 + np.arange(29) + 1
    assert len(np.intersect1d(result.x.keys, chain)) >= 28
    assert result.stop.converged
    assert_allclose(result.value, problem.value(result.x), rtol=1e-6)
    assert_array_equal(result.support, np.flatnonzero(result.x.to_dense()))


def test_from_a_matrix_comes_a_matrix(form):
    problem = Problem(GaussianGraph(ridge=0.1), Rows(rows()), AtMostEdges(20))
    dense, sparse = (minimize(problem, Exchange(kicks=0), x0).x for x0 in (np.eye(30), alone()))
    assert isinstance(dense, np.ndarray)
    assert_array_equal(dense, sparse.to_dense())


@pytest.mark.parametrize("penalty", [{}, {"ridge": 0.2}, {"l1": 0.05}])
def test_the_data_and_its_gram_matrix_give_the_same_graph(penalty):
    X = rows(300, 60, 3)
    gram = best_graph(OnGram((X.T @ X / 300).astype(np.float32), **penalty), 59)
    data = best_graph(OnColumns(columns(X), **penalty), 59)
    assert_allclose(data.value, gram.value, rtol=2e-3)
    assert len(np.intersect1d(data.graph.keys, gram.graph.keys)) >= 56


def test_on_the_same_edges_the_two_forms_agree(form):
    X, rng = rows(), np.random.default_rng(0)
    graph = Graph.of_pairs(np.ones(30), rng.permutation(30), np.roll(rng.permutation(30), 1), np.zeros(30))
    keep = graph.rows < graph.columns
    graph = Graph(graph.diagonal, graph.rows[keep], graph.columns[keep], graph.weights[keep])
    gram, data = OnGram(X.T @ X / len(X)), OnColumns(columns(X))
    (one, value), (two, other) = gram.refitted(graph), data.refitted(graph)
    assert_allclose(two.to_dense(), one.to_dense(), atol=2e-4)
    assert_allclose(other, value, rtol=1e-6)
    for phases in (gram, data):
        assert_allclose(phases.scores_inside(one), gram.scores_inside(one), rtol=1e-2, atol=1e-5)
    assert_array_equal(gram.entering(one, 10)[0], data.entering(one, 10)[0])
    assert_allclose(gram.entering(one, 10)[1], data.entering(one, 10)[1], rtol=1e-4)


def test_the_promised_gain_is_what_one_pair_alone_brings(form):
    """To second order in its weight: the diagonal stays where it is, and F is quadratic in one weight."""
    problem = Problem(GaussianGraph(ridge=0.1), Rows(rows()), AtMostEdges(10))
    landscape = graph_landscape.graph_landscape(problem, alone())
    point = landscape.start(Graph.of_pairs(np.ones(30), np.arange(5), np.arange(5) + 1, np.zeros(5)))
    keys, gains = landscape.entering(point, 3)
    assert not np.isin(keys, point.units).any()
    assert (np.diff(gains) <= 0).all()
    for key, gain in zip(keys, gains, strict=True):
        row, column = divmod(int(key), 30)
        trial = np.linspace(-1, 1, 2001)
        values = [
            problem.value(
                Graph.of_pairs(
                    point.graph.diagonal,
                    np.append(point.graph.rows, row),
                    np.append(point.graph.columns, column),
                    np.append(point.graph.weights, weight),
                )
            )
            for weight in (-1.0, 0.0, 1.0)
        ]
        quadratic = np.polyval(np.polyfit([-1, 0, 1], values, 2), trial)
        assert_allclose(values[1] - quadratic.min(), gain, rtol=1e-3, atol=1e-6)


def test_known_edges_use_no_budget_and_forbidden_ones_never_come(form):
    X = rows(400)
    free = minimize(Problem(GaussianGraph(), Rows(X), AtMostEdges(20)), Exchange(kicks=0), alone()).x
    known = np.array([0 * 30 + 17, 3 * 30 + 29])
    forbidden = free.keys[:4]
    worth = Worth.of_pairs(30, forbidden // 30, forbidden % 30, 0.0)
    kept = with_mirrors(known, 30)
    kept = kept[kept % 31 != 0]
    problem = Problem(GaussianGraph(worth=worth), Rows(X), AlwaysKept(AtMostEdges(20), kept))
    for kicks in (0, 2):
        graph = minimize(problem, Exchange(kicks=kicks), alone()).x
        assert np.isin(known, graph.keys).all()
        assert not np.isin(forbidden, graph.keys).any()
        assert graph.rows.size == 22


def test_it_comes_down_from_more_edges_and_goes_on_from_fewer(form):
    X = rows()
    many = minimize(Problem(GaussianGraph(), Rows(X), AtMostEdges(40)), Exchange(kicks=0), alone())
    few = minimize(Problem(GaussianGraph(), Rows(X), AtMostEdges(15)), Exchange(kicks=0), many.x)
    again = minimize(Problem(GaussianGraph(), Rows(X), AtMostEdges(40)), Exchange(kicks=0), few.x)
    assert (many.x.rows.size, few.x.rows.size, again.x.rows.size) == (40, 15, 40)
    assert_allclose(again.value, many.value, rtol=0.02)


def test_kicks_are_never_worse(form):
    problem = Problem(GaussianGraph(), Rows(rows(40)), AtMostEdges(40))
    plain, kicked = (minimize(problem, Exchange(kicks=kicks), alone()) for kicks in (0, 4))
    assert kicked.value <= plain.value + 1e-6
    assert kicked.x.rows.size == 40


def test_uncorrelated_variables_end_with_the_edges_that_are_of_use():
    X = np.vstack((np.eye(4), -np.eye(4))) * 2
    result = minimize(Problem(GaussianGraph(), Rows(X), AtMostEdges(3)), Exchange(kicks=0), alone(4))
    assert result.x.rows.size == 0
    assert result.stop.converged


def test_rows_count_by_their_weight(form):
    X = rows(60)
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    weighted = minimize(Problem(GaussianGraph(), Rows(X, weights=weights), AtMostEdges(20)), Exchange(kicks=0), alone())
    repeated = minimize(
        Problem(GaussianGraph(), Rows(np.vstack((X, X[:20]))), AtMostEdges(20)), Exchange(kicks=0), alone()
    )
    assert_array_equal(weighted.x.keys, repeated.x.keys)
    assert_allclose(weighted.x.to_dense(), repeated.x.to_dense(), atol=1e-4)


def test_a_killed_run_resumes_to_the_same_graph(form, tmp_path):
    problem = Problem(GaussianGraph(), Rows(rows()), AtMostEdges(40))
    whole = minimize(problem, Exchange(kicks=2), alone(), seed=1)
    for steps in (1, 3):
        file = tmp_path / f"{steps}.npz"
        minimize(problem, Exchange(kicks=2), alone(), seed=1, stop=after_steps(steps), checkpoint=file)
        resumed = minimize(problem, Exchange(kicks=2), alone(), seed=1, checkpoint=file)
        assert_array_equal(resumed.x.to_dense(), whole.x.to_dense())
        assert resumed.steps == whole.steps


def test_what_it_cannot_count_is_refused():
    with pytest.raises(TypeError, match="counts edges, not the units of AtMost"):
        minimize(Problem(GaussianGraph(), Rows(rows()), AtMost(5)), Exchange(), np.eye(30))
    endless = Simulator(lambda count, rng: rng.normal(size=(count, 30)))
    with pytest.raises(TypeError, match="reads all rows: draw as many"):
        minimize(Problem(GaussianGraph(), endless, AtMostEdges(5)), Exchange(), np.eye(30))
