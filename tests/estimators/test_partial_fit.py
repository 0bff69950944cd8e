"""A stream of batches: at most K nonzeros at every moment, the true features in the end, no old rows kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from atmostk import SparseClassifier, SparseRegressor

FEATURES, TRUE = 60, (3, 17, 30, 31, 44)


def rows(count: int, seed: int = 0, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Correlated columns, and their sum over the true ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, FEATURES))
    for column in range(1, FEATURES):
        X[:, column] = 0.6 * X[:, column - 1] + 0.8 * X[:, column]
    z = X[:, TRUE] @ np.array([1.0, -0.6, 0.8, 0.7, -0.5])
    return X.astype(dtype), z, rng


def amounts(loss: str, z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    if loss == "poisson":
        return rng.poisson(np.exp(0.3 * z)).astype(float)
    return 5 + z + rng.normal(size=z.size) * 2


def batches(*arrays: Any, size: int = 500) -> Iterator[tuple[Any, ...]]:
    for first in range(0, arrays[0].shape[0], size):
        yield tuple(array[first : first + size] for array in arrays)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "huber"])
def test_one_pass_finds_the_true_features_and_their_coefficients(loss: str) -> None:
    X, z, rng = rows(20_000)
    y = amounts(loss, z, rng)
    model = SparseRegressor(at_most=5, loss=loss)
    for part in batches(X, y):
        model.partial_fit(*part)
        assert len(model.support_) == np.count_nonzero(model.coef_) == 5
    assert_array_equal(model.support_, TRUE)
    whole = SparseRegressor(at_most=5, loss=loss).fit(X, y)
    scale = 0.3 if loss == "poisson" else 2.0
    # A hundredth of a standard deviation of the noise: two standard errors of a coefficient from 20,000 rows.
    assert_allclose(model.coef_, whole.coef_, atol=0.015 * scale)
    assert model.intercept_ == pytest.approx(whole.intercept_, abs=0.02 * scale)


def labelled(count: int, seed: int = 0, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    X, z, rng = rows(count, seed, dtype)
    return X, np.where(z + rng.logistic(size=count) > 0, "yes", "no")


def test_a_classifier_finds_them_too_in_single_precision() -> None:
    X, y = labelled(20_000, dtype=np.float32)
    model = SparseClassifier(at_most=5)
    for part in batches(X, y):
        model.partial_fit(*part, classes=["no", "yes"])
        assert np.count_nonzero(model.coef_) == 5
    assert_array_equal(model.support_, TRUE)
    assert model.coef_.dtype == np.float32
    assert_allclose(model.coef_, SparseClassifier(at_most=5).fit(X, y).coef_, atol=0.03)
    assert_array_equal(model.classes_, ["no", "yes"])


def test_of_several_classes_a_feature_counts_once() -> None:
    X, _, rng = rows(20_000)
    truth = np.zeros((FEATURES, 3))
    truth[[5, 20, 41]] = [[1.0, -1.0, 0.0], [0.0, 1.2, -1.2], [0.9, 0.0, -0.9]]
    y = (X @ truth + rng.gumbel(size=(20_000, 3))).argmax(axis=1)
    model = SparseClassifier(at_most=3)
    for part in batches(X, y):
        model.partial_fit(*part, classes=[0, 1, 2])
        assert np.count_nonzero(model.coef_.any(axis=0)) <= 3
    assert_array_equal(model.support_, [5, 20, 41])
    assert model.score(X, y) > 0.6


@pytest.mark.parametrize("size", [7, 2100])
def test_neither_small_nor_large_batches_change_what_is_found(size: int) -> None:
    X, z, rng = rows(4_200)
    model = SparseRegressor(at_most=5)
    for part in batches(X, amounts("squared_error", z, rng), size=size):
        model.partial_fit(*part)
        assert len(model.support_) <= 5
    assert_array_equal(model.support_, TRUE)


def test_sparse_batches_give_what_dense_ones_give() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((10_000, 300), density=0.03, rng=rng, format="csr")
    truth = np.zeros(300)
    truth[[4, 50, 120, 200]] = [4.0, -4.0, 4.0, -4.0]
    y = (X @ truth + rng.logistic(size=10_000) > 0).astype(int)
    found = []
    for data in (X, X.tocsc(), X.toarray()):
        model = SparseClassifier(at_most=4)
        for first in range(0, 10_000, 500):
            model.partial_fit(data[first : first + 500], y[first : first + 500], classes=[0, 1])
        found.append(model)
    assert_array_equal(found[0].support_, [4, 50, 120, 200])
    for other in found[1:]:
        assert_allclose(found[0].coef_, other.coef_, rtol=1e-6)


def test_a_feature_that_few_rows_show_gets_no_endless_coefficient() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate((rng.normal(size=(3_000, 5)), np.zeros((3_000, 1))), axis=1)
    y = rng.integers(2, size=3_000)
    X[np.flatnonzero(y)[::500], 5] = 1.0  # three rows, all of one class: no finite maximum of the likelihood
    model = SparseClassifier(at_most=6)
    for part in batches(X, y, size=100):
        model.partial_fit(*part, classes=[0, 1])
    assert np.abs(model.coef_).max() < 5


def test_groups_kept_features_and_bounds_hold_at_every_moment() -> None:
    X, z, rng = rows(10_000)
    y = amounts("squared_error", z, rng)
    groups = np.arange(FEATURES) // 2
    model = SparseRegressor(at_most=5, groups=groups, always=[50], bounds=(-0.4, 0.65))
    for part in batches(X, y):
        model.partial_fit(*part)
        assert len(np.unique(groups[model.support_])) <= 5
        assert 50 in model.support_
        assert model.coef_.min() >= -0.4
        assert model.coef_.max() <= 0.65
    whole = SparseRegressor(at_most=5, groups=groups, always=[50], bounds=(-0.4, 0.65)).fit(X, y)
    assert_array_equal(model.support_, whole.support_)
    assert_allclose(model.coef_, whole.coef_, atol=0.05)


def test_a_weight_counts_as_so_many_rows() -> None:
    X, z, rng = rows(6_000)
    y, weights = amounts("squared_error", z, rng), rng.integers(1, 4, size=6_000).astype(float)
    weighted, repeated = SparseRegressor(at_most=5), SparseRegressor(at_most=5)
    for part in batches(X, y, weights):
        weighted.partial_fit(*part)
        times = part[2].astype(int)
        repeated.partial_fit(np.repeat(part[0], times, axis=0), np.repeat(part[1], times))
    assert_array_equal(weighted.support_, repeated.support_)
    assert_allclose(weighted.coef_, repeated.coef_, atol=0.01)


def test_the_support_follows_when_the_truth_changes() -> None:
    X, z, rng = rows(20_000)
    y = amounts("squared_error", z, rng)
    y[10_000:] = 5 + X[10_000:, [8, 25, 30, 52, 58]].sum(axis=1) + rng.normal(size=10_000)
    model = SparseRegressor(at_most=5)
    for number, part in enumerate(batches(X, y)):
        model.partial_fit(*part)
        if number == 19:
            assert_array_equal(model.support_, TRUE)
    assert_array_equal(model.support_, [8, 25, 30, 52, 58])


def test_nothing_is_remembered_in_arrays_that_the_caller_uses_again() -> None:
    X, z, rng = rows(6_000)
    y = amounts("squared_error", z, rng)
    one, other = SparseRegressor(at_most=5), SparseRegressor(at_most=5)
    held, target = np.empty((500, FEATURES)), np.empty(500)
    for part in batches(X, y):
        one.partial_fit(*part)
        held[:], target[:] = part
        other.partial_fit(held, target)
    assert_array_equal(one.coef_, other.coef_)


def test_memory_is_bounded_however_long_the_stream() -> None:
    X, z, rng = rows(30_000)
    model = SparseRegressor(at_most=5)
    for part in batches(X, amounts("squared_error", z, rng), size=3000):
        model.partial_fit(*part)
    assert sum(len(y) for _, y, _ in model._stream.recent.parts) <= 12_000


def test_batches_of_one_class_are_possible_where_the_classes_are_named() -> None:
    X, y = labelled(4_000)
    order = np.argsort(y[:400], kind="stable")  # the first batches hold a single class
    X, y = np.concatenate((X[:400][order], X[400:])), np.concatenate((y[:400][order], y[400:]))
    model = SparseClassifier(at_most=5)
    for part in batches(X, y, size=100):
        model.partial_fit(*part, classes=["no", "yes"])
        assert np.isfinite(model.coef_).all()
    assert model.score(X, y) > 0.65


def test_a_fitted_model_goes_on_and_a_fit_forgets_the_stream() -> None:
    X, z, rng = rows(6_000)
    y = amounts("squared_error", z, rng)
    fitted = SparseRegressor(at_most=5).fit(X[:3_000], y[:3_000])
    before = fitted.support_
    fitted.partial_fit(X[3_000:3_200], y[3_000:3_200])
    assert len(np.intersect1d(fitted.support_, before)) >= 4
    assert not hasattr(fitted, "certificate_")
    again = fitted.fit(X[:3_000], y[:3_000])
    assert_array_equal(again.coef_, SparseRegressor(at_most=5).fit(X[:3_000], y[:3_000]).coef_)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m, X, y: m.partial_fit(X, y), "classes must be passed on the first call"),
        (lambda m, X, y: m.partial_fit(X, y, classes=["no"]), "at least two classes"),
        (lambda m, X, y: m.partial_fit(X, y, classes=["no", "maybe"]), "none of the classes"),
        (
            lambda m, X, y: m.partial_fit(X, y, classes=["no", "yes"]).partial_fit(X, y, classes=["no", "oh"]),
            "not those of the first call",
        ),
        (
            lambda m, X, y: m.set_params(class_weight="balanced").partial_fit(X, y, classes=["no", "yes"]),
            "needs all rows at once",
        ),
        (
            lambda m, X, y: m.partial_fit(X, y, classes=["no", "yes"]).set_params(at_most=3).partial_fit(X, y),
            "changed after the first batch",
        ),
        (lambda m, X, y: m.partial_fit(X, y, classes=["no", "yes"]).partial_fit(X[:, 1:], y), "60 features"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(call: Any, sentence: str) -> None:
    X, y = labelled(50)
    with pytest.raises(ValueError, match=sentence):
        call(SparseClassifier(at_most=2), X, y)
