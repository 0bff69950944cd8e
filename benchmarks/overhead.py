"""What a step of PIHT costs beyond the objective's own calls: microseconds on NumPy and PyTorch, n = 100."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import time
from importlib.util import find_spec
from typing import Any

import numpy as np

from atmostk import PIHT, AtMost, Problem, minimize
from atmostk.samplers import Rows
from atmostk.solvers import Fixed
from atmostk.stopping import after_steps


class Free:
    """An objective that costs nothing: the answers are ready."""

    def __init__(self, gradient: Any) -> None:
        self.ready = gradient
        self.falling = 0.0

    def value(self, x: Any, sample: Any, /) -> float:
        """A little less at every call, so that steps are accepted as in a real run."""
        self.falling -= 1.0
        return self.falling

    def gradient(self, x: Any, sample: Any, /) -> Any:
        """Always the same."""
        return self.ready

    def losses(self, x: Any, sample: Any, /) -> Any:
        """Nobody asks."""
        raise AssertionError


def microseconds(array: Any, rows: int, steps: int = 2000, repeats: int = 7) -> float:
    """CPU time of a step; the least of several repeats, because other work on the machine only adds to it."""
    rng = np.random.default_rng(0)
    problem = Problem(Free(array(rng.normal(size=100))), Rows(array(rng.normal(size=(1000, 100)))), AtMost(10))
    solver = PIHT(sample_size=Fixed(rows))
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        minimize(problem, solver, array(np.zeros(100)), stop=after_steps(steps))
        times.append(time.process_time() - begun)
    return min(times) / steps * 1e6


def main() -> None:
    """Print the table."""
    kinds: list[tuple[str, Any]] = [("NumPy", np.asarray)]
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        kinds.append(("PyTorch", torch.tensor))
    print("| arrays | batch 50 of 1,000 rows drawn, us a step | all rows, us a step |\n|---|---|---|")
    for name, array in kinds:
        print(f"| {name} | {microseconds(array, 50):.1f} | {microseconds(array, 1000):.1f} |")


if __name__ == "__main__":
    main()
