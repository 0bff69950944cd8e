"""What every objective promises, whatever it is a loss of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array

from atmostk.objectives import (
    Functions,
    Gamma,
    Huber,
    Logistic,
    Multinomial,
    Poisson,
    Quantile,
    SquaredError,
    Tweedie,
    WithIntercept,
    with_ridge,
)
from atmostk.problem import Objective
from atmostk.sample import Sample

ROWS, COLUMNS, CLASSES = 12, 5, 3


def squares(x: Any, data: Any) -> float:
    X, y = data
    return float(np.mean((X @ x - y) ** 2) / 2)


def squares_slope(x: Any, data: Any) -> Any:
    X, y = data
    return X.T @ (X @ x - y) / len(y)


def squares_by_row(x: Any, data: Any) -> Any:
    X, y = data
    return (X @ x - y) ** 2 / 2


OBJECTIVES = {
    "squared error": (SquaredError(), "real"),
    "squared error, ridge": (with_ridge(SquaredError(), 0.3), "real"),
    "logistic": (Logistic(), "label"),
    "logistic, ridge": (with_ridge(Logistic(), 0.3), "label"),
    "multinomial": (Multinomial(), "class"),
    "poisson": (Poisson(), "count"),
    "huber": (Huber(0.7), "real"),
    "quantile": (Quantile(0.3, smoothing=0.6), "real"),
    "gamma": (Gamma(), "positive"),
    "tweedie": (Tweedie(1.3), "count"),
    "squared error, ridge by entry": (with_ridge(SquaredError(), np.arange(COLUMNS) / 3), "real"),
    "squared error, intercept": (WithIntercept(SquaredError()), "real"),
    "multinomial, intercept": (WithIntercept(Multinomial()), "class"),
    "poisson, intercept, ridge": (with_ridge(WithIntercept(Poisson()), np.arange(COLUMNS + 1) / 3), "count"),
    "functions": (Functions(squares, squares_slope, squares_by_row), "real"),
}
FREE = {name for name in OBJECTIVES if "intercept" in name}
WEIGHTABLE = [name for name in OBJECTIVES if name != "functions"]
SPARSE = WEIGHTABLE


def rows(target: str, dtype: Any = np.float64) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(ROWS, COLUMNS)).astype(dtype)
    X[rng.random(X.shape) < 0.3] = 0
    y = {
        "real": rng.normal(size=ROWS),
        "label": np.arange(ROWS) % 2,
        "class": np.arange(ROWS) % CLASSES,
        "count": rng.poisson(2.0, size=ROWS),
        "positive": rng.gamma(2.0, size=ROWS),
    }[target].astype(dtype)
    return X, y


def point(name: str, dtype: Any = np.float64) -> Any:
    entries = COLUMNS + (name in FREE)
    shape = (entries, CLASSES) if OBJECTIVES[name][1] == "class" else (entries,)
    return np.random.default_rng(8).normal(size=shape).astype(dtype) / 2


def difference_quotient(function: Any, x: Any) -> Any:
    """Central differences of a number or an array in every entry of x."""
    step, found = 1e-5, []
    for place in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[place] += step
        behind[place] -= step
        found.append((function(ahead) - function(behind)) / (2 * step))
    return found


@pytest.mark.parametrize("name", OBJECTIVES)
def test_keeps_the_protocol(name: str) -> None:
    assert isinstance(OBJECTIVES[name][0], Objective)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_gradient_is_what_finite_differences_give(name: str) -> None:
    objective, target = OBJECTIVES[name]
    sample, x = Sample(rows(target), ROWS), point(name)
    found = np.reshape(difference_quotient(lambda at: objective.value(at, sample), x), x.shape)
    assert_allclose(objective.gradient(x, sample), found, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", WEIGHTABLE)
@pytest.mark.parametrize("form", [np.asarray, csr_array, csc_array])
def test_the_weighted_gradient_is_what_finite_differences_give(name: str, form: Any) -> None:
    objective, target = OBJECTIVES[name]
    X, y = rows(target)
    sample = Sample((form(X), y), ROWS, weights=np.random.default_rng(3).random(ROWS))
    x = point(name)
    found = np.reshape(difference_quotient(lambda at: objective.value(at, sample), x), x.shape)
    assert_allclose(objective.gradient(x, sample), found, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", WEIGHTABLE)
@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_curvature_is_the_slope_of_the_gradient(name: str, form: Any, weighted: bool) -> None:
    objective, target = OBJECTIVES[name]
    X, y = rows(target)
    sample = Sample((form(X), y), ROWS, weights=np.random.default_rng(3).random(ROWS) if weighted else None)
    x = point(name)
    slopes = difference_quotient(lambda at: objective.gradient(at, sample), x)
    own = [slope[place] for slope, place in zip(slopes, np.ndindex(x.shape), strict=True)]
    assert_allclose(np.ravel(objective.curvature(x, sample)), own, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_mean_of_the_row_losses_is_the_value(name: str) -> None:
    objective, target = OBJECTIVES[name]
    sample, x = Sample(rows(target), ROWS), point(name)
    losses = objective.losses(x, sample)
    assert losses.shape == (ROWS,)
    assert_allclose(losses.mean(), objective.value(x, sample), rtol=1e-12)


@pytest.mark.parametrize("name", WEIGHTABLE)
def test_a_weight_of_two_is_a_row_that_stands_twice(name: str) -> None:
    objective, target = OBJECTIVES[name]
    X, y = rows(target)
    weights = np.where(np.arange(ROWS) < 4, 2.0, 1.0)
    weighted = Sample((X, y), ROWS, weights=weights)
    repeated = Sample((np.vstack([X, X[:4]]), np.concatenate([y, y[:4]])), ROWS + 4)
    x = point(name)
    assert_allclose(objective.value(x, weighted), objective.value(x, repeated), rtol=1e-12)
    assert_allclose(objective.gradient(x, weighted), objective.gradient(x, repeated), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_nothing_that_comes_in_is_written_to(name: str) -> None:
    objective, target = OBJECTIVES[name]
    X, y = rows(target)
    x = point(name)
    before = X.copy(), y.copy(), x.copy()
    for array in (X, y, x):
        array.flags.writeable = False
    sample = Sample((X, y), ROWS)
    objective.value(x, sample)
    objective.gradient(x, sample)
    objective.losses(x, sample)
    for array, kept in zip((X, y, x), before, strict=True):
        assert_array_equal(array, kept)


@pytest.mark.parametrize("name", WEIGHTABLE)
def test_single_precision_stays_single_precision(name: str) -> None:
    objective, target = OBJECTIVES[name]
    sample = Sample(rows(target, np.float32), ROWS)
    x = point(name, np.float32)
    assert objective.gradient(x, sample).dtype == np.float32
    assert objective.losses(x, sample).dtype == np.float32
    assert objective.curvature(x, sample).dtype == np.float32


@pytest.mark.parametrize("name", WEIGHTABLE)
def test_pytorch_gives_the_numbers_of_numpy(name: str) -> None:
    torch = pytest.importorskip("torch")
    objective, target = OBJECTIVES[name]
    X, y = rows(target)
    x = point(name)
    ours = Sample((X, y), ROWS)
    theirs = Sample((torch.tensor(X), torch.tensor(y)), ROWS)
    assert_allclose(objective.value(torch.tensor(x), theirs), objective.value(x, ours), rtol=1e-13)
    for method in ("gradient", "losses", "curvature"):
        found = getattr(objective, method)(torch.tensor(x), theirs)
        assert isinstance(found, torch.Tensor)
        assert_allclose(found.numpy(), getattr(objective, method)(x, ours), rtol=1e-11, atol=1e-14)
