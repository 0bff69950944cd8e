"""A graph as it travels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from atmostk.constraints import AtMostEdges
from atmostk.graphs.graph import Graph


@st.composite
def matrices(draw):
    size = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    upper = np.triu(rng.integers(-2, 3, (size, size)) * (rng.random((size, size)) < 0.5), 1).astype(float)
    return upper + upper.T + np.diag(rng.uniform(0.5, 2, size))


@given(matrices())
def test_to_a_graph_and_back_nothing_changes(matrix):
    graph = Graph.from_dense(matrix)
    assert_array_equal(graph.to_dense(), matrix)
    assert_array_equal(np.asarray(graph), matrix)
    sparse = graph.to_sparse()
    assert_array_equal(sparse.toarray(), matrix)
    assert sparse.has_canonical_format
    assert_array_equal(graph.support, np.flatnonzero(matrix))


@given(matrices(), st.integers(0, 20))
def test_a_budget_keeps_of_a_graph_what_it_keeps_of_the_matrix(matrix, edges):
    constraint, graph = AtMostEdges(edges), Graph.from_dense(matrix)
    chosen = constraint.choose(graph, graph.support)
    kept = constraint.restrict(matrix, constraint.choose(matrix, np.flatnonzero(matrix)))
    assert_array_equal(constraint.restrict(graph, chosen).to_dense(), kept)


def test_pairs_come_in_any_order():
    graph = Graph.of_pairs(np.ones(4), np.array([3, 1]), np.array([2, 0]), np.array([0.5, 0.25]))
    assert graph.rows.tolist() == [0, 2]
    assert graph.columns.tolist() == [1, 3]
    assert graph.weights.tolist() == [0.25, 0.5]


def test_a_dense_view_of_a_huge_graph_is_refused():
    none = np.empty(0, np.int64)
    with pytest.raises(MemoryError, match=r"100,000 variables would take 80 GB: use to_sparse"):
        Graph(np.ones(100_000), none, none, np.empty(0)).to_dense()
