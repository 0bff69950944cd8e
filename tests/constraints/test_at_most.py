"""At most K entries."""

import numpy as np
import pytest

from atmostk.constraints import AtMost


@pytest.mark.parametrize("wrong", [-1, 2.0, True, "3", None, np.nan, [1]])
def test_a_budget_is_a_whole_number(wrong):
    with pytest.raises(ValueError, match=r"AtMost\(.*\): at_most must be a whole number, 0 or more\."):
        AtMost(wrong)


def test_a_budget_may_be_a_numpy_integer():
    assert AtMost(np.int32(2)).choose(np.array([1.0, 3.0, 2.0])).tolist() == [1, 2]


def test_keeps_exactly_k_entries_even_when_all_tie():
    assert AtMost(2).choose(np.ones(5)).tolist() == [0, 1]
    assert AtMost(2).choose(-np.ones(5), np.array([2, 4])).tolist() == [2, 4]


def test_a_larger_budget_than_there_are_entries_keeps_all():
    AtMost(40).check(np.ones(30))
    assert AtMost(40).choose(np.ones(30)).tolist() == list(range(30))


@pytest.mark.parametrize("scale", [1e-200, 1e200, 5e-324])
def test_scale_does_not_matter(scale):
    assert AtMost(2).choose(np.array([1.0, -4.0, 3.0, 2.0]) * scale).tolist() == [1, 2]


def test_tiny_entries_are_told_apart_beside_large_ones():
    assert AtMost(2).choose(np.array([1e200, 1e-200, 1e-180])).tolist() == [0, 2]


def test_equal_budgets_are_equal():
    assert AtMost(3) == AtMost(3)
    assert AtMost(3) != AtMost(4)
    assert repr(AtMost(3)) == "AtMost(at_most=3)"


def test_an_array_without_entries_has_no_support():
    assert AtMost(3).choose(np.empty(0)).tolist() == []
