"""A layout shows who belongs together, and is the same every time."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk.report import network_layout
from atmostk.report.network_layout import layout


def communities(count: int, size: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Cliques, each tied to the next by one edge."""
    first, second = np.triu_indices(size, 1)
    starts = size * np.arange(count)
    bridges = starts[:-1]
    return (
        count * size,
        np.concatenate([(starts[:, None] + first).ravel(), bridges]),
        np.concatenate([(starts[:, None] + second).ravel(), bridges + size + 1]),
    )


@pytest.mark.parametrize("crowd", [2_000, 60], ids=["every pair", "random others"])
def test_neighbours_lie_closer_than_strangers(crowd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_layout, "CROWD", crowd)
    nodes, first, second = communities(12, 10)
    points = layout(nodes, first, second)
    near = np.linalg.norm(points[first] - points[second], axis=1).mean()
    every = np.linalg.norm(points[:, None] - points[None], axis=2).mean()
    assert near < 0.4 * every


def test_the_same_seed_draws_the_same_picture() -> None:
    nodes, first, second = communities(4, 5)
    np.testing.assert_array_equal(layout(nodes, first, second, seed=3), layout(nodes, first, second, seed=3))


def test_all_points_are_finite_apart_and_on_the_page() -> None:
    nodes, first, second = communities(4, 5)
    points = layout(nodes + 30, first, second)
    assert np.isfinite(points).all()
    assert np.abs(points).max() <= 1
    assert len(np.unique(points.round(9), axis=0)) == nodes + 30


def test_the_unconnected_lie_below_the_rest() -> None:
    nodes, first, second = communities(4, 5)
    points = layout(nodes + 30, first, second)
    assert points[nodes:, 1].max() < points[:nodes, 1].min()


@pytest.mark.parametrize("nodes", [0, 1, 7])
def test_a_graph_without_edges_has_a_layout_too(nodes: int) -> None:
    points = layout(nodes, np.array([], int), np.array([], int))
    assert points.shape == (nodes, 2)
    assert np.isfinite(points).all()
