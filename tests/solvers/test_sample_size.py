"""How many rows the rules read, and whether what they promise about them is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmostk import PIHT, AtMost, Problem, minimize
from atmostk.objectives import Functions, SquaredError
from atmostk.samplers import Rows, Simulator
from atmostk.solvers import Fixed, Measured, Polynomial, Released
from atmostk.stopping import after_steps, radius_below

N, P = 20_000, 10
rng = np.random.default_rng(0)
X = rng.normal(size=(N, P))
y = X[:, 0] - X[:, 1] + rng.normal(size=N)
PROBLEM = Problem(SquaredError(), Rows(X, y), AtMost(3))
BEFORE, AFTER = np.zeros(P), np.array([0.5, -0.5, *[0.0] * (P - 2)])
RULES = [Fixed(100), Released(50), Polynomial(50), Measured()]


@pytest.mark.parametrize("rule", RULES)
def test_two_values_of_a_pair_are_taken_on_the_same_rows(rule: Any) -> None:
    drawn: list[Any] = []
    watched = Functions(
        lambda x, data: drawn.append(data) or 1.0, lambda x, data: x, lambda x, data: drawn.append(data) or np.ones(9)
    )
    problem = Problem(watched, Rows(X, y), AtMost(3))
    rule.pair(problem, BEFORE, AFTER, 1.0, 1.0, np.random.default_rng(0))
    assert len(drawn) % 2 == 0
    assert all(one is other for one, other in zip(drawn[::2], drawn[1::2], strict=True))


def test_fixed_reads_as_many_as_it_says_or_all() -> None:
    found = Fixed(100).gradient(PROBLEM, BEFORE, 1e-9, 1.0, np.random.default_rng(0))
    assert (found.rows, found.accurate) == (100, False)
    found = Fixed(10**6).gradient(PROBLEM, BEFORE, 1.0, 1.0, np.random.default_rng(0))
    assert (found.rows, found.accurate) == (N, True)
    assert_allclose(found.gradient, PROBLEM.gradient(BEFORE))


@pytest.mark.parametrize(
    ("radius", "rows"),
    [(1.0, 100), (0.5, 200), (2.0, 70), (0.25, 800), (0.125, 50 * 256), (1 / 11.9, N), (1 / 12.1, N), (1e-300, N)],
)
def test_the_released_schedule(radius: float, rows: int) -> None:
    assert Released(50).gradient(PROBLEM, BEFORE, radius, 1.0, np.random.default_rng(0)).rows == rows


def test_the_released_schedule_stops_at_its_largest() -> None:
    assert Released(50, largest=300).gradient(PROBLEM, BEFORE, 1e-3, 1.0, np.random.default_rng(0)).rows == 300


@pytest.mark.parametrize(
    ("radius", "rows", "pair_rows"), [(1.0, 50, 50), (0.5, 200, 800), (10.0, 1, 1), (1e-200, N, N)]
)
def test_the_polynomial_schedule(radius: float, rows: int, pair_rows: int) -> None:
    assert Polynomial(50).gradient(PROBLEM, BEFORE, radius, 1.0, np.random.default_rng(0)).rows == rows
    assert Polynomial(50).pair(PROBLEM, BEFORE, AFTER, radius, 1.0, np.random.default_rng(0)).rows == pair_rows


@pytest.mark.parametrize("radius", [1.0, 0.6])
def test_measured_keeps_what_assumption_1_asks_for(radius: float) -> None:
    rule = Measured(gradient_accuracy=0.5, value_accuracy=0.1)
    gradient = PROBLEM.gradient(BEFORE)
    decrease = PROBLEM.value(BEFORE) - PROBLEM.value(AFTER)
    good_gradients = good_pairs = 0
    trials = 200
    for seed in range(trials):
        found = rule.gradient(PROBLEM, BEFORE, radius, 1.0, np.random.default_rng(seed))
        good_gradients += np.linalg.norm(found.gradient - gradient) <= 0.5 * radius
        pair = rule.pair(PROBLEM, BEFORE, AFTER, radius, 1.0, np.random.default_rng(seed))
        good_pairs += abs(pair.before - pair.after - decrease) <= 0.1 * radius**2
        assert found.accurate
        assert pair.accurate
        assert found.rows < N
    # theta = beta = 0.9; the bound is three standard deviations of a binomial share below it.
    assert good_gradients / trials >= 0.9 - 3 * np.sqrt(0.09 / trials)
    assert good_pairs / trials >= 0.9 - 3 * np.sqrt(0.09 / trials)


def test_measured_reads_more_as_the_radius_shrinks_until_the_data_is_exhausted() -> None:
    rule = Measured()
    rows, exact = [], []
    for radius in (2.0, 0.5, 0.2, 0.05, 1e-3):
        pair = rule.pair(PROBLEM, BEFORE, AFTER, radius, 1.0, np.random.default_rng(0))
        rows.append(pair.rows)
        exact.append(pair.exact)
    assert rows == sorted(rows)
    assert exact[0] is False
    assert exact[-1] is True
    last = rule.pair(PROBLEM, BEFORE, AFTER, 1e-3, 1.0, np.random.default_rng(0))
    assert_allclose(last.before - last.after, PROBLEM.value(BEFORE) - PROBLEM.value(AFTER), rtol=1e-12)


def test_measured_counts_weighted_rows_by_their_weight() -> None:
    weights = np.where(np.arange(N) < N // 2, 1.0, 0.0)
    problem = Problem(SquaredError(), Rows(X, y, weights), AtMost(3))
    halved = Problem(SquaredError(), Rows(X[: N // 2], y[: N // 2]), AtMost(3))
    decrease = halved.value(BEFORE) - halved.value(AFTER)
    errors = []
    for seed in range(100):
        pair = Measured().pair(problem, BEFORE, AFTER, 0.7, 1.0, np.random.default_rng(seed))
        errors.append(abs(pair.before - pair.after - decrease) <= 0.1 * 0.49)
    assert np.mean(errors) >= 0.8


def test_the_record_says_whether_the_estimates_were_accurate() -> None:
    measured = minimize(PROBLEM, PIHT(sample_size=Measured()), BEFORE, stop=after_steps(20))
    fixed = minimize(PROBLEM, PIHT(sample_size=Fixed(50)), BEFORE, stop=after_steps(20))
    assert all(measured.history.column("accurate"))
    assert not any(fixed.history.column("accurate"))


@pytest.mark.parametrize("rule", [Measured(), Released(), Polynomial()])
def test_endless_data_needs_a_largest_sample(rule: Any) -> None:
    rows = Simulator(lambda count, rng: (rng.normal(size=(count, 2)), np.ones(count)))
    sentence = f"{type(rule).__name__} on endless data would read for ever: give it largest="
    endless = Problem(SquaredError(), rows, AtMost(1))
    with pytest.raises(ValueError, match=sentence):
        minimize(endless, PIHT(sample_size=rule), np.zeros(2), stop=radius_below(1e-3))


def test_measured_on_endless_data_says_that_its_largest_sample_was_not_enough() -> None:
    endless = Problem(
        SquaredError(),
        Simulator(lambda count, rng: (np.ones((count, 1)), rng.normal(size=count))),
        AtMost(1),
    )
    pair = Measured(largest=1000).pair(endless, np.zeros(1), np.ones(1), 1e-3, 1.0, np.random.default_rng(0))
    assert (pair.accurate, pair.exact) == (False, False)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Fixed(0), "Fixed.rows=0"),
        (lambda: Fixed(1.5), "Fixed.rows=1.5"),  # pyright: ignore
        (lambda: Fixed(True), "Fixed.rows=True"),
        (lambda: Released(50, largest=0), "Released.largest=0"),
        (lambda: Polynomial(value_power=-1), "a power below 0"),
        (lambda: Measured(gradient_accuracy=0), "an accuracy must be above 0"),
        (lambda: Measured(value_confidence=1.0), "a confidence lies between 0 and 1"),
    ],
)
def test_rules_out_of_range_are_refused(make: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()
