"""Exchange: the best support where it can be known, under every budget, and the same answer however it is asked for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array
from sklearn.datasets import load_breast_cancer, load_wine

from atmostk import AtMost, Exchange, Problem, certify, minimize
from atmostk.constraints import AlwaysKept, AtMostGroups, OnSimplex, WithinBox
from atmostk.objectives import Huber, Logistic, Multinomial, Poisson, SquaredError, WithIntercept, with_ridge
from atmostk.samplers import Rows
from atmostk.stopping import after_steps

ROWS, COLUMNS = 60, 8


def data(kind: str, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[:, 1:] += 0.6 * X[:, :-1]
    z = X @ np.array([1.0, 0, -1, 0, 0.7, 0, 0, 0.5])
    y = {
        "real": z + rng.normal(size=ROWS),
        "label": (rng.random(ROWS) < 1 / (1 + np.exp(-z))).astype(float),
        "count": rng.poisson(np.exp(0.5 * z)).astype(float),
        "class": np.clip(np.digitize(z + rng.normal(size=ROWS), [-1.0, 1.0]), 0, 2).astype(float),
    }[kind]
    return X, y


LOSSES: dict[str, tuple[Any, str]] = {
    "squared error": (SquaredError(), "real"),
    "logistic": (Logistic(), "label"),
    "poisson": (Poisson(), "count"),
    "huber": (Huber(1.0), "real"),
}


def best_by_trying_all(problem: Any, supports: Any, x0: Any) -> float:
    """The least objective over these supports, each fitted by the solver's own certificate-checked refit."""
    from scipy.optimize import minimize as scipy_minimize

    lower, upper = (
        problem.constraint.unlimited(np.full(x0.size, -np.inf)),
        problem.constraint.unlimited(np.full(x0.size, np.inf)),
    )
    best = np.inf
    for support in supports:
        support = np.array(support)

        def at(values: Any, support: Any = support) -> Any:
            x = np.zeros(x0.size)
            x[support] = values
            x = x.reshape(x0.shape)
            return problem.value(x), problem.gradient(x).ravel()[support]

        found = scipy_minimize(
            at, np.zeros(support.size), jac=True, method="L-BFGS-B",
            bounds=list(zip(lower[support], upper[support], strict=True)), options={"ftol": 1e-14, "gtol": 1e-9},
        )  # fmt: skip
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize("name", LOSSES)
def test_finds_the_best_of_all_supports(name: str) -> None:
    loss, kind = LOSSES[name]
    for seed in range(3):
        problem = Problem(with_ridge(loss, 1e-3), Rows(*data(kind, seed)), AtMost(3))
        result = minimize(problem, Exchange(kicks=5), np.zeros(COLUMNS), seed=seed)
        best = best_by_trying_all(problem, itertools.combinations(range(COLUMNS), 3), np.zeros(COLUMNS))
        assert result.value == pytest.approx(best, rel=1e-7)
        assert result.stop.converged
        assert len(result.support) == 3


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_kept_entries_weights_and_an_intercept_go_together(name: str, weighted: bool) -> None:
    loss, kind = LOSSES[name]
    X, y = data(kind, 3)
    weights = np.random.default_rng(5).random(ROWS) if weighted else None
    lower = np.append(np.zeros(COLUMNS), -np.inf)
    constraint = AlwaysKept(WithinBox(AtMost(2), lower, 0.8), entries=[6, COLUMNS])
    problem = Problem(with_ridge(WithIntercept(loss), 1e-3), Rows(X, y, weights), constraint)
    x0 = np.zeros(COLUMNS + 1)
    result = minimize(problem, Exchange(kicks=5), x0)
    supports = [(*chosen, 6, 8) for chosen in itertools.combinations((0, 1, 2, 3, 4, 5, 7), 2)]
    assert result.value == pytest.approx(best_by_trying_all(problem, supports, x0), rel=1e-6)
    assert (result.x[:-1] >= 0).all()
    assert (result.x <= 0.8).all()


def test_groups_enter_and_leave_as_one() -> None:
    groups = [0, 0, 1, 1, 1, 2, 3, 3]
    for seed in range(3):
        X, y = data("real", seed)
        problem = Problem(SquaredError(), Rows(X, y), AtMostGroups(2, groups))
        result = minimize(problem, Exchange(kicks=2), np.zeros(COLUMNS))
        supports = [np.flatnonzero(np.isin(groups, pair)) for pair in itertools.combinations(range(4), 2)]
        assert result.value == pytest.approx(best_by_trying_all(problem, supports, np.zeros(COLUMNS)), rel=1e-8)


@pytest.mark.parametrize("by_feature", [False, True])
def test_several_classes_count_a_feature_once_or_once_for_each_class(by_feature: bool) -> None:
    X, y = data("class", 1)
    X = X[:, :4]
    x0 = np.zeros((5, 3))
    groups = np.repeat(np.arange(5), 3)
    budget = AtMostGroups(2, groups) if by_feature else AtMost(3)
    constraint = AlwaysKept(budget, entries=[12, 13, 14])
    problem = Problem(with_ridge(WithIntercept(Multinomial()), 1e-2), Rows(X, y), constraint)
    result = minimize(problem, Exchange(kicks=5), x0)
    chosen = (
        [np.flatnonzero(np.isin(groups, pair)) for pair in itertools.combinations(range(4), 2)]
        if by_feature
        else itertools.combinations(range(12), 3)
    )
    supports = [np.append(np.array(some), [12, 13, 14]) for some in chosen]
    best = best_by_trying_all(problem, supports, x0)
    assert result.value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_sparse_rows_give_the_answer_of_dense_ones(name: str, form: Any) -> None:
    loss, kind = LOSSES[name]
    X, y = data(kind)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = (
        minimize(Problem(WithIntercept(loss), Rows(rows, y), AlwaysKept(AtMost(3), [8])), Exchange(), np.zeros(9))
        for rows in (X, form(X))
    )
    assert_array_equal(sparse.support, dense.support)
    assert_allclose(sparse.x, dense.x, atol=1e-6)


def test_single_precision_stays_and_finds_the_same_support() -> None:
    X, y = data("real")
    double = minimize(Problem(SquaredError(), Rows(X, y), AtMost(3)), Exchange(), np.zeros(COLUMNS))
    rows = Rows(X.astype(np.float32), y.astype(np.float32))
    single = minimize(Problem(SquaredError(), rows, AtMost(3)), Exchange(), np.zeros(COLUMNS, np.float32))
    assert single.x.dtype == np.float32
    assert_array_equal(single.support, double.support)
    assert_allclose(single.x, double.x, atol=1e-5)


def test_the_answer_is_optimal_on_its_support() -> None:
    for name, (loss, kind) in LOSSES.items():
        problem = Problem(loss, Rows(*data(kind)), AtMost(3))
        result = minimize(problem, Exchange(), np.zeros(COLUMNS))
        certificate = certify(problem, result.x, tolerance=1e-4)
        assert certificate.basic_feasible, name
        assert result.value == pytest.approx(certificate.value)


def test_the_gain_of_an_exchange_is_what_refitting_gives() -> None:
    X, y = data("real")
    problem = Problem(SquaredError(), Rows(X, y), AtMost(3))
    solver = Exchange()
    state = solver.start(problem, np.zeros(COLUMNS), np.random.default_rng(0))
    landscape = state.landscape
    point = landscape.refit(state.point, np.array([1, 3, 5]))
    model = landscape.model(point, np.arange(COLUMNS))
    for leaves, enters, gain in model.exchanges(point.units, 3):
        after = landscape.refit(point, np.sort(np.append(np.setdiff1d(point.units, leaves), enters)))
        assert point.value - after.value == pytest.approx(gain, rel=1e-5)


@pytest.mark.parametrize("inside", [1, 6])
def test_a_start_with_fewer_or_more_units_grows_or_comes_down_to_the_budget(inside: int) -> None:
    problem = Problem(SquaredError(), Rows(*data("real")), AtMost(3))
    x0 = np.zeros(COLUMNS)
    x0[:inside] = 1.0
    assert_array_equal(
        minimize(problem, Exchange(), x0).support, minimize(problem, Exchange(), np.zeros(COLUMNS)).support
    )


@pytest.mark.parametrize("at_most", [0, COLUMNS, 50])
def test_a_budget_of_nothing_or_of_everything_is_a_plain_fit(at_most: int) -> None:
    X, y = data("real")
    problem = Problem(WithIntercept(SquaredError()), Rows(X, y), AlwaysKept(AtMost(at_most), [COLUMNS]))
    result = minimize(problem, Exchange(), np.zeros(COLUMNS + 1))
    columns = np.column_stack([X[:, : min(at_most, COLUMNS)], np.ones(ROWS)])
    expected = np.linalg.lstsq(columns, y, rcond=None)[0]
    assert_allclose(result.x[np.append(np.arange(min(at_most, COLUMNS)), COLUMNS)], expected, atol=1e-6)


def test_duplicate_constant_and_empty_columns_do_no_harm() -> None:
    X, y = data("real")
    X = np.column_stack([X, X[:, 0], np.ones(ROWS), np.zeros(ROWS)])
    problem = Problem(SquaredError(), Rows(X, y), AtMost(6))
    result = minimize(problem, Exchange(), np.zeros(X.shape[1]))
    assert np.isfinite(result.x).all()
    assert len(result.support) == 6


def test_the_same_seed_gives_the_same_answer() -> None:
    problem = Problem(SquaredError(), Rows(*data("real")), AtMost(3))
    first, again = (minimize(problem, Exchange(kicks=4), np.zeros(COLUMNS), seed=7) for _ in range(2))
    assert_array_equal(first.x, again.x)
    assert first.history[:] == again.history[:]


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path: Any) -> None:
    problem = Problem(Logistic(), Rows(*data("label")), AtMost(3))
    whole = minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1)
    file = tmp_path / "run.npz"
    part = minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1, stop=after_steps(6), checkpoint=file)
    assert part.steps == 6
    rest = minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1, checkpoint=file)
    assert_array_equal(rest.support, whole.support)
    assert_allclose(rest.x, whole.x, rtol=1e-8)
    assert [record.phase for record in rest.history] == [record.phase for record in whole.history]


def test_more_kicks_never_give_a_worse_answer() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 60))
    for column in range(1, 60):
        X[:, column] += 0.9 * X[:, column - 1]
    y = X[:, ::6].sum(axis=1) + rng.normal(size=40)
    problem = Problem(SquaredError(), Rows(X, y), AtMost(8))
    values = [minimize(problem, Exchange(kicks=kicks), np.zeros(60), seed=3).value for kicks in (0, 3, 30)]
    assert values[0] >= values[1] >= values[2]


def test_a_constraint_that_counts_no_units_is_refused_with_a_sentence() -> None:
    problem = Problem(SquaredError(), Rows(*data("real")), OnSimplex(AtMost(2)))
    with pytest.raises(TypeError, match="OnSimplex has no limit on a number of units to exchange"):
        minimize(problem, Exchange(), np.zeros(COLUMNS))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kicks": -1}, "kicks=-1"),
        ({"drop": 0.0}, "drop=0.0"),
        ({"pool": 0}, "pool=0"),
        ({"stages": (0.5,)}, "must rise to 1"),
    ],
)
def test_wrong_numbers_are_refused_with_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Exchange(**wrong)


@pytest.mark.parametrize("several", [False, True])
def test_columns_far_from_their_mean_do_no_harm_where_an_intercept_takes_it_up(several: bool) -> None:
    data = load_wine() if several else load_breast_cancer()
    Z = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    p, classes = Z.shape[1], 3 if several else 1

    def answer(X: Any) -> Any:
        budget = AtMostGroups(4, groups=np.repeat(np.arange(p + 1), classes))
        constraint = AlwaysKept(budget, np.arange(p * classes, (p + 1) * classes))
        loss = WithIntercept(Multinomial() if several else Logistic())
        start = np.zeros((p + 1, classes) if several else p + 1)
        return minimize(Problem(loss, Rows(X, data.target.astype(float)), constraint), Exchange(), start)

    there, here = answer(data.data), answer(Z)
    assert_array_equal(there.support, here.support)
    assert_allclose(there.value, here.value, rtol=1e-4, atol=1e-12)  # where classes come apart both tend to zero


@pytest.mark.parametrize("name", LOSSES)
def test_tensors_in_memory_give_the_answer_of_arrays(name: str) -> None:
    torch = pytest.importorskip("torch")
    loss, kind = LOSSES[name]
    X, y = data(kind)
    problem = Problem(loss, Rows(torch.tensor(X), torch.tensor(y)), AtMost(3))
    result = minimize(problem, Exchange(), torch.zeros(COLUMNS, dtype=torch.float64))
    assert isinstance(result.x, torch.Tensor)
    expected = minimize(Problem(loss, Rows(X, y), AtMost(3)), Exchange(), np.zeros(COLUMNS))
    assert_array_equal(result.x.numpy(), expected.x)


@pytest.mark.parametrize("name", ["squared error", "logistic"])
def test_a_search_on_some_of_many_rows_ends_where_one_on_all_rows_does_and_reads_less(name: str) -> None:
    loss, _ = LOSSES[name]
    rng = np.random.default_rng(8)
    X = rng.normal(size=(40_000, 30)).astype(np.float32)
    X[:, 1:] += 0.6 * X[:, :-1]
    z = X[:, ::6].sum(axis=1)
    y = z + rng.normal(size=len(z)) if name == "squared error" else rng.random(len(z)) < 1 / (1 + np.exp(-z))
    problem = Problem(loss, Rows(X, y.astype(np.float32)), AtMost(5))
    sampled, whole = (minimize(problem, Exchange(sample=share), np.zeros(30, np.float32)) for share in (0.125, 0))
    assert_array_equal(sampled.support, np.arange(0, 30, 6))
    assert_allclose(sampled.x, whole.x, rtol=1e-4)
    assert sampled.value == pytest.approx(whole.value, rel=1e-6)
    assert sampled.state.rows <= 8 * len(X) < whole.state.rows
    assert sampled.history[0].sample == 2000
    assert sampled.history[-1].sample == 0


def test_sparse_columns_that_few_rows_show_are_found() -> None:
    rng = np.random.default_rng(4)
    rows, columns, each = 20_000, 5_000, 10
    where = np.minimum((columns * rng.random((rows, each)) ** 3).astype(np.int32), columns - 1)
    X = csr_array((np.ones(rows * each), where.ravel(), np.arange(0, rows * each + 1, each)), shape=(rows, columns))
    X.sum_duplicates()
    truth = np.zeros(columns)
    truth[rng.choice(np.flatnonzero(np.bincount(X.indices, minlength=columns) > 60), 20, replace=False)] = 3.0
    y = (rng.random(rows) < 1 / (1 + np.exp(1 - X @ truth))).astype(float)
    problem = Problem(WithIntercept(Logistic()), Rows(X, y), AlwaysKept(AtMost(20), [columns]))
    found = minimize(problem, Exchange(), np.zeros(columns + 1))
    assert np.isin(np.flatnonzero(truth), found.support).mean() >= 0.95
