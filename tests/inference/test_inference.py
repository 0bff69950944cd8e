"""What is said after selection is true: intervals cover, p-values of nothing are uniform, bounds bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn.linear_model import Lasso

from atmostk import SparseClassifier, SparseRegressor
from atmostk.inference import refit_table, split_p_values, stability_selection
from atmostk.inference.split_p_values import combined
from atmostk.inference.wald import fitted
from atmostk.objectives import Logistic, Multinomial, Poisson, SquaredError

FEW = 5


def data(rows: int, features: int, seed: int, effects: dict[int, float] | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    X[:, 1:] += 0.5 * X[:, :-1]
    truth = np.zeros(features)
    for feature, effect in (effects or {}).items():
        truth[feature] = effect
    return X, 1 + X @ truth + rng.normal(size=rows)


# Standard errors


def test_least_squares_errors_are_those_of_the_textbook() -> None:
    X, y = data(80, 12, 0, {2: 1.0, 7: -1.0})
    model = SparseRegressor(at_most=2).fit(X, y)
    table = refit_table(model, X, y)
    A = np.column_stack((X[:, [2, 7]], np.ones(80)))
    best = np.linalg.lstsq(A, y, rcond=None)[0]
    noise = np.square(y - A @ best).sum() / (80 - 3)
    errors = np.sqrt(noise * np.diag(np.linalg.inv(A.T @ A)))
    assert_allclose(table.coefficients, best, rtol=1e-6)
    assert_allclose(table.standard_errors, errors, rtol=1e-6)
    assert_allclose(table.p_values, 2 * stats.t(77).sf(np.abs(best / errors)), rtol=1e-4)
    assert_allclose(table.upper - table.lower, 2 * stats.t(77).ppf(0.975) * errors, rtol=1e-6)
    assert "conditional on the selection" in str(table)


@pytest.mark.parametrize("loss", [Logistic(), Poisson()])
def test_likelihood_errors_come_from_the_second_differences_of_the_log_likelihood(loss: Any) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 2)) * [1.0, 1e-3]  # columns of very different scales
    z = 0.3 + A @ [0.8, -600.0]
    y = (z + rng.logistic(size=300) > 0).astype(float) if isinstance(loss, Logistic) else rng.poisson(np.exp(z / 2))
    found = fitted(loss, A, y, None, outputs=1, intercept=True, robust=False)

    def deviance(x: np.ndarray) -> float:
        return float(loss.loss(A @ x[:2] + x[2], y.astype(float)).sum())

    steps = np.diag([1e-3, 1.0, 1e-3])
    bends = np.empty((3, 3))
    for i, a in enumerate(steps):
        for j, b in enumerate(steps):
            parts = [deviance(found.values + s * a + t * b) * s * t for s in (1, -1) for t in (1, -1)]
            bends[i, j] = sum(parts) / (4 * a[i] * b[j])
    assert_allclose(found.covariance, np.linalg.inv(bends), rtol=1e-3)


def test_of_several_classes_the_difference_of_two_has_the_error_of_their_own_comparison() -> None:
    """Where a third class is rare and far away, the others are told apart as by a regression on them alone."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3000, 1))
    y = (A[:, 0] + rng.logistic(size=3000) > 0).astype(float)
    both = fitted(Logistic(), A, y, None, outputs=1, intercept=True, robust=False)
    A, y = np.append(A, [[0.0]] * 3, axis=0), np.append(y, [2.0] * 3)
    three = fitted(Multinomial(), A, y, None, outputs=3, intercept=True, robust=False)
    contrast = np.array([-1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    assert contrast @ three.values == pytest.approx(both.values[0], rel=0.02)
    assert contrast @ three.covariance @ contrast == pytest.approx(both.covariance[0, 0], rel=0.02)
    assert three.values[:3].sum() == pytest.approx(0, abs=1e-4)


def test_robust_errors_hold_where_the_noise_depends_on_the_feature() -> None:
    rng = np.random.default_rng(0)
    estimates, plain, robust = [], [], []
    for _ in range(400):
        x = rng.normal(size=(150, 1))
        y = 2 * x[:, 0] + rng.normal(size=150) * np.abs(x[:, 0]) * 1.5
        for kept, choice in ((plain, False), (robust, True)):
            found = fitted(SquaredError(), x, y, None, outputs=1, intercept=True, robust=choice)
            kept.append(np.sqrt(found.covariance[0, 0]))
        estimates.append(found.values[0])
    assert np.mean(robust) == pytest.approx(np.std(estimates), rel=0.1)
    assert np.mean(plain) < 0.75 * np.std(estimates)


@pytest.mark.parametrize("kind", ["amounts", "labels"])
def test_intervals_from_rows_that_did_not_choose_cover_as_often_as_they_say(kind: str) -> None:
    """Over 300 data sets 90 % intervals cover within three standard errors of 90 %; those of the same rows do not."""
    covered, naive = [], []
    for seed in range(300):
        X, z = data(160, 30, seed, {4: 0.25})
        rng = np.random.default_rng([seed, 1])
        if kind == "amounts":
            y, model = z, SparseRegressor(at_most=1, kicks=0)
        else:
            y = (2 * (z - 1) + rng.logistic(size=160) > 0).astype(int)
            X, y, model = X, y, SparseClassifier(at_most=1, kicks=0)
        half = slice(None, 80), slice(80, None)
        model.fit(X[half[0]], y[half[0]])
        # A feature alone in the model: what it is worth there follows from the correlations of the columns.
        truth = projection(X, model.support_[0], kind)
        for kept, rows in ((covered, half[1]), (naive, half[0])):
            table = refit_table(model, X[rows], y[rows], level=0.9)
            kept.append(table.lower[0] <= truth <= table.upper[0])
    error = np.sqrt(0.9 * 0.1 / 300)
    assert np.mean(covered) == pytest.approx(0.9, abs=3 * error + 0.01)
    assert np.mean(naive) < 0.9 - 4 * error


def projection(X: np.ndarray, feature: int, kind: str) -> float:
    """The coefficient that endless rows would give this feature alone, where feature 4 has the effect 0.25."""
    # The columns' covariance: x_j = e_j + e_{j-1} / 2, with variance 1.25 (the first: 1) and 1/2 beside the diagonal.
    variance = 1.25 if feature else 1.0
    shared = {4: 1.25, 3: 0.5, 5: 0.5}.get(feature, 0.0)
    if kind == "amounts" or not shared:
        return 0.25 * shared / variance
    if (feature, kind) in _KNOWN:
        return _KNOWN[feature, kind]
    rng = np.random.default_rng(12)
    own = rng.normal(size=400_000) * np.sqrt(variance)
    cause = shared / variance * own + rng.normal(size=400_000) * np.sqrt(max(1.25 - shared**2 / variance, 0.0))
    noise = rng.normal(size=400_000)
    y = (2 * (0.25 * cause + noise) + rng.logistic(size=400_000) > 0).astype(float)
    found = fitted(Logistic(), own[:, None], y, None, outputs=1, intercept=True, robust=False)
    return _KNOWN.setdefault((feature, kind), float(found.values[0]))


_KNOWN: dict[tuple[int, str], float] = {}


# p-values


def test_without_any_effect_the_p_values_of_one_split_are_uniform() -> None:
    """The rows that choose say nothing about those that test; the p-values of the same rows crowd near zero."""
    split, same = [], []
    for seed in range(250):
        X, y = data(60, 25, seed)
        model = SparseRegressor(at_most=1, kicks=0)
        found = split_p_values(model, X, y, splits=1, seed=seed)
        split.append(np.nanmin(found.by_split))
        same.append(refit_table(model.fit(X, y), X, y).p_values[0])
    assert stats.kstest(split, "uniform").pvalue > 0.01
    assert stats.kstest(same, "uniform").pvalue < 1e-20


@pytest.mark.parametrize("kind", ["amounts", "labels", "three classes"])
def test_wrong_discoveries_are_no_more_frequent_than_the_level(kind: str) -> None:
    """With 3 features chosen of 15 without effect: at level 10 %, over 80 data sets, at most 10 % and three errors."""
    wrong = 0
    for seed in range(80):
        X, y = data(90, 15, seed)
        model: Any = SparseRegressor(at_most=3, kicks=0)
        if kind != "amounts":
            y = np.random.default_rng([seed, 2]).integers(2 if kind == "labels" else 3, size=90)
            model = SparseClassifier(at_most=3, kicks=0)
        found = split_p_values(model, X, y, splits=1, seed=seed)
        wrong += found.significant(0.1).size > 0
    assert wrong <= 80 * 0.1 + 3 * np.sqrt(80 * 0.1 * 0.9)


def test_many_splits_keep_the_level_too_and_find_strong_effects() -> None:
    wrong = 0
    for seed in range(20):
        X, y = data(80, 15, seed, {3: 1.0, 9: -1.0})
        found = split_p_values(SparseRegressor(at_most=4, kicks=0), X, y, splits=8, seed=seed)
        assert {3, 9} <= set(found.significant())
        wrong += len(found.significant()) > 2
    assert wrong <= 20 * 0.05 + 3 * np.sqrt(20 * 0.05 * 0.95)


def test_splits_are_combined_as_the_formula_says() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((40, 6)) ** 4
    for column in range(6):
        best = min(
            np.quantile(table[:, column] / gamma, gamma, method="inverted_cdf") for gamma in np.linspace(0.05, 1, 951)
        )
        expected = min(1.0, (1 - np.log(0.05)) * best)
        assert combined(table)[column] == pytest.approx(expected, rel=1e-3)


def test_combined_p_values_of_dependent_splits_keep_the_level() -> None:
    """Splits that all say the same are the worst case for a rule that takes the best quantile."""
    rng = np.random.default_rng(0)
    draws = rng.random(4000)
    for repeats in (2, 20, 100):
        found = combined(np.repeat(draws[None, :], repeats, axis=0))
        assert (found <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)


# Stability


def test_frequencies_count_what_each_half_chose_and_the_bound_is_the_published_one() -> None:
    X, y = data(120, 40, 0, {3: 1.0, 20: -1.0})
    found = stability_selection(SparseRegressor(at_most=4, kicks=0), X, y, pairs=15)
    assert found.choices.shape == (30, 40)
    assert_array_equal(found.choices.sum(axis=1), 4)
    assert_array_equal(found.stable(0.9), [3, 20])
    assert found.error_bound(0.9) == pytest.approx(16 / (0.8 * 40))
    assert found.error_bound(found.threshold_for(0.7)) == pytest.approx(0.7)


def test_no_more_features_without_effect_are_stable_than_the_bound_says() -> None:
    count = []
    for seed in range(12):
        X, y = data(60, 60, seed)
        found = stability_selection(SparseRegressor(at_most=FEW, kicks=0), X, y, pairs=8, seed=seed)
        count.append(found.stable(0.7).size)
        bound = found.error_bound(0.7)
    assert np.mean(count) <= bound
    assert bound == pytest.approx(FEW**2 / (0.4 * 60))


def test_the_halves_of_a_pair_share_no_row() -> None:
    seen: list[np.ndarray] = []

    class Spy(Lasso):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
            seen.append(np.sort(X[:, 0]))
            return super().fit(X, y)

    X = np.column_stack((np.arange(11.0), np.zeros(11)))
    stability_selection(Spy(), X, X[:, 0], pairs=4)
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert_array_equal(np.sort(np.concatenate((first, second))), np.arange(11.0))


def test_other_estimators_frames_and_sparse_rows_are_welcome() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data(100, 20, 0, {3: 1.0})
    frame = pandas.DataFrame(X, columns=[f"gene{place}" for place in range(20)])
    lasso = stability_selection(Lasso(alpha=0.3), frame, y, pairs=5)
    assert lasso.names[lasso.stable(0.9)].tolist() == ["gene3"]
    model = SparseRegressor(at_most=2, kicks=0)
    dense, kept = (split_p_values(model, given, y, splits=3) for given in (X, sparse.csc_matrix(X)))
    assert_allclose(dense.p_values, kept.p_values, rtol=1e-6)
    assert refit_table(model.fit(frame, y), frame, y).names[-1] == "intercept"
    assert "gene3" in str(split_p_values(model, frame, y, splits=3))
    assert refit_table(model.fit(frame, y), frame, y).to_frame().attrs["condition"].startswith("conditional")


def test_the_same_seed_gives_the_same_answer_on_any_number_of_processors() -> None:
    X, y = data(60, 10, 0, {3: 1.0})
    with parallel_config("threading"):
        one, two = (split_p_values(SparseRegressor(at_most=2), X, y, splits=4, n_jobs=jobs) for jobs in (1, 2))
    assert_array_equal(one.p_values, two.p_values)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda X, y: split_p_values(SparseRegressor(at_most=5), X[:12], y[:12]), "only 6 rows are left to test"),
        (lambda X, y: split_p_values(SparseRegressor(), X, y, splits=0), "splits=0"),
        (lambda X, y: split_p_values(SparseRegressor(), X, y, share=1.5), "share=1.5"),
        (lambda X, y: stability_selection(SparseRegressor(), X, y, pairs=0), "pairs=0"),
        (lambda X, y: stability_selection(SparseRegressor(at_most=2), X, y, pairs=1).stable(0.4), "threshold=0.4"),
        (lambda X, y: refit_table(SparseRegressor(at_most=5).fit(X, y), X[:5], y[:5]), "too few"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(call: Any, sentence: str) -> None:
    X, y = data(40, 10, 0)
    with pytest.raises(ValueError, match=sentence):
        call(X, y)
