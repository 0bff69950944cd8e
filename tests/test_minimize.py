"""The loop: what it returns, why it ends, what it refuses."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmostk import PIHT, AtMost, Problem, minimize
from atmostk.objectives import Logistic, SquaredError
from atmostk.samplers import Rows
from atmostk.solvers import Fixed
from atmostk.stopping import after_rows, after_seconds, after_steps, certified, no_progress, radius_below

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 10))
y = X[:, 3] * 2 - X[:, 7] + 0.1 * rng.normal(size=200)
PROBLEM = Problem(SquaredError(), Rows(X, y), AtMost(2))


def run(**changed: Any) -> Any:
    arguments: dict[str, Any] = {"stop": after_steps(100), "seed": 0} | changed
    return minimize(PROBLEM, PIHT(sample_size=Fixed(50)), np.zeros(10), **arguments)


def test_the_result_holds_the_answer_its_value_the_reason_and_the_history() -> None:
    result = run()
    assert_array_equal(result.support, [3, 7])
    assert_array_equal(np.flatnonzero(result.x), [3, 7])
    assert result.value == pytest.approx(PROBLEM.value(result.x))
    assert result.stop.reason == "100 steps were made."
    assert not result.stop.converged
    assert len(result.history) == len(result.history.seconds) == result.steps == 100
    assert result.history.seconds == sorted(result.history.seconds)
    assert result.state.rows == sum(r.gradient_rows + 2 * r.value_rows for r in result.history)


def test_the_same_seed_gives_the_same_answer_and_another_seed_another_path() -> None:
    first, again, other = run(seed=1), run(seed=1), run(seed=2)
    assert_array_equal(first.x, again.x)
    assert first.history[:] == again.history[:]
    assert first.history[:] != other.history[:]


@pytest.mark.parametrize(
    ("rule", "reason", "converged"),
    [
        (after_steps(7), "7 steps were made", False),
        (after_rows(1000), "rows were evaluated", False),
        (after_seconds(0.05), "0.05 seconds were over", False),
        (radius_below(1e-4), "the radius fell to", True),
        (no_progress(20), "did not fall by 1e-06 of itself over 20 steps", False),
        (certified(1e-3, every=10), "the gradient on the support fell to", True),
    ],
)
def test_each_rule_ends_the_run_with_its_sentence(rule: Any, reason: str, converged: bool) -> None:
    result = minimize(PROBLEM, PIHT(sample_size=Fixed(200)), np.zeros(10), stop=[rule, after_seconds(60)])
    assert reason in result.stop.reason
    assert result.stop.converged == converged


def test_the_first_rule_that_has_a_reason_is_the_one_that_is_told() -> None:
    assert run(stop=[after_steps(5), after_rows(1)]).steps == 1
    assert "rows" in run(stop=[after_steps(5), after_rows(1)]).stop.reason


def test_rules_that_are_already_met_leave_the_start() -> None:
    result = minimize(PROBLEM, PIHT(radius=1e-9), np.ones(10), stop=radius_below(1e-6))
    assert result.steps == 0
    assert np.count_nonzero(result.x) == 2
    assert result.value == pytest.approx(PROBLEM.value(result.x))


def test_callbacks_see_every_step() -> None:
    seen: list[int] = []
    run(callbacks=[lambda run: seen.append(run.steps)], stop=after_steps(5))
    assert seen == [1, 2, 3, 4, 5]


def test_progress_goes_to_standard_error_and_is_silent_unless_asked_for(capsys: Any) -> None:
    run(stop=after_steps(20))
    assert capsys.readouterr() == ("", "")
    run(stop=after_seconds(0.3), progress=True)
    assert capsys.readouterr().out == ""


def test_ctrl_c_ends_with_the_best_point_so_far() -> None:
    def interrupt(run: Any) -> None:
        if run.steps == 30:
            os.kill(os.getpid(), signal.SIGINT)

    result = run(callbacks=[interrupt], stop=after_steps(10**9))
    assert "interrupted after 30 steps" in result.stop.reason
    assert not result.stop.converged
    assert_array_equal(result.x, run(stop=after_steps(30)).x)


def test_an_error_in_a_callback_is_not_swallowed() -> None:
    def fail(run: Any) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        run(callbacks=[fail])


class NoGradient:
    def value(self, x: Any, sample: Any) -> float:
        return 0.0


@pytest.mark.parametrize(
    ("problem", "solver", "x0", "stop", "kind", "sentence"),
    [
        (PROBLEM, PIHT(), np.zeros(9), after_steps(1), ValueError, "x has 9 entries but X has 10 columns"),
        (PROBLEM, PIHT(), np.full(10, np.nan), after_steps(1), ValueError, "x0 holds NaN or infinity"),
        (
            PROBLEM,
            PIHT(),
            np.zeros((10, 1)),
            after_steps(1),
            ValueError,
            r"x of shape \(features,\), but x has shape \(10, 1\)",
        ),
        (PROBLEM, PIHT(), np.zeros(()), after_steps(1), TypeError, "must be an array of real numbers"),
        (PROBLEM, PIHT(), np.array(["a"]), after_steps(1), TypeError, "must be an array of real numbers"),
        (
            Problem(SquaredError, Rows(X, y), AtMost(2)),  # pyright: ignore
            PIHT(),
            np.zeros(10),
            after_steps(1),
            TypeError,
            r"the objective of this Problem is the class SquaredError: write SquaredError\(...\)",
        ),
        (PROBLEM, PIHT(), [0.0] * 10, after_steps(1), TypeError, "x0 is a list"),
        (PROBLEM, PIHT(), np.zeros(10), (), ValueError, "PIHT never ends by itself"),
        (PROBLEM, PIHT(), np.zeros(10), [1000], TypeError, "stop holds 1000, which is no rule"),
        (PROBLEM, PIHT, np.zeros(10), after_steps(1), TypeError, "is no solver"),
        ("problem", PIHT(), np.zeros(10), after_steps(1), TypeError, "minimize needs a Problem, not a str"),
        (
            Problem(NoGradient(), Rows(X, y), AtMost(2)),  # pyright: ignore
            PIHT(),
            np.zeros(10),
            after_steps(1),
            TypeError,
            "NoGradient cannot be the objective of a Problem: it has no gradient and no losses",
        ),
        (
            Problem(Logistic(), Rows(X, y), AtMost(2)),
            PIHT(),
            np.zeros(10),
            after_steps(1),
            ValueError,
            "Logistic needs labels 0 and 1",
        ),
        (
            Problem(Logistic(), Rows(X, np.zeros(200)), AtMost(2)),
            PIHT(),
            np.zeros(10),
            after_steps(1),
            ValueError,
            "Logistic needs rows of both classes",
        ),
        (
            Problem(SquaredError(), Rows(X), AtMost(2)),
            PIHT(),
            np.zeros(10),
            after_steps(1),
            TypeError,
            "give the sampler a target",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    problem: Any, solver: Any, x0: Any, stop: Any, kind: Any, sentence: str
) -> None:
    with pytest.raises(kind, match=sentence) as caught:
        minimize(problem, solver, x0, stop=stop)
    assert "\n" not in str(caught.value)


def test_arrays_of_two_libraries_are_not_mixed() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="x is a Tensor but the rows hold a ndarray"):
        minimize(PROBLEM, PIHT(), torch.zeros(10), stop=after_steps(1))


@pytest.mark.parametrize("seed", [-1, "a", 1.5, None])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ValueError, match="it must be a whole number of 0 or more"):
        run(seed=seed)


def test_a_folder_is_no_checkpoint(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="is a folder: name a file in it"):
        run(checkpoint=tmp_path)


def test_a_checkpoint_in_a_folder_that_is_not_there_is_refused_before_the_run(tmp_path: Any) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing"):
        run(checkpoint=tmp_path / "missing" / "run.npz", callbacks=[lambda run: pytest.fail("a step was made")])


def test_a_start_in_double_precision_does_not_copy_single_precision_rows_to_it() -> None:
    import tracemalloc

    wide = np.ones((2000, 500), np.float32)
    wide[:, 1:] = rng.normal(size=(2000, 499))
    problem = Problem(SquaredError(), Rows(wide, wide[:, 0]), AtMost(2))
    minimize(problem, PIHT(sample_size=Fixed(2000)), np.zeros(500), stop=after_steps(1))
    tracemalloc.start()
    minimize(problem, PIHT(sample_size=Fixed(2000)), np.zeros(500), stop=after_steps(3))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < wide.nbytes / 4


@pytest.mark.parametrize(
    "make",
    [
        lambda: after_steps(0),
        lambda: after_steps(1.5),  # pyright: ignore
        lambda: after_steps(True),
        lambda: after_seconds(-1),
        lambda: radius_below(float("nan")),
        lambda: no_progress(0),
        lambda: certified(1e-3, every=0),
    ],
)
def test_rules_out_of_range_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="number above 0"):
        make()
