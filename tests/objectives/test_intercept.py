"""An intercept is a column of ones that nobody has to store."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmostk import AtMost, Problem
from atmostk.objectives import Multinomial, SquaredError, WithIntercept, with_ridge
from atmostk.samplers import Rows

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 4))
y = rng.normal(size=30)


@pytest.mark.parametrize("weights", [None, rng.random(30)])
def test_an_intercept_is_a_column_of_ones(weights: np.ndarray | None) -> None:
    x = rng.normal(size=5)
    ones = np.column_stack([X, np.ones(30)])
    ours = Problem(WithIntercept(SquaredError()), Rows(X, y, weights), AtMost(2))
    theirs = Problem(SquaredError(), Rows(ones, y, weights), AtMost(2))
    assert_allclose(ours.value(x), theirs.value(x), rtol=1e-12)
    assert_allclose(ours.gradient(x), theirs.gradient(x), rtol=1e-12)


def test_each_class_has_its_own_intercept() -> None:
    labels = np.arange(30.0) % 3
    x = rng.normal(size=(5, 3))
    ones = np.column_stack([X, np.ones(30)])
    ours = Problem(WithIntercept(Multinomial()), Rows(X, labels), AtMost(2))
    theirs = Problem(Multinomial(), Rows(ones, labels), AtMost(2))
    assert_allclose(ours.gradient(x), theirs.gradient(x), rtol=1e-12)


def test_a_ridge_by_entry_leaves_the_intercept_free() -> None:
    objective = with_ridge(WithIntercept(SquaredError()), np.array([1.0, 1.0, 1.0, 1.0, 0.0]))
    problem = Problem(objective, Rows(X, y), AtMost(2))
    at = np.array([0.0, 0.0, 0.0, 0.0, y.mean()])
    assert_allclose(problem.value(at), y.var() / 2, rtol=1e-12)
    assert abs(problem.gradient(at)[-1]) < 1e-14


def test_a_point_without_room_for_the_intercept_is_refused() -> None:
    problem = Problem(WithIntercept(SquaredError()), Rows(X, y), AtMost(2))
    with pytest.raises(ValueError, match="with an intercept x has one entry more"):
        problem.check(np.zeros(4))


def test_a_ridge_that_does_not_fit_is_refused() -> None:
    problem = Problem(with_ridge(SquaredError(), np.ones(3)), Rows(X, y), AtMost(2))
    with pytest.raises(ValueError, match="the ridge has shape"):
        problem.check(np.zeros(4))
    with pytest.raises(ValueError, match="0 or more"):
        with_ridge(SquaredError(), np.array([1.0, -1.0]))
