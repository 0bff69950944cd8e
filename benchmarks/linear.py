"""Linear models with at most K nonzeros beside abess, skscope, skglm, celer and scikit-learn.

    ./run bench linear [--problems a b h] [--solvers ours abess] [--seeds 12] [--limit 120]

Each run is a process of its own, on one thread: CPU seconds of a fit (the second one in the process where it takes
under a second, so that nothing is compiled in it), and the peak of memory above what data and libraries take. A run
over the time limit is stopped and says so. Problems whose runs are long get one seed. Half an hour to an hour in all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

from benchmarks.problems.linear import MADE
from benchmarks.solvers.linear import SOLVERS

RESULTS = Path(__file__).parent / "results"
LONG = ("c linear", "c faint", "c logistic", "million", "e", "wide")
HEAD = ("problem", "solver", "seeds", "objective / abess'", "recovery", "CPU s", "CPU / abess'", "MB above the data")


def main() -> None:
    """Run, print and write what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--problems", nargs="+", default=list(MADE), choices=list(MADE))
    asked.add_argument("--solvers", nargs="+", default=list(SOLVERS), choices=list(SOLVERS))
    asked.add_argument("--seeds", type=int, default=6)
    asked.add_argument("--limit", type=float, default=120.0, help="seconds for a run")
    asked.add_argument("--one", nargs=3, metavar=("PROBLEM", "SOLVER", "SEED"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one:
        print(json.dumps(measured(given.one[0], given.one[1], int(given.one[2]))))
        return
    lines = [_row(HEAD), _row(["---"] * len(HEAD))]
    print(*lines, sep="\n", flush=True)
    for problem in given.problems:
        seeds = range(1) if problem in LONG else range(given.seeds)
        runs = {solver: _runs(problem, solver, seeds, given.limit) for solver in given.solvers}
        for solver in given.solvers:
            lines.append(_row(_cells(problem, solver, runs)))
            print(lines[-1], flush=True)
    whole = (set(given.problems), set(given.solvers)) == (set(MADE), set(SOLVERS))
    name = "linear" if whole else "linear-" + "-".join(problem.replace(" ", "") for problem in given.problems)
    text = f"# Linear models\n\n`./run bench linear {' '.join(sys.argv[1:])}`\n\n" + "\n".join(lines) + "\n"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def measured(problem: str, solver: str, seed: int) -> dict[str, Any]:
    """One run, in this process."""
    import resource
    import time

    made = MADE[problem](seed)
    SOLVERS[solver](MADE["breast cancer"](0)) if made.loss == "logistic" else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    x = SOLVERS[solver](made)
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if seconds < 5:  # what was compiled or imported on the way is not the fit
        begun = time.process_time()
        x = SOLVERS[solver](made)
        seconds = time.process_time() - begun
    return {
        "objective": made.objective(x), "recovery": made.recovery(x), "seconds": seconds,
        "memory": (peak - before) / 1024, "nonzeros": int(np.count_nonzero(x)),
    }  # fmt: skip


def _runs(problem: str, solver: str, seeds: range, limit: float) -> list[dict[str, Any]] | str:
    """What came of each seed, or why nothing did."""
    found = []
    for seed in seeds:
        call = [sys.executable, "-m", "benchmarks.linear", "--one", problem, solver, str(seed)]
        try:
            done = subprocess.run(call, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return f"nothing after {limit:g} s"
        if done.returncode:
            words = done.stderr.strip().splitlines()
            return (words[-1] if words else f"ended with {done.returncode}")[:90]
        found.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return found


def _cells(problem: str, solver: str, runs: dict[str, Any]) -> list[str]:
    own, peer = runs[solver], runs.get("abess")
    if isinstance(own, str):
        return [problem, solver, "", own, "", "", "", ""]
    mean = {name: float(np.mean([run[name] for run in own])) for name in own[0]}
    ratios = ["", ""]
    if isinstance(peer, list):
        for place, name in enumerate(("objective", "seconds")):
            ratios[place] = f"{mean[name] / np.mean([run[name] for run in peer]):.3f}"
    recovery = "" if np.isnan(mean["recovery"]) else f"{mean['recovery']:.3f}"
    numbers = [f"{mean['seconds']:.3f}", ratios[1], f"{mean['memory']:.0f}"]
    return [problem, solver, str(len(own)), ratios[0] or f"({mean['objective']:.4g})", recovery, *numbers]


def _row(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
