"""Entries that always stay."""

import numpy as np
import pytest

from atmostk.constraints import AlwaysKept, AtMost, OnSimplex


def test_the_budget_is_for_the_others():
    v = np.array([9.0, 8.0, 3.0, 2.0, 1.0])
    assert AlwaysKept(AtMost(2), [0, 4]).choose(v).tolist() == [0, 1, 2, 4]


def test_entries_may_come_in_any_order_and_twice():
    assert AlwaysKept(AtMost(0), [3, 1, 3]).entries.tolist() == [1, 3]


def test_without_entries_it_is_the_constraint():
    v = np.array([1.0, 3.0, 2.0])
    assert AlwaysKept(AtMost(1), []).choose(v).tolist() == AtMost(1).choose(v).tolist()


def test_among_many_entries_the_others_are_still_the_best():
    rng = np.random.default_rng(0)
    v = rng.integers(-5, 6, 200).astype(float)
    kept = np.sort(rng.choice(200, 50, replace=False))
    others = np.setdiff1d(np.arange(200), kept)
    current = np.sort(rng.choice(200, 60, replace=False))
    for budget in (0, 1, 30, 149, 150, 300):
        best = sorted(others, key=lambda i: (-abs(v[i]), i not in current, i))[:budget]
        assert AlwaysKept(AtMost(budget), kept).choose(v, current).tolist() == sorted([*kept, *best])


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([-1], r"entry -1 is negative: flat indices count from 0\."),
        ([0.5], r"takes the flat indices of its entries, not float64 values\."),
        ([True, False], r"takes the flat indices of its entries, not bool values\."),
    ],
)
def test_entries_are_flat_indices(entries, sentence):
    with pytest.raises(ValueError, match=sentence):
        AlwaysKept(AtMost(1), entries)


def test_entries_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"entry 4 is not among the 4 entries"):
        AlwaysKept(AtMost(1), [4]).check(np.ones((2, 2)))


def test_it_goes_around_a_budget_only():
    for wrong, name in ((3, "int"), (AtMost, "AtMost"), (OnSimplex(AtMost(1)), "OnSimplex")):
        with pytest.raises(
            TypeError, match=rf"{name} cannot go inside AlwaysKept: give it a budget such as AtMost\(10\)"
        ):
            AlwaysKept(wrong, [0])
