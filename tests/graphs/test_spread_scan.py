"""A look at all pairs by several processes finds what one finds."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk.graphs import spread_scan
from atmostk.graphs.pair_scan import best_pairs
from atmostk.graphs.pair_scores import Prices, Stacked

RNG = np.random.default_rng(0)
SIZE = 1500
X = RNG.normal(size=(SIZE, 40)).astype(np.float32)
R = (X + 0.3 * RNG.normal(size=(SIZE, 40))).astype(np.float32)
SQUARE = np.einsum("ij,ij->i", X, X)
INVERSE = RNG.uniform(0.5, 2.0, SIZE).astype(np.float32)


def sides(kind: str):
    if kind == "plain":
        return X, X, Prices(SQUARE, INVERSE, np.float32(0.1))
    return Stacked(X, R, INVERSE, 1), Stacked(R, X, INVERSE, 0), Prices(SQUARE, INVERSE, np.float32(0.1))


@pytest.mark.parametrize("kind", ["plain", "stacked"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_same_pairs_whoever_looks(kind, workers) -> None:
    left, right, prices = sides(kind)
    alone = best_pairs(left, right, prices, 700)
    spread = spread_scan.above(left, right, prices, 700, np.float32(0), workers)
    np.testing.assert_array_equal(spread.rows, alone.rows)
    np.testing.assert_array_equal(spread.columns, alone.columns)
    np.testing.assert_allclose(spread.scores, alone.scores, rtol=1e-5)


def test_without_the_kernel_it_is_the_same(monkeypatch) -> None:
    left, right, prices = sides("stacked")
    fast = spread_scan.above(left, right, prices, 300, np.float32(0.5), 1)
    monkeypatch.setattr(spread_scan, "available", lambda: False)
    slow = spread_scan.above(left, right, prices, 300, np.float32(0.5), 1)
    np.testing.assert_array_equal(slow.rows, fast.rows)
    np.testing.assert_array_equal(slow.columns, fast.columns)


def test_a_cluster_learns_the_same_graph() -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    import joblib

    from atmostk.graphs.best_graph import best_graph
    from atmostk.graphs.on_columns import OnColumns

    columns = X / np.float32(40**0.5)
    here = best_graph(OnColumns(columns), 600).graph
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        assert spread_scan.elsewhere()
        there = best_graph(OnColumns(columns, threads=2), 600).graph
    assert not spread_scan.elsewhere()
    np.testing.assert_array_equal(there.keys, here.keys)
    np.testing.assert_allclose(there.weights, here.weights, rtol=1e-5)
