"""The screen in eight bits: no pair that counts is lost, whatever the rows look like."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.graphs import byte_products, byte_scan, fused_scan, kept_pairs, pair_scan
from atmostk.graphs.in_turn import in_turn
from atmostk.graphs.pair_scan import best_pairs
from atmostk.graphs.pair_scores import Prices, Stacked

here = pytest.mark.skipif(not byte_products.available(), reason="this processor has no products in eight bits")

SIZE, LENGTH = 1100, 37


def normal(rng):
    return rng.normal(size=(SIZE, LENGTH))


def heavy_tails(rng):
    return rng.standard_cauchy((SIZE, LENGTH)) ** 3


def one_huge_entry(rng):
    X = rng.normal(size=(SIZE, LENGTH))
    X[:, 5] += np.where(rng.random(SIZE) < 0.3, 1e4, 0)
    return X


def some_rows_empty(rng):
    return normal(rng) * (rng.random((SIZE, 1)) < 0.7)


KINDS = [normal, heavy_tails, one_huge_entry, some_rows_empty]


def problem(kind, spread, seed=0):
    """Both matrices of a look at all pairs and its prices, for a diagonal that ranges over `spread` powers of e."""
    rng = np.random.default_rng(seed)
    X = kind(rng)
    X = X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-30)
    d = np.exp(rng.uniform(0, spread, SIZE))
    R = d[:, None] ** 0.5 * (X + 0.5 * rng.normal(size=X.shape) / LENGTH**0.5)
    X, R = X.astype(np.float32), R.astype(np.float32)
    left, right = Stacked(X, R, 1 / d, 1), Stacked(R, X, 1 / d, 0)
    square = np.maximum((X * X).sum(1), 1e-6)
    return left, right, Prices(square.astype(np.float32), (1 / d).astype(np.float32), np.float32(0.01))


def scores_of_all(left, right, prices):
    whole = slice(0, SIZE)
    products = left[whole].astype(np.float64) @ right[whole].T.astype(np.float64)
    square, inverse, twice = prices
    price = np.outer(inverse, square) + np.outer(square, inverse) + twice
    return np.triu(products**2 / price.astype(np.float64), 1)


@here
@pytest.mark.parametrize("spread", [0, 2, 12])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [1e-4, 1e-2])
def test_no_pair_above_the_threshold_is_lost(kind, spread, share):
    left, right, prices = problem(kind, spread)
    scores = scores_of_all(left, right, prices)
    count = int(share * SIZE**2 / 2)
    least = np.float32(np.sort(scores.ravel())[-count])
    found = byte_scan.above(left, right, prices, 2 * count, least, 1)
    if found is None:  # it says that it cannot, and another kernel answers
        found = best_pairs(left, right, prices, 2 * count)
    surely = np.flatnonzero(scores > least * (1 + 1e-4))
    assert np.isin(surely, found.rows * SIZE + found.columns).all()


@here
@pytest.mark.parametrize("kind", KINDS)
def test_it_answers_by_itself_where_the_diagonal_ranges_over_five_powers_of_ten(kind):
    left, right, prices = problem(kind, 12)
    least = np.float32(np.sort(scores_of_all(left, right, prices).ravel())[-600])
    assert byte_scan.above(left, right, prices, 600, least, 1) is not None


@here
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_of_looking_finds_the_same_pairs(kind, monkeypatch):
    left, right, prices = problem(kind, 3)
    found = {}
    monkeypatch.setattr(pair_scan, "BYTES_FROM", 1000)
    for name, byte, fused in (("byte", True, True), ("fused", False, True), ("plain", False, False)):
        monkeypatch.setattr(byte_scan, "available", lambda byte=byte: byte)
        monkeypatch.setattr(fused_scan, "available", lambda fused=fused: fused and byte_products.available())
        found[name] = best_pairs(left, right, prices, 500)
    exact = np.sort(scores_of_all(left, right, prices).ravel())[-500:]
    for pairs in found.values():
        assert_allclose(np.sort(pairs.scores), exact, rtol=1e-4)


@here
@pytest.mark.parametrize("look", [byte_scan.above, fused_scan.above])
def test_two_threads_find_what_one_finds(look, monkeypatch):
    monkeypatch.setattr(byte_scan, "CHUNK", 128)
    monkeypatch.setattr(fused_scan, "CHUNK", 128)
    left, right, prices = problem(normal, 1)
    least = np.float32(np.sort(scores_of_all(left, right, prices).ravel())[-5000])
    one, two = (look(left, right, prices, 700, least, threads) for threads in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert_array_equal(first, second)


@here
def test_it_gives_up_where_too_many_pairs_would_have_to_be_scored(monkeypatch):
    left, right, prices = problem(normal, 0)
    assert byte_scan.above(left, right, prices, 10, np.float32(0), 1) is None
    assert byte_scan.above(left, right, prices, 10, np.float32(1e-9), 1) is None
    monkeypatch.setattr(byte_scan, "LONGEST", 10)
    assert byte_scan.above(left, right, prices, 10, np.float32(1), 1) is None


@here
def test_the_rounding_of_a_row_is_measured_not_guessed():
    rng = np.random.default_rng(0)
    rows = (rng.standard_cauchy((300, 21)) ** 3).astype(np.float32)
    prices = Prices(np.ones(300, np.float32), np.ones(300, np.float32), np.float32(0))
    rounded = byte_scan._rounded(rows, np.ones(21, np.float32), prices, np.arange(300), spare=0)
    back = rounded.numbers[:, :21] * rounded.step[:, None].astype(np.float64)
    assert (np.linalg.norm(back - rows, axis=1) <= rounded.error).all()
    assert (np.linalg.norm(rows.astype(np.float64), axis=1) <= rounded.length).all()
    assert_array_equal(np.abs(rounded.numbers).max(axis=1), 127)


def test_kept_pairs_are_the_best_of_all_however_they_come():
    rng = np.random.default_rng(0)
    scores = rng.permutation(300_000).astype(np.float32)
    numbers = np.arange(300_000, dtype=np.int32)
    kept = kept_pairs.KeptPairs(1000, np.float32(0))
    for begin in range(0, 300_000, 77_777):
        part = slice(begin, begin + 77_777)
        kept.add(numbers[part] // 600, 1000 + numbers[part] % 600, scores[part])
    found = kept.pairs()
    best = np.sort(np.argsort(-scores)[:1000])
    assert_array_equal(found.rows * 600 + found.columns - 1000, best)
    assert_array_equal(found.scores, scores[best])


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_pieces(threads):
    import time

    def slowest_first(piece):
        time.sleep(0.01 if piece % 3 == 0 else 0)
        return piece

    assert list(in_turn(slowest_first, range(20), threads)) == list(range(20))
