"""The program as a person calls it: in this process where that is enough, in one of its own for pipes and signals."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from atmostk.cli.app import app

# Threads of BLAS in a child of a busy machine only wait for each other.
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Ended:
    """How a call ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it told a program: one JSON value and nothing else."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    def complained(self, *words: str) -> None:
        """It ended as for a mistake of the caller: exit code 2, nothing on standard output, one sentence."""
        assert self.code == 2, (self.code, self.out, self.err)
        assert self.out == ""
        assert "Traceback" not in self.err
        told = [line for line in self.err.splitlines() if not line.startswith("note:") and not line.endswith(" ...")]
        assert len(told) == 1, self.err
        for word in words:
            assert word in told[0]


Call = Callable[..., Ended]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the program in this process: call("fit", file, "--at-most", 3, stdin=b"...")."""

    def called(*arguments: object, stdin: bytes = b"") -> Ended:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            app([str(argument) for argument in arguments], prog_name="atmostk")
        out.flush()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, out.buffer.getvalue().decode(), err.getvalue())  # pyright: ignore

    return called


# The program, saying on standard error when a step of the search is done.
TELLING = """
import importlib, sys
home, name = {home!r}, {name!r}
place = importlib.import_module(home.partition(":")[0])
place = getattr(place, home.partition(":")[2]) if ":" in home else place
step = getattr(place, name)
def told(*arguments, **named):
    done = step(*arguments, **named)
    print("a step", file=sys.stderr, flush=True)
    return done
setattr(place, name, told)
from atmostk.cli.app import main
main()
"""


EXCHANGE = ("atmostk.solvers.exchange:Exchange", "step")


def interrupted(*arguments: object, after: int = 3, step: tuple[str, str] = EXCHANGE) -> Ended:
    """Call the program in a process of its own, and press Ctrl-C after so many steps of its search."""
    words = [
        sys.executable,
        "-c",
        TELLING.format(home=step[0], name=step[1]),
        *(str(argument) for argument in arguments),
    ]
    child = subprocess.Popen(words, env=os.environ | ALONE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    told: list[str] = []
    while told.count("a step\n") < after:
        told.append(child.stderr.readline())
        assert told[-1], "".join(told)
    child.send_signal(signal.SIGINT)
    out, error = child.communicate(timeout=120)
    return Ended(child.returncode, out, "\n".join(line for line in error.splitlines() if line != "a step"))


def write_csv(file: Path, columns: dict[str, Any]) -> Path:
    """A file of these columns."""
    rows = zip(*columns.values(), strict=True)
    file.write_text("\n".join([",".join(columns), *(",".join(str(cell) for cell in row) for row in rows)]) + "\n")
    return file


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    """60 rows of six features, of which `b` and `e` make the price, exactly."""
    X = np.random.default_rng(0).normal(size=(60, 6)).round(3)
    columns: dict[str, Any] = {name: X[:, place] for place, name in enumerate("abcdef")}
    return write_csv(tmp_path / "prices.csv", columns | {"price": (3 * X[:, 1] - 2 * X[:, 4] + 5).round(6)})


@pytest.fixture
def species(tmp_path: Path) -> Path:
    """60 rows of four features, of which `b` tells the kind, nearly."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4)).round(3)
    kind = np.where(X[:, 1] + 0.3 * rng.normal(size=60) > 0, "cat", "dog")
    columns: dict[str, Any] = {name: X[:, place] for place, name in enumerate("abcd")}
    return write_csv(tmp_path / "species.csv", columns | {"kind": kind})


@pytest.fixture
def genes(tmp_path: Path) -> Path:
    """50 samples of six genes; only G1 and G4, and G2 and G5, depend on each other, the latter against each other."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 6))
    X[:, 4] += X[:, 1]
    X[:, 5] -= X[:, 2]
    return write_csv(tmp_path / "genes.csv", {f"G{place}": X[:, place].round(4) for place in range(6)})
