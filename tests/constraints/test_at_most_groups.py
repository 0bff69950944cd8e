"""At most K groups."""

import numpy as np
import pytest

from atmostk.constraints import AlwaysKept, AtMostGroups


def test_the_groups_that_save_most_are_kept_whole():
    v = np.array([2.0, 0.0, 1.5, 1.5, 1.9])
    assert AtMostGroups(1, [0, 0, 1, 1, 2]).choose(v).tolist() == [2, 3]
    assert AtMostGroups(2, [0, 0, 1, 1, 2]).choose(v).tolist() == [0, 1, 2, 3]


def test_groups_have_any_whole_numbers_as_names_and_need_not_lie_together():
    assert AtMostGroups(1, [100, -7, 100, -7]).choose(np.array([1.0, 2.0, 1.0, 2.0])).tolist() == [1, 3]


def test_a_budget_counts_groups_and_not_entries():
    assert AtMostGroups(5, [0, 0, 1]).choose(np.ones(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_neither_vanish_nor_overflow(scale):
    assert AtMostGroups(1, [0, 0, 1, 1]).choose(np.array([1.0, 1.0, 1.2, 0.0]) * scale).tolist() == [0, 1]


def test_tiny_groups_are_told_apart_beside_large_ones():
    v = np.array([1e200, 1e-200, 1e-200, 1e-180, 1e-190])
    assert AtMostGroups(2, [0, 1, 1, 2, 2]).choose(v).tolist() == [0, 3, 4]


def test_entries_that_are_always_kept_do_not_help_their_group():
    v = np.array([9.0, 1.0, 2.0, 2.0])
    assert AlwaysKept(AtMostGroups(1, [0, 0, 1, 1]), [0]).choose(v).tolist() == [0, 2, 3]


def test_a_group_that_is_always_kept_takes_no_place():
    v = np.zeros(6)
    assert AlwaysKept(AtMostGroups(1, [0, 0, 1, 1, 2, 2]), [0, 1]).choose(v).tolist() == [0, 1, 2, 3]


def test_what_has_another_number_of_entries_is_refused():
    with pytest.raises(ValueError, match="knows the group of 3 entries and cannot constrain 4"):
        AtMostGroups(1, [0, 1, 1]).check(np.ones(4))


def test_groups_are_whole_numbers():
    for wrong in ([0.5, 1.0], ["a", "b"], [True, False]):
        with pytest.raises(ValueError, match="one whole number for each entry as its group"):
            AtMostGroups(1, wrong)
    with pytest.raises(ValueError, match=r"AtMostGroups\(-1\): at_most"):
        AtMostGroups(-1, [0, 1])


def test_later_changes_to_the_given_groups_do_not_reach_it():
    groups = np.array([0, 0, 1])
    constraint = AtMostGroups(1, groups)
    groups[:] = 5
    assert constraint.choose(np.array([1.0, 1.0, 3.0])).tolist() == [2]
