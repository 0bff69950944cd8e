"""The paired test: right when it says something, honest about when it cannot, exact once all rows are read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from atmostk.paired_test import PairedTest, rows_to_decide, sampling_pays


def decided(before: np.ndarray, after: np.ndarray, weights: np.ndarray | None = None, **how: float) -> PairedTest:
    test = PairedTest(before.size, **how)  # pyright: ignore[reportArgumentType]
    while test.verdict == "unsure":
        assert test.more > 0
        rows = slice(test.rows, test.rows + test.more)
        test = test.seen(before[rows], after[rows], None if weights is None else weights[rows])
    return test


@given(some.integers(1, 3000), some.integers(0, 10**6))
def test_always_ends_and_agrees_with_the_sign_once_all_rows_are_read(rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    before, after = rng.normal(size=(2, rows))
    test = decided(before, after)
    assert test.more == 0
    if test.rows == rows:
        assert test.verdict == ("lower" if after.mean() < before.mean() else "higher")


def test_one_tie_in_fifty_or_fewer_is_decided_before_the_data_ends() -> None:
    rng = np.random.default_rng(1)
    early = 0
    for _ in range(400):
        difference = rng.standard_normal(64_000)
        difference -= difference.mean()
        early += decided(difference, np.zeros(64_000)).rows < 64_000
    assert early <= 400 / 50 + 8


def test_a_clear_decrease_takes_about_as_many_rows_as_the_law_says() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200_000, 2))
    y = X[:, 0] + 0.1 * X[:, 1] + rng.normal(size=200_000)
    before, after = 0.5 * (y - X[:, 0]) ** 2, 0.5 * (y - X @ np.array([1.0, 0.1])) ** 2
    test = decided(before, after)
    assert test.verdict == "lower"
    law = rows_to_decide(1.0, 0.005)
    assert law / 8 <= test.rows <= 8 * law


def test_weights_count_as_repetitions_do() -> None:
    rng = np.random.default_rng(3)
    before, after = rng.normal(size=(2, 800))
    weights = rng.integers(0, 3, 800).astype(float)
    weighted = PairedTest(None).seen(before, after, weights)
    repeated = np.repeat(before - after, weights.astype(int))
    assert weighted.mean == pytest.approx(repeated.mean())
    assert weighted.error > PairedTest(None).seen(repeated, 0 * repeated).error  # a row seen twice is one row's news


def test_the_error_is_that_of_the_textbook() -> None:
    rng = np.random.default_rng(4)
    before, after = rng.normal(size=(2, 600))
    parts = PairedTest(1000).seen(before[:77], after[:77]).seen(before[77:], after[77:])
    assert parts.error == pytest.approx((before - after).std(ddof=1) / math.sqrt(600) * math.sqrt(0.4))


def test_a_loss_that_is_not_finite_after_the_change_speaks_against_it() -> None:
    fine, broken = np.zeros(10), np.full(10, np.inf)
    broken[0] = np.nan
    assert PairedTest(1000).seen(fine, broken).verdict == "higher"
    assert PairedTest(1000).seen(broken, fine).verdict == "lower"
    assert PairedTest(1000).seen(broken, broken).verdict == "higher"


def test_a_margin_must_be_exceeded() -> None:
    before, after = np.full(100, 1.0), np.full(100, 0.9)
    assert decided(before, after).verdict == "lower"
    assert decided(before, after, margin=0.2).verdict == "higher"


def test_losses_of_different_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="one loss for each row"):
        PairedTest(10).seen(np.zeros(3), np.zeros(4))


def test_sampling_is_skipped_where_the_weakest_decision_needs_a_third_of_the_data() -> None:
    assert not sampling_pays(1.0, 18 / 1000 * 2.9, 1000)
    assert sampling_pays(1.0, 18 / 1000 * 3.1, 1000)
    assert sampling_pays(1.0, 1e-9, None)
    assert not sampling_pays(1.0, 0.0, 10**9)
