"""Certificates against the paper's definitions, checked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmostk import AtMost, Problem, certify
from atmostk.constraints import AlwaysKept, AtMostGroups, WithinBox
from atmostk.objectives import Functions, Logistic, SquaredError
from atmostk.samplers import MappedRows, Rows, Simulator

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 6))
y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=50)
PROBLEM = Problem(SquaredError(), Rows(X, y), AtMost(2))


def refitted(columns: Any) -> Any:
    x = np.zeros(6)
    x[columns] = np.linalg.lstsq(X[:, columns], y, rcond=None)[0]
    return x


def test_a_refitted_full_support_is_basic_feasible_and_its_l_bar_is_the_papers() -> None:
    x = refitted([2, 3])
    found = certify(PROBLEM, x)
    gradient = PROBLEM.gradient(x)
    assert found.basic_feasible
    assert_allclose(found.l_bar, np.abs(gradient[[0, 1, 4, 5]]).max() / np.abs(x[[2, 3]]).min(), rtol=1e-9)
    assert_allclose(found.value, PROBLEM.value(x))
    assert found.is_l_stationary(1.01 * found.l_bar)
    assert not found.is_l_stationary(0.99 * found.l_bar)
    assert (found.rows, found.whole) == (50, True)


@pytest.mark.parametrize("columns", [[2, 3], [0, 1], [0, 4]])
def test_l_bar_is_where_definition_2_begins_to_hold(columns: Any) -> None:
    x = refitted(columns)
    gradient, l_bar = PROBLEM.gradient(x), certify(PROBLEM, x).l_bar
    gradient[columns] = 0
    for factor, keeps in ((1.001, True), (0.999, False)):
        moved = x - gradient / (factor * l_bar)
        assert (set(AtMost(2).choose(moved)) == set(columns)) == keeps


def test_a_point_with_slope_on_its_support_is_not_basic_feasible() -> None:
    x = np.zeros(6)
    x[:2] = 0.1
    found = certify(PROBLEM, x)
    assert not found.basic_feasible
    assert_allclose(found.slope, np.linalg.norm(PROBLEM.gradient(x)[:2]))
    assert not found.is_l_stationary(1e9)


def test_on_a_support_that_is_not_full_the_whole_gradient_must_vanish() -> None:
    x = refitted([0])
    found = certify(PROBLEM, x)
    assert not found.basic_feasible
    assert found.l_bar == np.inf
    assert_allclose(found.slope, np.linalg.norm(PROBLEM.gradient(x)))


def test_a_budget_that_covers_everything_is_certified_by_the_gradient_alone() -> None:
    problem = Problem(SquaredError(), Rows(X, y), AtMost(6))
    found = certify(problem, np.linalg.lstsq(X, y, rcond=None)[0])
    assert (found.basic_feasible, found.l_bar, found.best_exchange) == (True, 0.0, 0.0)


def test_the_best_exchange_is_exact_where_columns_are_orthogonal() -> None:
    Q, _ = np.linalg.qr(rng.normal(size=(50, 6)))
    Q *= np.sqrt(50)
    b = Q @ np.array([3.0, 1.0, 2.0, 0.1, 0.0, 0.5])
    problem = Problem(SquaredError(), Rows(Q, b), AtMost(2))
    x = np.array([3.0, 1.0, 0, 0, 0, 0])
    better = np.array([3.0, 0.0, 2.0, 0, 0, 0])
    assert_allclose(certify(problem, x).best_exchange, problem.value(x) - problem.value(better))
    assert certify(problem, better).best_exchange < 0


def orthogonal(truth: Any) -> tuple[Any, Any]:
    """Columns that do not touch each other: what one entry gains depends on no other."""
    Q = np.linalg.qr(np.random.default_rng(3).normal(size=(50, len(truth))))[0] * np.sqrt(50)
    return Q, Q @ np.array(truth)


def test_what_is_always_kept_neither_leaves_nor_enters() -> None:
    Q, b = orthogonal([0.1, 3.0, 1.0, 2.0])
    problem = Problem(SquaredError(), Rows(Q, b), AlwaysKept(AtMost(1), [0]))
    x = np.array([0.1, 3.0, 0.0, 0.0])
    assert_allclose(certify(problem, x).best_exchange, 2.0**2 / 2 - 3.0**2 / 2)


def test_an_entry_gains_what_its_bounds_allow() -> None:
    Q, b = orthogonal([1.0, 3.0, -2.0])
    problem = Problem(SquaredError(), Rows(Q, b), WithinBox(AtMost(1), -np.inf, 1.5))
    x = np.array([1.0, 0.0, 0.0])
    # -2 is within the bounds and gains 2; 3 is cut to 1.5 and gains 3 * 1.5 - 1.5^2 / 2 = 3.375.
    assert_allclose(certify(problem, x).best_exchange, 3.375 - 0.5)
    free = Problem(SquaredError(), Rows(Q, b), AtMost(1))
    assert_allclose(certify(free, x).best_exchange, 4.5 - 0.5)


def test_a_group_enters_and_leaves_as_one() -> None:
    Q, b = orthogonal([2.0, 2.0, 3.0, 0.5])
    problem = Problem(SquaredError(), Rows(Q, b), AtMostGroups(1, [0, 0, 1, 1]))
    x = np.array([0.0, 0.0, 3.0, 0.5])
    better = np.array([2.0, 2.0, 0.0, 0.0])
    gain = problem.value(x) - problem.value(better)
    assert_allclose(certify(problem, x).best_exchange, gain, atol=1e-12)
    assert gain < 0


def test_data_in_blocks_gives_the_certificate_of_the_whole(tmp_path: Any) -> None:
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = Problem(SquaredError(), MappedRows(tmp_path / "X.npy", tmp_path / "y.npy", block_bytes=500), AtMost(2))
    one, other = certify(mapped, refitted([0, 4])), certify(PROBLEM, refitted([0, 4]))
    assert_allclose([one.value, one.l_bar, one.best_exchange], [other.value, other.l_bar, other.best_exchange])
    assert one.whole


def test_a_stated_sample_is_said_to_be_one() -> None:
    sample = PROBLEM.sampler.draw(20, np.random.default_rng(0))
    found = certify(PROBLEM, refitted([0, 1]), sample=sample)
    assert (found.rows, found.whole) == (20, False)
    assert "a sample of 20 rows" in str(found)
    endless = Problem(SquaredError(), Simulator(lambda count, rng: (X, y), evaluation=50), AtMost(2))
    assert not certify(endless, refitted([0, 1])).whole


def test_an_objective_without_curvature_predicts_no_exchange() -> None:
    plain = Problem(Functions(lambda x, _: float(x @ x), lambda x, _: 2 * x), Rows(np.eye(3)), AtMost(1))
    certificate = certify(plain, np.array([1.0, 0, 0]))
    assert np.isnan(certificate.best_exchange)
    assert "nan" not in str(certificate)


def test_torch_points_are_certified_alike() -> None:
    torch = pytest.importorskip("torch")
    labels = (y > 0) * 1.0
    x = refitted([0, 1])
    ours = certify(Problem(Logistic(), Rows(X, labels), AtMost(2)), x)
    theirs = certify(Problem(Logistic(), Rows(torch.tensor(X), torch.tensor(labels)), AtMost(2)), torch.tensor(x))
    assert_allclose([ours.value, ours.slope, ours.l_bar], [theirs.value, theirs.slope, theirs.l_bar])


def test_an_entry_that_is_always_kept_changes_nothing_about_how_l_is_found() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 6)), rng.normal(size=30)
    x = np.array([0.5, 0, -0.2, 0, 0.1, 0])
    alone = certify(Problem(SquaredError(), Rows(X, y), AlwaysKept(AtMost(2), entries=[4])), x)
    boxed = certify(Problem(SquaredError(), Rows(X, y), WithinBox(AlwaysKept(AtMost(2), entries=[4]))), x)
    assert_allclose(alone.l_bar, boxed.l_bar, rtol=1e-6)
