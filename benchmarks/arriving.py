"""One pass over a stream in batches of 1,000: recovery and CPU time of `partial_fit`, beside a fit that has all rows.

The outside reference is scikit-learn's SGD with an L1 penalty, of whose coefficients the K largest are taken.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier, SGDRegressor

from atmostk import SparseClassifier, SparseRegressor
from benchmarks.problems.linear import PLANTED, LinearProblem

BATCH = 1000
RESULT = Path(__file__).parent / "results" / "arriving.md"


def counts(seed: int) -> LinearProblem:
    """The columns of problem c, a Poisson count of their planted sum."""
    planted = PLANTED["c logistic"].make(seed)
    z = np.asarray(planted.X @ planted.truth.astype(np.float32), np.float64)
    y = np.random.default_rng(seed).poisson(np.exp(z - 0.5)).astype(np.float32)
    return LinearProblem(planted.X, y, "poisson", planted.at_most, planted.truth)


def classes(seed: int) -> LinearProblem:
    """The columns of problem c, three classes whose scores share 30 columns."""
    X = PLANTED["c logistic"].make(seed).X
    rng = np.random.default_rng(seed)
    truth = np.zeros((X.shape[1], 3))
    truth[rng.choice(X.shape[1], 30, replace=False)] = rng.normal(size=(30, 3)) / 4
    y = (np.asarray(X @ truth.astype(np.float32), np.float64) + rng.gumbel(size=(len(X), 3))).argmax(axis=1)
    return LinearProblem(X, y, "logistic", 30, np.abs(truth).sum(axis=1))


MAKERS: dict[str, Any] = {name: PLANTED[name].make for name in ("c logistic", "c linear", "c faint")}
MAKERS |= {"c counts": counts, "c three classes": classes}


def streamed(model: Any, problem: LinearProblem, **first: Any) -> tuple[float, list[float]]:
    """CPU seconds of the pass, and the recovery after a tenth, a quarter, a half and all of it."""
    spent, seen, begins = 0.0, [], range(0, len(problem.y), BATCH)
    looks = {round(share * len(begins)) - 1 for share in (0.1, 0.25, 0.5, 1.0)}
    for number, begin in enumerate(begins):
        rows = slice(begin, begin + BATCH)
        begun = time.process_time()
        model.partial_fit(problem.X[rows], problem.y[rows], **first)
        spent += time.process_time() - begun
        if number in looks:
            seen.append(recovery(problem, np.atleast_2d(model.coef_)))
    return spent, seen


def recovery(problem: LinearProblem, coefficients: np.ndarray) -> float:
    """The share of the true support among the K features that weigh most."""
    weights = np.abs(coefficients).sum(axis=0)
    return problem.recovery(np.where(weights >= np.sort(weights)[-problem.at_most], weights, 0))


def one(name: str, seed: int) -> list[tuple[str, float, list[float]]]:
    """Each contestant on a problem: its name, CPU seconds, recoveries."""
    problem = MAKERS[name](seed)
    labels = {"classes": np.unique(problem.y)} if problem.loss == "logistic" else {}
    if labels:
        ours: Any = SparseClassifier(problem.at_most)
        peer: Any = SGDClassifier(loss="log_loss", penalty="l1", alpha=1e-4, average=True, random_state=0)
    else:
        ours = SparseRegressor(problem.at_most, loss="poisson" if problem.loss == "poisson" else "squared_error")
        peer = SGDRegressor(penalty="l1", alpha=1e-4, average=True, random_state=0)
    warm = slice(0, 3000)
    for begin in range(0, 3000, BATCH):  # compiled before it is measured
        type(ours)(**ours.get_params()).partial_fit(problem.X[warm][begin:], problem.y[warm][begin:], **labels)
    found = [("partial_fit, one pass", *streamed(ours, problem, **labels))]
    if problem.loss != "poisson":
        found.append(("SGD with L1, one pass, cut to K", *streamed(peer, problem, **labels)))
    whole = type(ours)(**ours.get_params())
    begun = time.process_time()
    whole.fit(problem.X, problem.y)
    spent = time.process_time() - begun
    found.append(("fit, all rows at once", spent, [recovery(problem, np.atleast_2d(whole.coef_))]))
    return found


def main() -> None:
    """Print the table and write it."""
    parser = argparse.ArgumentParser(prog="./run bench arriving", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--problems", nargs="+", choices=MAKERS, default=list(MAKERS))
    asked = parser.parse_args()
    lines = [
        "# A stream in batches of 1,000",
        "",
        f"n = 200,000, p = 500, single precision, batches of {BATCH:,}; mean of {asked.seeds} seeds. "
        "Made by `./run bench arriving`.",
        "",
        "| problem | | recovery after 10 % | 25 % | 50 % | all rows | CPU s |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in asked.problems:
        runs = [one(name, seed) for seed in range(asked.seeds)]
        for place, (label, _, _) in enumerate(runs[0]):
            spent = np.mean([run[place][1] for run in runs])
            seen = np.mean([run[place][2] for run in runs], axis=0)
            told = [f"{value:.3f}" for value in seen] if len(seen) > 1 else ["-", "-", "-", f"{seen[0]:.3f}"]
            lines.append(f"| {name} | {label} | " + " | ".join(told) + f" | {spent:.2f} |")
            print(lines[-1], flush=True)
    RESULT.write_text("\n".join(lines) + "\n")
    print(f"\n{RESULT}")


if __name__ == "__main__":
    main()
