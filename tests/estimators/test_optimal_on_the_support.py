"""Whatever is asked for together: the budget is kept, and scipy finds nothing better on the support that was chosen."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.linear_model import GammaRegressor, PoissonRegressor, QuantileRegressor, TweedieRegressor

from atmostk import SparseClassifier, SparseRegressor
from atmostk.objectives import Huber, Quantile, Tweedie

N, P = 120, 14
GROUPS = np.arange(P) // 2
BOUNDS = (np.where(np.arange(P) % 3 == 0, 0.0, -np.inf), 0.6)


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(N, P))
    return (Z + 0.7 * np.roll(Z, 1, axis=1)) * np.linspace(0.5, 2, P) + np.linspace(-1, 30, P)


@pytest.fixture(scope="module")
def eta(X):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Z[:, [1, 4, 6, 9, 12]] @ [0.5, -0.6, 0.4, 0.4, -0.3] + 0.2


def target(loss, eta):
    rng = np.random.default_rng(3)
    name = loss if isinstance(loss, str) else type(loss).__name__
    return {
        "poisson": lambda: rng.poisson(np.exp(eta)).astype(float),
        "gamma": lambda: rng.gamma(3, np.exp(eta) / 3),
        "Tweedie": lambda: rng.poisson(np.exp(eta)) * rng.gamma(3, 1 / 3, size=N),
    }.get(name, lambda: eta + rng.standard_t(3, size=N))()


def best_on_support(model, loss, X, y, weights, ridge, bounds):
    """The least objective that L-BFGS finds with the model's nonzeros, started from the model and from zero."""
    support = model.support_
    A = X[:, support] - X[:, support].mean(axis=0)
    levels = ridge * np.average((X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights)[support]
    share = weights / weights.sum()

    def value(v):
        z = A @ v[:-1] + v[-1]
        losses, slopes = loss.loss(z, y), loss.slope(z, y) * share
        return losses @ share + levels @ v[:-1] ** 2 / 2, np.append(A.T @ slopes + levels * v[:-1], slopes.sum())

    box = [(None, None)] * (len(support) + 1)
    if bounds is not None:
        box = [(bounds[0][j], bounds[1]) for j in support] + [(None, None)]
    shift = model.intercept_ + X[:, support].mean(axis=0) @ model.coef_[support]
    starts = np.append(model.coef_[support], shift), np.zeros(len(support) + 1)
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10}
    return min(minimize(value, v, jac=True, method="L-BFGS-B", bounds=box, options=options).fun for v in starts)


LOSSES = ["squared_error", "poisson", "gamma", Huber(0.8), Quantile(0.7, smoothing=0.3), Tweedie(1.6)]
COMBINATIONS = list(product((None, BOUNDS), (None, GROUPS), (None, [3, 8]), (0.0, 0.05)))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_any_combination_keeps_its_rules_and_is_optimal_on_its_support(X, eta, loss):
    y, weights = target(loss, eta), np.random.default_rng(4).integers(1, 4, N).astype(float)
    for bounds, groups, always, ridge in COMBINATIONS:
        model = SparseRegressor(
            4, loss=loss, ridge=ridge, bounds=bounds, groups=groups, always=always, kicks=1
        ).fit(X, y, weights)  # fmt: skip
        labels = np.arange(P) if groups is None else groups
        assert len(np.unique(labels[model.support_])) <= 4
        assert set(always or []) <= set(model.support_)
        if bounds is not None:
            assert (model.coef_ >= bounds[0]).all()
            assert (model.coef_ <= bounds[1]).all()
        else:
            assert len(np.unique(labels[model.support_])) == 4
        best = best_on_support(model, model.loss_, X, y, weights, ridge, bounds)
        assert model.result_.value <= best + 1e-7 * abs(best), (bounds, groups, always, ridge)


@pytest.mark.parametrize(
    ("loss", "other"),
    [
        ("poisson", PoissonRegressor(alpha=0, tol=1e-9, max_iter=10**5)),
        ("gamma", GammaRegressor(alpha=0, tol=1e-9, max_iter=10**5)),
        (Tweedie(1.5), TweedieRegressor(power=1.5, alpha=0, link="log", tol=1e-9, max_iter=10**5)),
    ],
    ids=str,
)
def test_it_is_scikit_learns_model_on_the_chosen_features(X, eta, loss, other):
    Z, y = X - X.mean(axis=0), target(loss, eta)
    model = SparseRegressor(4, loss=loss).fit(Z, y)
    other.fit(Z[:, model.support_], y)
    assert_allclose(model.coef_[model.support_], other.coef_, rtol=1e-3, atol=1e-4)
    assert_allclose(model.predict(Z), other.predict(Z[:, model.support_]), rtol=1e-3)


@pytest.mark.parametrize("level", [0.25, 0.5, 0.9])
def test_the_smoothed_quantile_is_nearly_the_exact_one(X, eta, level):
    y = target("quantile", eta)
    model = SparseRegressor(3, loss=Quantile(level)).fit(X, y)
    exact = QuantileRegressor(quantile=level, alpha=0).fit(X[:, model.support_], y)
    pinball = Quantile(level)
    ours = pinball.loss(model.predict(X), y).mean()
    assert ours <= 1.02 * pinball.loss(exact.predict(X[:, model.support_]), y).mean()
    assert abs((y <= model.predict(X)).mean() - level) < 0.06


def test_hubers_threshold_follows_the_residuals_and_wild_rows_do_not_matter(X, eta):
    y = eta + 0.3 * np.random.default_rng(0).normal(size=N)
    wild = y.copy()
    wild[::10] += 300
    model = SparseRegressor(5, loss="huber").fit(X, wild)
    assert set(model.support_) == {1, 4, 6, 9, 12}
    assert 0.7 * 1.345 * 0.3 < model.loss_.threshold < 1.6 * 1.345 * 0.3
    assert_allclose(np.delete(model.predict(X), slice(None, None, 10)), np.delete(eta, slice(None, None, 10)), atol=0.4)


def test_classes_with_any_combination_are_optimal_on_their_support(X, eta):
    labels = (eta + np.random.default_rng(9).logistic(size=N) * 0.5 > 0).astype(int)
    from atmostk.objectives import Logistic

    weights = np.ones(N)
    for bounds, groups, always, ridge in COMBINATIONS:
        model = SparseClassifier(
            3, ridge=ridge, bounds=bounds, groups=groups, always=always, kicks=1
        ).fit(X, labels)  # fmt: skip
        flat = SparseRegressor()
        flat.support_, flat.coef_, flat.intercept_ = model.support_, model.coef_[0], model.intercept_[0]
        best = best_on_support(flat, Logistic(), X, labels, weights, ridge, bounds)
        assert model.result_.value <= best + 1e-7 * abs(best), (bounds, groups, always, ridge)


FAR_LOSSES = ["huber", "quantile", Quantile(0.9), Huber(1.0), Quantile(0.1, smoothing=0.5)]


@pytest.mark.parametrize(
    ("loss", "intercept"),
    [*((loss, True) for loss in FAR_LOSSES), *((loss, False) for loss in FAR_LOSSES[:4])],
    ids=str,
)
def test_a_target_far_from_zero_is_found_where_no_row_has_any_curvature_at_first(X, eta, loss, intercept):
    y = 20 * eta + 5000 + np.random.default_rng(1).normal(size=N)
    Z = X if intercept else np.column_stack((X, np.ones(N)))
    kept = None if intercept else [P]
    model = SparseRegressor(6, loss=loss, fit_intercept=intercept, always=kept).fit(Z, y)
    assert {1, 4, 6, 9, 12} <= set(model.support_)
    assert np.median(np.abs(model.predict(Z) - y)) < 3
    assert model.certificate_.basic_feasible
