"""Sparse portfolios."""

import numpy as np
import pytest
from scipy.optimize import minimize

from atmostk.constraints import AtMost, OnSimplex, WithinBox


def project(constraint, v):
    return constraint.restrict(v, constraint.choose(v))


def test_the_largest_entries_count_with_their_sign():
    assert OnSimplex(AtMost(2)).choose(np.array([-9.0, 0.1, -0.2, -3.0])).tolist() == [1, 2]


def test_against_a_general_solver():
    v = np.random.default_rng(0).standard_normal(8)
    x = project(OnSimplex(AtMost(8), total=1.5), v)
    solved = minimize(
        lambda w: np.sum((w - v) ** 2),
        np.full(8, 1.5 / 8),
        bounds=[(0, None)] * 8,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.5},
        options={"ftol": 1e-14},
    )
    assert x == pytest.approx(solved.x, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e16, 1e200, 1e308])
def test_the_total_is_reached_whatever_the_scale(scale):
    v = np.array([1.0, -1.0, 0.5, 1.0]) * scale
    for budget in (1, 2, 3, 9):
        x = project(OnSimplex(AtMost(budget)), v)
        assert x.sum() == pytest.approx(1.0)
        assert x.min() >= 0
        assert np.count_nonzero(x) <= budget


def test_float32_stays_float32():
    x = project(OnSimplex(AtMost(2)), np.array([0.9, 0.5, 0.2], np.float32))
    assert x.dtype == np.float32
    assert x == pytest.approx([0.7, 0.3, 0.0])


@pytest.mark.parametrize("total", [0.0, -1.0, np.inf, np.nan, "1"])
def test_the_total_is_a_positive_number(total):
    with pytest.raises(ValueError, match="it must be a positive number"):
        OnSimplex(AtMost(2), total)


def test_no_entries_reach_no_total():
    with pytest.raises(ValueError, match="at_most must be at least 1"):
        OnSimplex(AtMost(0))
    with pytest.raises(ValueError, match="on an array without entries"):
        OnSimplex(AtMost(1)).check(np.empty(0))


def test_it_goes_around_at_most_only():
    for wrong in (3, WithinBox(AtMost(1), 0, 1)):
        with pytest.raises(TypeError, match=r"goes around AtMost\(...\), not around (int|WithinBox)"):
            OnSimplex(wrong)
