"""The losses against closed forms, and the targets they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss

from atmostk.objectives import Huber, Logistic, Multinomial, Poisson, SquaredError, with_ridge
from atmostk.sample import Sample

X = np.random.default_rng(0).normal(size=(40, 3))
x = np.array([0.5, -1.0, 2.0])


def test_logistic_is_scikit_learns_log_loss() -> None:
    y = np.arange(40) % 2
    probability = 1 / (1 + np.exp(-X @ x))
    assert_allclose(Logistic().value(x, Sample((X, y), 40)), log_loss(y, probability))


def test_multinomial_is_scikit_learns_log_loss() -> None:
    y = np.arange(40) % 4
    B = np.random.default_rng(1).normal(size=(3, 4))
    scores = np.exp(X @ B)
    assert_allclose(Multinomial().value(B, Sample((X, y), 40)), log_loss(y, scores / scores.sum(axis=1, keepdims=True)))


def test_logistic_does_not_overflow_far_from_zero() -> None:
    sample = Sample((np.array([[1.0], [-1.0]]), np.array([0.0, 1.0])), 2)
    assert Logistic().value(np.array([1e4]), sample) == 1e4
    assert np.isfinite(Logistic().gradient(np.array([1e4]), sample)).all()


def test_poisson_overflows_to_infinity_without_a_warning() -> None:
    assert Poisson().value(np.array([1e4]), Sample((np.ones((1, 1)), np.ones(1)), 1)) == np.inf


def test_huber_is_squared_error_when_no_residual_reaches_the_threshold() -> None:
    sample = Sample((X, np.zeros(40)), 40)
    assert_allclose(Huber(1e6).value(x, sample), SquaredError().value(x, sample))


def test_huber_grows_linearly_beyond_the_threshold() -> None:
    sample = Sample((np.ones((1, 1)), np.zeros(1)), 1)
    assert Huber(1.0).value(np.array([11.0]), sample) - Huber(1.0).value(np.array([10.0]), sample) == 1.0


def test_a_ridge_of_zero_is_the_loss_itself() -> None:
    loss = Logistic()
    assert with_ridge(loss, 0.0) is loss


@pytest.mark.parametrize(
    ("objective", "y", "sentence"),
    [
        (Logistic(), np.ones(40), "both classes, but y holds only 1"),
        (Logistic(), np.where(np.arange(40) % 2, 1.0, -1.0), "labels 0 and 1, but y holds -1, 1"),
        (Logistic(), np.arange(40.0), "labels 0 and 1, but y holds 0, 1, 2, 3, 4, ..."),
        (Poisson(), -np.ones(40), "counts of 0 or more, but y holds -1"),
        (Poisson(), np.zeros(40), "at least one count above 0"),
    ],
)
def test_a_target_that_does_not_fit_is_refused(objective, y, sentence) -> None:
    with pytest.raises(ValueError, match=sentence):
        objective.check(x, Sample((X, y), 40, whole=True))


@pytest.mark.parametrize(
    ("y", "shape", "sentence"),
    [
        (np.zeros(40), (3, 2), "two classes, but y holds only 0"),
        (np.arange(40) % 3, (3, 2), "labels 0 to 1, but y holds 2"),
        (np.arange(40) % 2 - 0.5, (3, 2), "labels 0 to 1, but y holds -0.5"),
        (np.arange(40) % 2, (3,), r"shape \(features, classes\)"),
        (np.arange(40) % 2, (4, 2), "x has 4 entries but X has 3 columns"),
    ],
)
def test_multinomial_refuses_labels_and_points_that_do_not_fit(y, shape, sentence) -> None:
    with pytest.raises(ValueError, match=sentence):
        Multinomial().check(np.zeros(shape), Sample((X, y), 40, whole=True))


def test_a_sample_without_a_target_is_refused() -> None:
    with pytest.raises(TypeError, match=r"SquaredError reads samples of \(X, y\), but the sampler draws ndarray"):
        SquaredError().check(x, Sample(X, 40))


def test_one_class_in_a_part_of_the_data_is_no_reason_to_refuse() -> None:
    Logistic().check(x, Sample((X, np.ones(40)), 40))
    Multinomial().check(np.zeros((3, 2)), Sample((X, np.ones(40)), 40))


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("nan")])
def test_huber_needs_a_threshold_above_zero(threshold) -> None:
    with pytest.raises(ValueError, match="the threshold must be above 0"):
        Huber(threshold)


@pytest.mark.parametrize("ridge", [-1.0, float("nan")])
def test_a_ridge_below_zero_is_refused(ridge) -> None:
    with pytest.raises(ValueError, match="the ridge must be 0 or more"):
        with_ridge(SquaredError(), ridge)
