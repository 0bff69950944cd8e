"""Simulated graphs: their edges are what they say, and their rows have the covariance that goes with them."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk.datasets import band_graph, block_graph, hub_graph, uniform_graph
from atmostk.datasets.simulated_graphs import SMALLEST, _inverse_root

GRAPHS = {
    "band": lambda p: band_graph(p),
    "uniform": lambda p: uniform_graph(p, seed=3),
    "hub": lambda p: hub_graph(p, seed=3),
    "block": lambda p: block_graph(p, seed=3),
}


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("size", [1, 2, 7, 60])
def test_a_precision_matrix_is_symmetric_and_well_positive(make, size) -> None:
    dense = make(size).precision.toarray()
    assert dense.shape == (size, size)
    np.testing.assert_array_equal(dense, dense.T)
    assert np.linalg.eigvalsh(dense)[0] >= SMALLEST - 1e-9


@pytest.mark.parametrize("make", GRAPHS.values(), ids=GRAPHS)
def test_rows_have_the_inverse_as_their_covariance(make) -> None:
    graph = make(12)
    covariance = np.cov(graph.draw(200_000, seed=0).T)
    truth = np.linalg.inv(graph.precision.toarray())
    np.testing.assert_allclose(covariance, truth, atol=0.02 * truth.max())


def test_the_edges_are_the_nonzero_pairs() -> None:
    dense = uniform_graph(40, seed=1).precision.toarray()
    np.testing.assert_array_equal(uniform_graph(40, seed=1).edges, np.argwhere(np.triu(dense, 1)))


def test_each_family_has_the_shape_of_its_name() -> None:
    assert {int(j - i) for i, j in band_graph(30).edges} == {1, 2}
    assert len(uniform_graph(200, seed=0).edges) == 300
    assert np.bincount(hub_graph(400, seed=0).edges.ravel()).max() > 4 * 3  # a mean degree of 3
    blocks = block_graph(100, seed=0).edges
    assert (blocks[:, 0] // 10 == blocks[:, 1] // 10).all()
    assert 0.25 < len(blocks) / 450 < 0.45


def test_the_same_seed_makes_the_same_graph_and_the_same_rows() -> None:
    one, other = hub_graph(50, seed=5), hub_graph(50, seed=5)
    np.testing.assert_array_equal(one.precision.toarray(), other.precision.toarray())
    np.testing.assert_array_equal(one.draw(4, seed=1), other.draw(4, seed=1))
    assert (one.draw(4, seed=1) != one.draw(4, seed=2)).all()


def test_the_series_for_large_graphs_is_the_inverse_square_root() -> None:
    precision = uniform_graph(80, seed=2).precision
    values, vectors = np.linalg.eigh(precision.toarray())
    truth = (vectors / np.sqrt(values)) @ vectors.T
    np.testing.assert_allclose(_inverse_root(precision, np.eye(80)), truth, atol=1e-6)


def test_a_large_graph_is_made_and_drawn_from_without_a_dense_matrix() -> None:
    graph = uniform_graph(20_000, seed=0)
    X = graph.draw(30, seed=0)
    assert X.dtype == np.float32
    # x' W x of a row has the mean p.
    assert abs(float(((X @ graph.precision) * X).sum(axis=1).mean()) / 20_000 - 1) < 0.02


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_a_wrong_number_of_variables_is_refused(size) -> None:
    with pytest.raises(ValueError, match="whole number of 1 or more"):
        band_graph(size)
