"""Exchange on losses that offer a value and a gradient only: the best support, whatever the loss is written in."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize as scipy_minimize

from atmostk import AtMost, Exchange, Problem, minimize
from atmostk.constraints import AlwaysKept, AtMostEdges, AtMostGroups, WithinBox
from atmostk.objectives import Functions, Logistic, SquaredError, with_ridge
from atmostk.samplers import Rows
from atmostk.stopping import after_steps

ROWS, COLUMNS = 60, 8


def data(seed: int = 0, label: bool = True) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, COLUMNS))
    X[:, 1:] += 0.6 * X[:, :-1]
    z = X @ np.array([1.0, 0, -1, 0, 0.7, 0, 0, 0.5])
    return X, (rng.random(ROWS) < 1 / (1 + np.exp(-z))).astype(float) if label else z + rng.normal(size=ROWS)


def logistic_value(x: Any, batch: Any) -> float:
    z = batch[0] @ x
    return float(np.mean(np.logaddexp(0.0, z) - batch[1] * z))


def logistic_gradient(x: Any, batch: Any) -> Any:
    return batch[0].T @ (1 / (1 + np.exp(-batch[0] @ x)) - batch[1]) / len(batch[1])


def torch_logistic() -> Any:
    torch = pytest.importorskip("torch")
    from atmostk.objectives import TorchLoss

    def losses(x: Any, batch: Any) -> Any:
        z = batch[0] @ x
        return torch.nn.functional.softplus(z) - batch[1] * z

    return TorchLoss(losses)


def jax_logistic() -> Any:
    pytest.importorskip("jax")
    import jax.numpy as jnp

    from atmostk.objectives import JaxLoss

    def losses(x: Any, batch: Any) -> Any:
        z = batch[0] @ x
        return jnp.logaddexp(0.0, z) - batch[1] * z

    return JaxLoss(losses)


class Bumpy:
    """A loss with value and gradient alone, of no known form: mean of log(1 + r^2 / 2), not convex."""

    def value(self, x: Any, sample: Any, /) -> float:
        X, y = sample.data
        return float(np.mean(np.log1p((X @ x - y) ** 2 / 2)))

    def gradient(self, x: Any, sample: Any, /) -> Any:
        X, y = sample.data
        rest = X @ x - y
        return X.T @ (rest / (1 + rest * rest / 2)) / len(y)

    def losses(self, x: Any, sample: Any, /) -> Any:
        raise AssertionError("nobody asks")


LOSSES: dict[str, Any] = {
    "functions": lambda: Functions(logistic_value, logistic_gradient),
    "torch": torch_logistic,
    "jax": jax_logistic,
}


def best_by_trying_all(problem: Any, supports: Any, x0: Any) -> float:
    """The least objective over these supports, each fitted by SciPy."""
    lower, upper = (problem.constraint.unlimited(np.full(x0.size, far)) for far in (-np.inf, np.inf))
    best = np.inf
    for support in map(np.array, supports):

        def at(values: Any, support: Any = support) -> Any:
            x = np.zeros(x0.size)
            x[support] = values
            return problem.value(x), problem.gradient(x)[support]

        found = scipy_minimize(
            at, np.zeros(support.size), jac=True, method="L-BFGS-B",
            bounds=list(zip(lower[support], upper[support], strict=True)), options={"ftol": 1e-14, "gtol": 1e-9},
        )  # fmt: skip
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize("name", LOSSES)
def test_finds_the_best_of_all_supports_whatever_the_loss_is_written_in(name: str) -> None:
    loss = LOSSES[name]()
    accuracy = 1e-5 if name == "jax" else 1e-7  # JAX computes in single precision unless told otherwise
    for seed in range(2):
        truth = Problem(with_ridge(Logistic(), 1e-3), Rows(*data(seed)), AtMost(3))
        problem = Problem(with_ridge(loss, 1e-3), Rows(*data(seed)), AtMost(3))
        result = minimize(problem, Exchange(), np.zeros(COLUMNS), seed=seed)
        best = best_by_trying_all(truth, itertools.combinations(range(COLUMNS), 3), np.zeros(COLUMNS))
        assert truth.value(result.x) == pytest.approx(best, rel=accuracy)
        assert result.stop.converged


@pytest.mark.parametrize("name", LOSSES)
def test_agrees_with_the_landscape_that_knows_the_loss(name: str) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 60))
    X[:, 1:] += 0.7 * X[:, :-1]
    y = (rng.random(300) < 1 / (1 + np.exp(-X[:, ::6].sum(axis=1)))).astype(float)
    known, general = (
        minimize(Problem(with_ridge(loss, 1e-2), Rows(X, y), AtMost(10)), Exchange(), np.zeros(60))
        for loss in (Logistic(), LOSSES[name]())
    )
    assert_array_equal(general.support, known.support)
    assert_allclose(general.x, known.x, atol=2e-3 if name == "jax" else 1e-5)


def test_a_loss_that_is_not_convex_is_taken_down_to_the_best_support() -> None:
    problem = Problem(Bumpy(), Rows(*data(1, label=False)), AtMost(3))
    result = minimize(problem, Exchange(kicks=5), np.zeros(COLUMNS))
    best = best_by_trying_all(problem, itertools.combinations(range(COLUMNS), 3), np.zeros(COLUMNS))
    assert result.value <= best + 1e-7


@pytest.mark.parametrize("name", ["functions", "torch"])
def test_bounds_and_kept_entries_are_respected(name: str) -> None:
    constraint = AlwaysKept(WithinBox(AtMost(2), 0.0, 0.4), entries=[6])
    problem = Problem(LOSSES[name](), Rows(*data(3)), constraint)
    result = minimize(problem, Exchange(kicks=5), np.zeros(COLUMNS))
    supports = [(*chosen, 6) for chosen in itertools.combinations((0, 1, 2, 3, 4, 5, 7), 2)]
    assert result.value == pytest.approx(best_by_trying_all(problem, supports, np.zeros(COLUMNS)), rel=1e-6)
    assert (result.x >= 0).all()
    assert (result.x <= 0.4).all()
    assert 6 in result.support


@pytest.mark.parametrize("name", ["functions", "torch"])
def test_groups_enter_and_leave_as_blocks(name: str) -> None:
    groups = [0, 0, 1, 1, 1, 2, 3, 3]
    problem = Problem(LOSSES[name](), Rows(*data(2)), AtMostGroups(2, groups))
    result = minimize(problem, Exchange(), np.zeros(COLUMNS))
    supports = [np.flatnonzero(np.isin(groups, pair)) for pair in itertools.combinations(range(4), 2)]
    assert result.value == pytest.approx(best_by_trying_all(problem, supports, np.zeros(COLUMNS)), rel=1e-7)


def test_a_symmetric_matrix_stays_symmetric() -> None:
    wanted = np.array([[2.0, 1.0, 0.1], [1.0, 3.0, -2.0], [0.1, -2.0, 1.0]])
    loss = Functions(lambda x, _: float(((x - wanted) ** 2).sum() / 2), lambda x, _: x - wanted)
    result = minimize(Problem(loss, Rows(np.zeros((2, 1))), AtMostEdges(1)), Exchange(), np.zeros((3, 3)))
    assert_allclose(result.x, [[2.0, 0, 0], [0, 3.0, -2.0], [0, -2.0, 1.0]], atol=1e-7)
    assert_array_equal(result.x, result.x.T)


def test_a_quadratic_objective_costs_each_column_once() -> None:
    calls = {"value": 0, "gradient": 0}

    def value(x: Any, batch: Any) -> float:
        calls["value"] += 1
        return float(np.mean((batch[0] @ x - batch[1]) ** 2) / 2)

    def gradient(x: Any, batch: Any) -> Any:
        calls["gradient"] += 1
        return batch[0].T @ (batch[0] @ x - batch[1]) / len(batch[1])

    loss = Functions(value, gradient)
    X, y = data(0, label=False)
    result = minimize(Problem(loss, Rows(X, y), AtMost(3)), Exchange(kicks=10), np.zeros(COLUMNS))
    known = minimize(Problem(SquaredError(), Rows(X, y), AtMost(3)), Exchange(), np.zeros(COLUMNS))
    assert_array_equal(result.support, known.support)
    fits = 3 * 10 + 20
    assert calls["gradient"] < COLUMNS + 3 * fits
    assert calls["value"] <= calls["gradient"] - COLUMNS  # a column takes no value


def test_columns_of_very_different_scales_are_told_by_what_they_gain() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12)) * 10.0 ** np.arange(-4, 8)
    truth = np.zeros(12)
    truth[[0, 5, 11]] = 1 / X[:, [0, 5, 11]].std(axis=0)
    y = (rng.random(200) < 1 / (1 + np.exp(-2 * X @ truth))).astype(float)
    problem = Problem(Functions(logistic_value, logistic_gradient), Rows(X, y), AtMost(3))
    assert_array_equal(minimize(problem, Exchange(), np.zeros(12)).support, [0, 5, 11])


def test_tensors_stay_tensors_in_single_precision() -> None:
    torch = pytest.importorskip("torch")
    X, y = (torch.tensor(part, dtype=torch.float32) for part in data(0))
    result = minimize(Problem(torch_logistic(), Rows(X, y), AtMost(3)), Exchange(), torch.zeros(COLUMNS))
    exact = minimize(Problem(Logistic(), Rows(*data(0)), AtMost(3)), Exchange(), np.zeros(COLUMNS))
    assert result.x.dtype == torch.float32
    assert_array_equal(result.support, exact.support)
    assert_allclose(result.x.numpy(), exact.x, atol=1e-3)


def test_classes_told_apart_without_error_end_with_advice() -> None:
    X, y = data(0)
    X[:, 2] = 2 * y - 1
    problem = Problem(Functions(logistic_value, logistic_gradient), Rows(X, y), AtMost(2))
    with pytest.warns(RuntimeWarning, match="add a ridge"):
        result = minimize(problem, Exchange(), np.zeros(COLUMNS))
    assert 2 in result.support
    assert np.isfinite(result.x).all()


def test_an_interrupted_run_goes_on_to_the_same_answer(tmp_path: Any) -> None:
    problem = Problem(Functions(logistic_value, logistic_gradient), Rows(*data(5)), AtMost(3))
    whole = minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1)
    file = tmp_path / "run.npz"
    minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1, stop=after_steps(6), checkpoint=file)
    rest = minimize(problem, Exchange(kicks=6), np.zeros(COLUMNS), seed=1, checkpoint=file)
    assert_array_equal(rest.support, whole.support)
    assert_allclose(rest.x, whole.x, rtol=1e-6)
    assert_allclose(rest.history.column("value"), whole.history.column("value"), rtol=1e-9)
