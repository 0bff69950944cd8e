"""Exchange from value and gradient alone beside the solvers of skscope, on six classes of problems.

    ./run bench general [--problems trend Ising] [--solvers ours ScopeSolver] [--seeds 6] [--limit 120]

Each solver runs each problem in a process of its own, on one thread. Accuracy is the share of the true support that was
found; objectives are divided by the least that any solver found on that seed; CPU seconds are those of the second
solve of a seed (of the only one, where it takes over five), so that compilation by JAX and Numba is left out for all
alike. skscope and `ours` call the same two compiled functions, in double precision. A process over the time limit is
stopped: the seeds it had done count, and the table says how many they are; its means are then over fewer seeds
than its neighbours'.
Asked for some of the problems or solvers only, their rows in the table are replaced and the others kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import numpy as np

from benchmarks.problems.general import MADE
from benchmarks.solvers.general import SOLVERS

RESULTS = Path(__file__).parent / "results"
HEAD = ("problem", "solver", "seeds", "accuracy", "objective / least", "CPU s", "CPU / ScopeSolver's")


def main() -> None:
    """Run, print and write what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--problems", nargs="+", default=list(MADE), choices=list(MADE))
    asked.add_argument("--solvers", nargs="+", default=list(SOLVERS), choices=list(SOLVERS))
    asked.add_argument("--seeds", type=int, default=6)
    asked.add_argument("--limit", type=float, default=120.0, help="seconds for all seeds of a solver")
    asked.add_argument("--one", nargs=3, metavar=("PROBLEM", "SOLVER", "SEEDS"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.one:
        for seed in range(int(given.one[2])):
            print(json.dumps(measured(given.one[0], given.one[1], seed)), flush=True)
        return
    file = RESULTS / "general.json"
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for problem in given.problems:
        for solver in given.solvers:
            if solver == "optimum" and problem != "trend":
                continue
            kept[f"{problem}/{solver}"] = _runs(problem, solver, given.seeds, given.limit)
            print(f"{problem}/{solver}", json.dumps(kept[f"{problem}/{solver}"]), flush=True)
            file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    written(kept)


def written(kept: dict[str, Any]) -> None:
    """The table of all that is kept."""
    lines = [_row(HEAD), _row(["---"] * len(HEAD))]
    lines += [
        _row(_cells(problem, solver, kept)) for problem in MADE for solver in SOLVERS if f"{problem}/{solver}" in kept
    ]
    notes = str(__doc__).split("\n\n")[2].split("\nAsked")[0].replace("\n", " ")
    without = [solver for solver in SOLVERS if not any(name.endswith(f"/{solver}") for name in kept)]
    notes += f" Not run: {', '.join(without)}." if without else ""
    text = "# Objectives with value and gradient alone\n\n`./run bench general`\n\n" + notes + "\n\n" + "\n".join(lines)
    (RESULTS / "general.md").write_text(text + "\n", encoding="utf-8")
    print("\n".join(lines))


def measured(problem: str, solver: str, seed: int) -> dict[str, Any]:
    """One run, in this process."""
    import time

    made = MADE[problem](seed)
    made.value(np.zeros(made.size)), made.gradient(np.zeros(made.size))
    solve = SOLVERS[solver](made)
    for _ in range(2):  # what was compiled or imported on the way is not the solve
        begun = time.process_time()
        x = solve()
        seconds = time.process_time() - begun
        if seconds > 5:
            break
    units = made.units(x).size
    if units > made.at_most:
        raise RuntimeError(f"{units} units where {made.at_most} are allowed")
    return {"accuracy": made.accuracy(x), "objective": made.value(x), "seconds": seconds}


def _runs(problem: str, solver: str, seeds: int, limit: float) -> list[dict[str, Any]] | str:
    """What came of each seed, or why nothing did."""
    call = [sys.executable, "-m", "benchmarks.general", "--one", problem, solver, str(seeds)]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, tempfile.TemporaryFile("w+", encoding="utf-8") as bad:
        try:
            code = subprocess.run(call, stdout=said, stderr=bad, timeout=limit, check=False).returncode
            why = f"ended with {code}"
        except subprocess.TimeoutExpired:
            why = f"nothing after {limit:g} s"
        for file in (said, bad):
            file.seek(0)
        found = [json.loads(line) for line in said if line.startswith("{") and line.endswith("}\n")]
        words = bad.read().strip().splitlines()
    return found or (words[-1] if words else why)[:90]


def _cells(problem: str, solver: str, kept: dict[str, Any]) -> list[str]:
    own, peer = kept[f"{problem}/{solver}"], kept.get(f"{problem}/ScopeSolver")
    if isinstance(own, str):
        return [problem, solver, "", own, "", "", ""]
    others = [runs for name, runs in kept.items() if name.startswith(f"{problem}/") and not isinstance(runs, str)]
    least = [min(runs[seed]["objective"] for runs in others if seed < len(runs)) for seed in range(len(own))]
    seconds = float(np.mean([run["seconds"] for run in own]))
    beside = "" if not isinstance(peer, list) else f"{seconds / np.mean([run['seconds'] for run in peer]):.3f}"
    accuracy, above = (
        float(np.mean(values)) for values in ([run["accuracy"] for run in own],
        [run["objective"] / best for run, best in zip(own, least, strict=True)])
    )  # fmt: skip
    return [problem, solver, str(len(own)), f"{accuracy:.3f}", f"{above:.4f}", f"{seconds:.3f}", beside]


def _row(cells: Any) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
