"""A budget and bounds."""

import numpy as np
import pytest

from atmostk.constraints import AlwaysKept, AtMost, AtMostGroups, WithinBox


def project(constraint, v):
    return constraint.restrict(v, constraint.choose(v))


def test_the_largest_entry_is_not_kept_when_the_box_leaves_little_of_it():
    v = np.array([10.0, 3.0])
    assert project(WithinBox(AtMost(1), upper=np.array([0.1, 9.0])), v).tolist() == [0.0, 3.0]


def test_non_negative_is_a_box():
    assert project(WithinBox(AtMost(2), lower=0), np.array([-9.0, 1.0, 0.5, 2.0])).tolist() == [0, 1, 0, 2]


def test_what_was_not_clipped_competes_with_its_own_magnitude_exactly():
    v = np.nextafter(np.full(3, 1e-3), [0, 1, 1])
    v[2] = np.nextafter(v[2], 1)
    assert WithinBox(AtMost(1), -1, 1).choose(v).tolist() == [2]


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_neither_vanish_nor_overflow(scale):
    constraint = WithinBox(AtMost(1), -scale, scale)  # 1 saves 1, 3 at 1 saves 5, -4 at -1 saves 7
    assert constraint.choose(np.array([1.0, 3.0, -4.0]) * scale).tolist() == [2]


def test_bounds_keep_their_place_in_float32():
    x = project(WithinBox(AtMost(2), -0.1, np.full(3, 0.1)), np.array([1.0, -1.0, 0.0], np.float32))
    assert x.dtype == np.float32
    assert np.array_equal(x, np.array([0.1, -0.1, 0.0], np.float32))


@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        (1.0, 0.0, "leaves no room for entry 0: its lower bound is above its upper bound"),
        ([0.0, 0.5], [1.0, 0.4], "leaves no room for entry 1"),
        (np.nan, 1.0, "takes numbers as lower bounds, and nan is none"),
        (0.0, [1.0, np.nan], "takes numbers as upper bounds, and nan is none"),
        (0.0, "high", "takes numbers as upper bounds"),
        (None, 1.0, "takes numbers as lower bounds"),
        ([0.0], [1.0, 1.0], r"lower bounds of shape \(1,\) and upper bounds of shape \(2,\)"),
    ],
)
def test_bounds_that_are_none_are_refused(lower, upper, sentence):
    with pytest.raises(ValueError, match=sentence):
        WithinBox(AtMost(1), lower, upper)


def test_bounds_have_the_shape_of_the_point():
    with pytest.raises(ValueError, match=r"lower bounds of shape \(2,\) for entries of shape \(3,\)"):
        WithinBox(AtMost(1), [0.0, 0.0]).check(np.ones(3))


@pytest.mark.parametrize("bounds", [(0.5, 1.0), ([0, 0.5, 0], 1.0), (-1.0, [0, -0.5, 0])])
def test_an_entry_that_competes_may_be_zero(bounds):
    with pytest.raises(ValueError, match=r"does not allow entry [01] to be zero, and the budget may drop it"):
        WithinBox(AtMost(2), *bounds).check(np.ones(3))


def test_an_entry_that_is_always_kept_needs_no_zero():
    lower = np.array([0.5, -1.0, -1.0])
    WithinBox(AlwaysKept(AtMost(1), [0]), lower).check(np.ones(3))
    AlwaysKept(WithinBox(AtMost(1), lower), [0]).check(np.ones(3))
    with pytest.raises(ValueError, match="does not allow entry 0"):
        WithinBox(AlwaysKept(AtMost(1), [1]), lower).check(np.ones(3))
    with pytest.raises(ValueError, match="does not allow entry 0"):
        WithinBox(AtMostGroups(1, [0, 0, 1]), lower).check(np.ones(3))


def test_two_boxes_are_refused():
    for inside in (WithinBox(AtMost(1), 0, 1), AlwaysKept(WithinBox(AtMost(1), 0, 1), [0])):
        with pytest.raises(ValueError, match="goes around a constraint once"):
            WithinBox(inside, -1, 1)


def test_later_changes_to_the_given_bounds_do_not_reach_it():
    upper = np.ones(2)
    constraint = WithinBox(AtMost(2), 0.0, upper)
    upper[:] = 5
    assert project(constraint, np.array([9.0, 9.0])).tolist() == [1.0, 1.0]
