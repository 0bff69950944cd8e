"""The best pairs, against a sort of all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.graphs import pair_scan
from atmostk.graphs.pair_scan import best_pairs
from atmostk.graphs.pair_scores import Prices
from atmostk.graphs.pairs_above import pairs_above


def all_scores(left, right, prices):
    products = left @ right.T
    square, inverse, twice = prices
    return products**2 / (np.outer(inverse, square) + np.outer(square, inverse) + twice)


@pytest.mark.parametrize("size", [5, 64, 700, 1100])
@pytest.mark.parametrize("count", [0, 1, 37, 3000])
def test_they_are_the_first_of_a_sort_of_all(size, count):
    rng = np.random.default_rng(size)
    left, right = rng.normal(size=(2, size, 7)).astype(np.float32)
    prices = Prices(rng.uniform(0.5, 2, size), rng.uniform(0.5, 2, size), 0.1)
    found = best_pairs(left, right, prices, count)
    scores = all_scores(left, right, prices)
    above = np.triu_indices(size, 1)
    best = np.sort(np.argsort(-scores[above], kind="stable")[:count])
    assert_array_equal(found.rows, above[0][best])
    assert_array_equal(found.columns, above[1][best])
    assert_allclose(found.scores, scores[above][best], rtol=1e-4)


def test_ties_go_to_the_first_pairs_and_never_too_many_are_kept():
    ones = np.ones((300, 1), np.float32)
    half = np.full(300, 0.5)
    found = best_pairs(ones, ones, Prices(half, np.ones(300), 0.0), 250)
    assert found.rows.tolist() == [0] * 250
    assert found.columns.tolist() == list(range(1, 251))


def test_a_guess_that_is_too_high_changes_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    left = rng.normal(size=(400, 5)).astype(np.float32)
    prices = Prices(np.full(400, 0.5), np.ones(400), 0.0)
    right_answer = best_pairs(left, left, prices, 50)
    monkeypatch.setattr(pair_scan, "_guess", lambda *arguments: np.float32(1e9))
    assert_array_equal(best_pairs(left, left, prices, 50).scores, right_answer.scores)


@pytest.mark.parametrize("count", [0, 1, 37, 3000, 400_000])
def test_the_fused_kernel_finds_what_blas_finds(monkeypatch, count):
    from atmostk.graphs import fused_scan

    if not fused_scan.available():
        pytest.skip("this processor has no 512-bit vectors")
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(2, 1003, 9)).astype(np.float32)
    prices = Prices(rng.uniform(0.5, 2, 1003), rng.uniform(0.1, 5, 1003), 0.1)
    fused = best_pairs(left, right, prices, count)
    monkeypatch.setattr(fused_scan, "available", lambda: False)
    plain = best_pairs(left, right, prices, count)
    assert_array_equal(fused.rows, plain.rows)
    assert_array_equal(fused.columns, plain.columns)
    assert_allclose(fused.scores, plain.scores, rtol=1e-4)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("least", [0.0, 3.0, 8.0, 1e9])
def test_all_pairs_above_a_known_threshold_are_found(monkeypatch, fused, dtype, least):
    from atmostk.graphs import fused_products

    if fused and not fused_products.available():
        pytest.skip("this processor has no 512-bit vectors")
    monkeypatch.setattr(fused_products, "available", lambda: fused)
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(2, 1003, 9)).astype(dtype)
    found = pairs_above(left, right, least, 1003**2)
    products = np.abs(np.triu(left.astype(np.float64) @ right.T.astype(np.float64), 1)).ravel()
    surely, perhaps = np.flatnonzero(products >= max(least, 1e-5)), np.flatnonzero(products >= least - 1e-3)
    assert found is not None
    assert np.isin(surely, found).all()
    assert np.isin(found, perhaps).all()
    if surely.size:
        assert pairs_above(left, right, least, surely.size - 1) is None
