"""The minimum that is kept up to date while entries leave and enter is the one found from nothing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmostk.quadratic import running_minimum
from atmostk.quadratic.model import Pool, QuadraticModel


def model_of(size: int, seed: int, free: int = 0) -> tuple[QuadraticModel, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3 * size, size)) + 0.7 * rng.normal(size=(3 * size, 1))
    hessian, linear = X.T @ X / len(X), rng.normal(size=size)
    units = np.arange(size) - free
    units[:free] = -1
    far = np.full(size, np.inf)
    made = QuadraticModel(
        Pool.of(units), lambda asked: hessian[asked], np.diag(hessian), -linear, np.zeros(size), lower=-far, upper=far
    )
    return made, hessian, linear


@pytest.mark.parametrize("free", [0, 2])
def test_after_leaving_and_entering_it_is_the_minimum_from_nothing(free: int) -> None:
    model, _, _ = model_of(20, 1, free)
    now = model.tableau(np.array([2, 5, 7, 11]))
    place, entry = free + 1, free + 9
    floors = 1e-9 * model.diagonal
    parts = [part.copy() for part in (now.shares, now.inverse, now.values, now.slopes, now.bends)]
    columns = now.columns.copy()
    running_minimum.left(place, *parts)
    running_minimum.entered(place, entry, model._take(np.array([entry]))[0], columns, *parts, floors)
    expected = model.tableau(np.array([2, 9, 7, 11]))
    names = (expected.shares, expected.inverse, expected.values, expected.slopes, expected.bends)
    for found, wanted in zip(parts[:4], names[:4], strict=True):
        assert_allclose(found, wanted, atol=1e-6)
    outside = np.setdiff1d(np.arange(20), expected.entries)
    assert_allclose(parts[4][outside], expected.bends[outside], atol=1e-6)


def test_the_price_of_every_exchange_is_the_difference_of_two_minima() -> None:
    model, _, _ = model_of(12, 2)
    places = np.array([1, 4, 8])
    now = model.tableau(places)
    for i in range(3):
        for j in np.setdiff1d(np.arange(12), places):
            after = places.copy()
            after[i] = j
            price = running_minimum.price(i, j, now.shares, now.inverse, now.values, now.slopes, now.bends)
            assert price == pytest.approx(now.value - model.tableau(after).value, abs=1e-7)


def test_no_single_exchange_is_left_that_pays() -> None:
    for seed in range(5):
        model, hessian, linear = model_of(30, seed)
        found = model.descend(np.arange(6), 60, 1e-9)

        def value(units: np.ndarray, hessian: np.ndarray = hessian, linear: np.ndarray = linear) -> float:
            return -0.5 * float(linear[units] @ np.linalg.solve(hessian[np.ix_(units, units)], linear[units]))

        best = value(found)
        for leaves in found:
            for enters in np.setdiff1d(np.arange(30), found):
                assert value(np.append(found[found != leaves], enters)) >= best - 1e-7
