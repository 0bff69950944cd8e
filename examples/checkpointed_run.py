"""A run that survives a kill: start it, press Ctrl-C or kill it, start it again, and it goes on where it was.

python -m examples.checkpointed_run run.npz
"""

from __future__ import annotations

import sys

import numpy as np

from atmostk import PIHT, AtMost, Problem, Result, minimize
from atmostk.objectives import Logistic
from atmostk.samplers import Rows
from atmostk.stopping import after_steps


def main(checkpoint: str, steps: int = 2_000) -> Result:
    """Ten of two hundred features of 20,000 rows, by the paper's algorithm, saved every hundred steps."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 200))
    y = (X[:, :10].sum(axis=1) + rng.normal(size=20_000) > 0).astype(float)
    problem = Problem(Logistic(), Rows(X, y), AtMost(10))
    result = minimize(problem, PIHT(), np.zeros(200), stop=after_steps(steps), checkpoint=checkpoint, progress=True)
    print(f"{result.steps} steps, {result.seconds:.1f} s: {result.support.tolist()}, {result.stop.reason}")
    return result


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "run.npz")
