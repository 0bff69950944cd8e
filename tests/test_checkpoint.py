"""A run killed at any moment and started again ends as if nothing had happened; what is no checkpoint is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmostk import IHT, PIHT, AtMost, Problem, minimize
from atmostk.objectives import SquaredError
from atmostk.samplers import Rows
from atmostk.solvers import Fixed
from atmostk.stopping import after_steps

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 10))
y = X[:, 3] * 2 - X[:, 7] + 0.1 * rng.normal(size=200)
PROBLEM = Problem(SquaredError(), Rows(X, y), AtMost(2))
SOLVER = PIHT(sample_size=Fixed(50), memory=0.5)


def run(steps: int = 60, **changed: Any) -> Any:
    arguments: dict[str, Any] = {"seed": 0} | changed
    return minimize(PROBLEM, SOLVER, np.zeros(10), stop=after_steps(steps), **arguments)


def same(one: Any, other: Any) -> None:
    assert_array_equal(one.x, other.x)
    assert_array_equal(one.support, other.support)
    assert one.value == other.value
    assert one.history[:] == other.history[:]
    assert one.state.radius == other.state.radius
    assert one.state.rows == other.state.rows


@pytest.mark.parametrize("first", [1, 7, 59, 60])
def test_a_run_in_two_parts_is_the_run_in_one(tmp_path: Path, first: int) -> None:
    run(first, checkpoint=tmp_path / "run", every=5)
    same(run(60, checkpoint=tmp_path / "run", every=5), run(60))


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    first = run(checkpoint=tmp_path / "run")
    calls: list[int] = []
    again = run(checkpoint=tmp_path / "run", callbacks=[lambda _: calls.append(1)])
    same(first, again)
    assert calls == []
    assert again.seconds == first.seconds


def test_an_interrupted_run_goes_on_from_where_it_was(tmp_path: Path) -> None:
    def interrupt(run: Any) -> None:
        if run.steps == 33:
            raise KeyboardInterrupt

    cut = run(checkpoint=tmp_path / "run", every=1000, callbacks=[interrupt])
    assert cut.steps == 33
    same(run(checkpoint=tmp_path / "run"), run())


def test_tensors_come_back_as_tensors(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    problem = Problem(SquaredError(), Rows(torch.tensor(X), torch.tensor(y)), AtMost(2))
    results = []
    for steps, file in ((20, "run"), (60, "run"), (60, None)):
        place = tmp_path / file if file else None
        results.append(
            minimize(problem, SOLVER, torch.zeros(10, dtype=torch.float64), stop=after_steps(steps), checkpoint=place)
        )
    assert isinstance(results[1].x, torch.Tensor)
    same(results[1], results[2])


def test_every_solver_can_be_resumed(tmp_path: Path) -> None:
    for solver in (PIHT(), IHT()):
        place = tmp_path / type(solver).__name__
        minimize(PROBLEM, solver, np.zeros(10), stop=after_steps(3), checkpoint=place)
        resumed = minimize(PROBLEM, solver, np.zeros(10), stop=after_steps(9), checkpoint=place)
        assert_array_equal(resumed.x, minimize(PROBLEM, solver, np.zeros(10), stop=after_steps(9)).x)


KILLED = """
import sys, numpy as np
from pathlib import Path
from atmostk import AtMost, PIHT, Problem, minimize
from atmostk.objectives import SquaredError
from atmostk.samplers import Rows
from atmostk.solvers import Fixed
from atmostk.stopping import after_steps

rng = np.random.default_rng(1)
X = rng.normal(size=(300, 20))
y = X[:, 0] + rng.normal(size=300)
result = minimize(
    Problem(SquaredError(), Rows(X, y), AtMost(4)), PIHT(sample_size=Fixed(30), factor=1.01), np.zeros(20),
    stop=after_steps(6000), seed=3, checkpoint=Path(sys.argv[1]) if sys.argv[1] else None, every=7,
)
print(result.x.tobytes().hex(), result.value.hex(), result.state.radius.hex(), sum(result.history.column("accepted")))
"""


def started(place: str) -> Any:
    return subprocess.Popen([sys.executable, "-c", KILLED, place], stdout=subprocess.PIPE, text=True, env=os.environ)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_run_killed_at_any_moment_ends_bit_for_bit_as_one_that_was_not(tmp_path: Path) -> None:
    place, moments = tmp_path / "run", np.random.default_rng(int(time.time()))
    kills = 0
    while kills < 12:
        process = started(str(place))
        while not place.exists() and process.poll() is None:
            time.sleep(0.01)
        try:
            process.wait(timeout=float(moments.uniform(0.0, 0.6)))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert kills >= 1
    resumed, _ = started(str(place)).communicate()
    undisturbed, _ = started("").communicate()
    assert resumed
    assert resumed == undisturbed


def damaged(place: Path, how: str) -> None:
    whole = place.read_bytes()
    if how == "empty":
        place.write_bytes(b"")
    elif how == "truncated":
        place.write_bytes(whole[: len(whole) // 2])
    elif how == "one bit":
        middle = len(whole) // 3
        place.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    elif how == "text":
        place.write_text("name,value\n1,2\n")
    elif how == "an array":
        np.save(place.with_suffix(".npy"), X)
        place.with_suffix(".npy").replace(place)
    elif how == "other arrays":
        np.savez(place.with_suffix(".npz"), X=X)
        place.with_suffix(".npz").replace(place)
    elif how == "a pickle":
        np.savez(place.with_suffix(".npz"), header=np.array([{"format": 1}], dtype=object))
        place.with_suffix(".npz").replace(place)
    elif how == "another version":
        header = {"format": "atmostk run 0"}
        np.savez(place.with_suffix(".npz"), header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
        place.with_suffix(".npz").replace(place)


@pytest.mark.parametrize(
    "how", ["empty", "truncated", "one bit", "text", "an array", "other arrays", "a pickle", "another version"]
)
def test_a_file_that_is_no_sound_checkpoint_is_refused_in_a_sentence(tmp_path: Path, how: str) -> None:
    place = tmp_path / "run"
    run(checkpoint=place)
    damaged(place, how)
    before = place.read_bytes()
    with pytest.raises(ValueError, match=r"run (is not a checkpoint|was written by another version|does not fit)"):
        run(checkpoint=place)
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [
        lambda place: run(checkpoint=place, seed=1),
        lambda place: minimize(PROBLEM, PIHT(), np.zeros(10), stop=after_steps(3), checkpoint=place),
        lambda place: minimize(PROBLEM, SOLVER, np.ones(10), stop=after_steps(3), checkpoint=place),
        lambda place: minimize(
            Problem(SquaredError(), Rows(X, y), AtMost(3)), SOLVER, np.zeros(10), stop=after_steps(3), checkpoint=place
        ),
        lambda place: minimize(
            Problem(SquaredError(), Rows(X[:99], y[:99]), AtMost(2)),
            SOLVER,
            np.zeros(10),
            stop=after_steps(3),
            checkpoint=place,
        ),
        lambda place: minimize(
            Problem(SquaredError(), Rows(X + 1, y), AtMost(2)),
            SOLVER,
            np.zeros(10),
            stop=after_steps(3),
            checkpoint=place,
        ),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, changed: Any) -> None:
    run(checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match="belongs to another run"):
        changed(tmp_path / "run")


def test_a_folder_that_cannot_be_written_to_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such-folder"):
        run(checkpoint=tmp_path / "no-such-folder" / "run")


def test_no_other_file_is_left_behind(tmp_path: Path) -> None:
    run(checkpoint=tmp_path / "run", every=1)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
