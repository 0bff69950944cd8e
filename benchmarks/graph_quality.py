"""How well graphs are recovered and predict, beside CONCORD, neighbourhood selection and the graphical lasso.

    python -m benchmarks.graph_quality [--variables 100 500] [--seeds 10 5] [--first 0] [--glasso-seeds 10 1]
    python -m benchmarks.graph_quality --variables 1900 --seeds 1 --contestants atmostk    # what it costs, n = 150
    python -m benchmarks.graph_quality --table    # from what was measured, no run

Four families of simulated graphs (`atmostk.datasets.simulated_graphs`), n = 50, 191 and 500 rows, standardised; 500
fresh rows judge. Each contestant runs in a process of its own, with one thread; what it measured is kept line by line
in benchmarks/results/graph_quality/, so that a run can be stopped and gone on with.

MCC: of exactly as many edges as the truth has. The L1 peers are fitted so that they have that many (or twice that many,
and the strongest are kept). Held-out: the pseudo-likelihood objective, less is better, everything chosen by five-fold
cross-validation on the training rows alone; what the truth says is not told.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import contextlib
import io
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.datasets import simulated_graphs

FOLDER = Path(__file__).parent / "results" / "graph_quality"
FAMILIES = ("band", "uniform", "hub", "block")
ROWS = (50, 191, 500)
UNSEEN = 500
FOLDS = 5
Measured = dict[str, float]
Found = tuple[np.ndarray, float]


class Case:
    """One data set: rows to learn from, unseen rows on the same scale, and the true edges."""

    def __init__(self, family: str, variables: int, rows: int, seed: int) -> None:
        make = getattr(simulated_graphs, f"{family}_graph")
        graph = make(variables) if family == "band" else make(variables, seed=seed)
        drawn = graph.draw(rows + UNSEEN, seed=10**6 + seed)
        mean, scale = drawn[:rows].mean(axis=0), drawn[:rows].std(axis=0)
        self.X, self.unseen = (drawn[:rows] - mean) / scale, (drawn[rows:] - mean) / scale
        self.rows, self.variables = rows, variables
        self.true = graph.edges[:, 0] * variables + graph.edges[:, 1]
        self.edges = len(self.true)

    def mcc(self, keys: np.ndarray) -> float:
        """Matthews' correlation of a set of pairs with the truth."""
        pairs = self.variables * (self.variables - 1) / 2
        hit = float(np.isin(keys, self.true).sum())
        wrong, missed = len(keys) - hit, self.edges - hit
        right_out = pairs - hit - wrong - missed
        under = (hit + wrong) * (hit + missed) * (right_out + wrong) * (right_out + missed)
        return (hit * right_out - wrong * missed) / under**0.5 if under else 0.0

    def folds(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to learn from and to judge by, on the scale of the former."""
        order = np.random.default_rng(0).permutation(self.rows)
        for first in range(FOLDS):
            out = order[first::FOLDS]
            kept = np.delete(self.X, out, axis=0)
            mean, scale = kept.mean(axis=0), kept.std(axis=0)
            yield (kept - mean) / scale, (self.X[out] - mean) / scale


def objective(precision: np.ndarray, X: np.ndarray) -> float:
    """The pseudo-likelihood objective of a precision matrix on rows."""
    diagonal = precision.diagonal()
    return float(-np.log(diagonal).sum() + (((X @ precision) ** 2).mean(axis=0) / diagonal).sum())


def strongest(scores: np.ndarray, count: int) -> np.ndarray:
    """The keys of the pairs of the largest scores."""
    i, j = np.triu_indices(len(scores), 1)
    best = np.argsort(-scores[i, j], kind="stable")[:count]
    return i[best] * len(scores) + j[best]


def partial(precision: np.ndarray) -> np.ndarray:
    """Partial correlations in magnitude."""
    root = np.sqrt(np.abs(precision.diagonal()))
    return np.abs(precision) / root / root[:, None]


def linked(scores: np.ndarray) -> int:
    """How many pairs have a score."""
    return int(np.count_nonzero(np.triu(scores, 1)))


def at_edges(case: Case, fit: Callable[[float], np.ndarray], edges: int, *, unit: float = 1.0) -> Found:
    """The fit whose number of edges is the nearest to what is wanted, and its seconds.

    From the correlation that so many pairs exceed; then by false position on the logarithms of penalty and count.
    """
    above = np.abs(case.X.T @ case.X / case.rows)[np.triu_indices(case.variables, 1)]
    penalty = unit * float(np.partition(above, above.size - edges)[above.size - edges])
    few: tuple[float, float] | None = None
    many: tuple[float, float] | None = None
    best: tuple[int, np.ndarray, float] | None = None
    for _ in range(10):
        begun = time.process_time()
        found = fit(penalty)
        seconds = time.process_time() - begun
        count = linked(found)
        if best is None or abs(count - edges) < best[0]:
            best = abs(count - edges), found, seconds
        if abs(count - edges) <= 0.01 * edges:
            break
        here = float(np.log(penalty)), float(np.log(max(count, 0.5)))
        few, many = (here, many) if count < edges else (few, here)
        if few and many:
            share = (many[1] - np.log(edges)) / max(many[1] - few[1], 1e-9)
            penalty = float(np.exp(many[0] + min(max(share, 0.1), 0.9) * (few[0] - many[0])))
        else:
            penalty *= 1.12 if count > edges else 0.9
    assert best is not None
    return best[1], best[2]


def validated(case: Case, fit: Callable[..., np.ndarray]) -> Measured:
    """Held-out objective of the penalty that five folds choose, coming down a path until it has worsened twice."""
    begun = time.process_time()
    unit = (np.log(case.variables) / case.rows) ** 0.5
    path = unit * np.array([1.6, 1.3, 1.1, 0.95, 0.8, 0.68, 0.57, 0.48, 0.4, 0.32, 0.25, 0.2, 0.15])
    folds, starts = list(case.folds()), [None] * FOLDS
    means: list[float] = []
    for penalty in path:
        total = 0.0
        for place, (kept, out) in enumerate(folds):
            starts[place] = fit(kept, penalty * (case.rows / len(kept)) ** 0.5, starts[place])
            total += objective(starts[place], out) * len(out) / case.rows
        means.append(total)
        if len(means) > 2 and min(means[-2:]) > min(means):
            break
    final = fit(case.X, float(path[int(np.argmin(means))]), None)
    return {
        "held_out": objective(final, case.unseen),
        "held_out_edges": linked(final),
        "held_out_cpu": time.process_time() - begun,
    }


def ours(case: Case) -> Measured:
    """The chooser at the true number of edges, the plain search, the best fixed rule; and with everything chosen."""
    from atmostk.estimators import SparsePrecision, SparsePrecisionCV
    from atmostk.graphs.selection import Combined

    found: Measured = {}
    models = {
        "mcc": SparsePrecisionCV([case.edges]),
        "plain": SparsePrecision(case.edges),
        "combined": SparsePrecision(case.edges, selection=Combined()),
        "held_out": SparsePrecisionCV(),
    }
    for name, model in models.items():
        begun = time.process_time()
        model.fit(case.X)
        found[f"{name}_cpu"] = time.process_time() - begun
        if name == "held_out":
            found["held_out_edges"] = len(model.edges_)
        else:
            found[name] = case.mcc(model.graph_.keys)
        found["held_out" if name == "held_out" else f"{name}_held_out"] = objective(
            model.graph_.to_dense(), case.unseen
        )
    return found


def concord(case: Case) -> Measured:
    """pyconcord."""
    from pyconcord import concord as solve

    def fit(X: np.ndarray, penalty: float, start: Any = None) -> np.ndarray:
        rows = np.ascontiguousarray(X)
        return np.asarray(solve(rows, lambda1=float(penalty), epstol=1e-4, maxitr=300).toarray())

    once, seconds = at_edges(case, lambda penalty: fit(case.X, penalty), case.edges)
    twice, _ = at_edges(case, lambda penalty: fit(case.X, penalty), 2 * case.edges)
    return {
        "mcc": case.mcc(strongest(partial(once), case.edges)),
        "mcc_twice": case.mcc(strongest(partial(twice), case.edges)),
        "mcc_cpu": seconds,
        **validated(case, fit),
    }


def gconcord(case: Case) -> Measured:
    """gconcord: the same estimator, another implementation."""
    from gconcord import concord as solve

    def fit(penalty: float) -> np.ndarray:
        omega = solve(data=np.ascontiguousarray(case.X), lambda_param=penalty, tolerance=1e-4)["omega"]
        return np.asarray(omega.toarray() if hasattr(omega, "toarray") else omega)

    once, seconds = at_edges(case, fit, case.edges, unit=2)
    return {"mcc": case.mcc(strongest(partial(once), case.edges)), "mcc_cpu": seconds}


def neighbourhood(case: Case) -> Measured:
    """scikit-learn's lasso of each variable on the others, joined by OR."""
    from sklearn.linear_model import Lasso

    every = np.arange(case.variables)
    coefficients = np.zeros((case.variables, case.variables))

    def fit(penalty: float) -> np.ndarray:
        for i in every:
            model = Lasso(penalty, fit_intercept=False, tol=1e-3, warm_start=True)
            model.coef_ = np.ascontiguousarray(coefficients[i, every != i])
            coefficients[i, every != i] = model.fit(case.X[:, every != i], case.X[:, i]).coef_
        return np.maximum(np.abs(coefficients), np.abs(coefficients.T))

    once, seconds = at_edges(case, fit, round(1.01 * case.edges))
    return {"mcc": case.mcc(strongest(once, case.edges)), "mcc_cpu": seconds}


def glasso(case: Case) -> Measured:
    """gglasso's ADMM, started from the solution at the penalty before."""
    from gglasso.solver.single_admm_solver import ADMM_SGL

    def fit(X: np.ndarray, penalty: float, start: Any = None) -> np.ndarray:
        first = np.eye(case.variables) if start is None else start
        with contextlib.redirect_stdout(io.StringIO()):
            answer: Any = ADMM_SGL(X.T @ X / len(X), penalty, first, tol=1e-6, rtol=1e-5, max_iter=500)
        return np.array(answer[0]["Theta"])

    once, seconds = at_edges(case, lambda penalty: fit(case.X, penalty), case.edges)
    return {
        "mcc": case.mcc(strongest(partial(once), case.edges)),
        "mcc_cpu": seconds,
        **validated(case, fit),
    }


CONTESTANTS: dict[str, Callable[[Case], Measured]] = {
    "atmostk": ours,
    "concord": concord,
    "neighbourhood": neighbourhood,
    "gconcord": gconcord,
    "glasso": glasso,
}


NEEDS = {"concord": "pyconcord", "gconcord": "gconcord", "glasso": "gglasso"}


def measure(contestant: str, variables: int, first: int, seeds: int) -> None:
    """Everything that is not in the contestant's file yet, one line a data set."""
    file = FOLDER / f"{contestant}-{variables}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = file.read_text().splitlines() if file.exists() else []
    done = {(line["family"], line["rows"], line["seed"]) for line in map(json.loads, lines)}
    CONTESTANTS[contestant](Case("uniform", variables, 60, 10**5))  # what is compiled is compiled
    for seed in range(first, first + seeds):
        for rows in ROWS if variables <= 1000 else (150,):
            for family in FAMILIES:
                if (family, rows, seed) in done:
                    continue
                found = CONTESTANTS[contestant](Case(family, variables, rows, seed))
                line = {"family": family, "rows": rows, "seed": seed, **found}
                with file.open("a") as open_file:
                    open_file.write(json.dumps({k: _short(v) for k, v in line.items()}) + "\n")


def _short(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value


def main() -> None:
    """Run all contestants, one process each, one after the other; then write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, nargs="+", default=[100, 500])
    parser.add_argument("--seeds", type=int, nargs="+", default=[10, 5])
    parser.add_argument("--glasso-seeds", type=int, nargs="+", default=[10, 1])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--contestants", nargs="+", default=list(CONTESTANTS), choices=list(CONTESTANTS))
    parser.add_argument("--table", action="store_true", help="only write the table")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        warnings.filterwarnings("ignore")
        return measure(options.one, options.variables[0], options.first, options.seeds[0])
    if not options.table:
        for variables, seeds, few in zip(options.variables, options.seeds, options.glasso_seeds, strict=False):
            for contestant in options.contestants:
                if contestant in NEEDS and find_spec(NEEDS[contestant]) is None:
                    print(f"{contestant} is left out: pip install {NEEDS[contestant]}")
                    continue
                count = few if contestant == "glasso" else seeds
                arguments = ["--one", contestant, "--variables", variables, "--seeds", count, "--first", options.first]
                subprocess.run([sys.executable, "-m", "benchmarks.graph_quality", *map(str, arguments)], check=False)
    from benchmarks.graph_parts.quality_tables import write

    write(FOLDER)


if __name__ == "__main__":
    main()
