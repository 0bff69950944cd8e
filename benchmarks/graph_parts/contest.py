"""One contestant on one simulated network, in a process of its own: times, objectives, what it found.

    python -m benchmarks.graph_parts.contest --method pyconcord --variables 100 --family band --rows 191

Peers have a penalty in place of a number of edges: it is found by bisection, and only the fit at the last one is timed.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from atmostk import datasets
from atmostk.estimators import SparsePrecision
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample
from benchmarks.graph_parts.measured import peak_megabytes, tell

CLOSE = 0.02  # how near a peer's number of edges must come
FITS = 14  # of a bisection at most
REPEATS = 0.4  # seconds; of short fits the least of several times counts


def main() -> None:
    """Draw, fit, tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=(*OURS, *PEERS), required=True)
    parser.add_argument("--family", choices=("band", "uniform", "hub", "block"), default="band")
    parser.add_argument("--variables", type=int, required=True)
    parser.add_argument("--rows", type=int, default=191)
    parser.add_argument("--edges", type=int, default=None, help="as many as the true network has, if not said")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    X, later, true = drawn(asked.family, asked.variables, asked.rows, asked.seed)
    edges = asked.edges or len(true)
    few = drawn("band", 30, 60, 0)[0]
    OURS[asked.method](few, 20) if asked.method in OURS else PEERS[asked.method](few, 0.3)  # loads what it needs
    before = peak_megabytes()
    if asked.method in OURS:
        fits, at = 1, edges
        graph, cpu = timed(OURS[asked.method], X, edges)
    else:
        fits, at, graph, cpu = bisected(PEERS[asked.method], X, edges)
    tell(method=asked.method, family=asked.family, variables=asked.variables, rows=asked.rows, seed=asked.seed,
         edges=int(graph.rows.size), wanted=edges, penalty=float(at), fits=fits, cpu=cpu, megabytes=peak_megabytes(),
         megabytes_before=before, **judged(graph, X, later, true))  # fmt: skip


def drawn(family: str, variables: int, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standardised rows, 1,000 more on their scale, and the keys of the true edges."""
    makers: dict[str, Callable[[], Any]] = {
        "band": lambda: datasets.band_graph(variables),
        "uniform": lambda: datasets.uniform_graph(variables, seed=seed),
        "hub": lambda: datasets.hub_graph(variables, seed=seed),
        "block": lambda: datasets.block_graph(variables, seed=seed),
    }
    network = makers[family]()
    X = np.asarray(network.draw(rows + 1000, seed=seed + 1), np.float64)
    mean, deviation = X[:rows].mean(axis=0), X[:rows].std(axis=0)
    X = np.ascontiguousarray((X - mean) / deviation)
    return X[:rows], X[rows:], network.edges @ [variables, 1]


def timed(fit: Callable[[np.ndarray, Any], Any], X: np.ndarray, how: Any) -> tuple[Graph, float]:
    """The answer, and the least processor time of some fits."""
    best, begun, found = math.inf, time.process_time(), None
    while found is None or time.process_time() - begun < REPEATS:
        start = time.process_time()
        found = fit(X, how)
        best = min(best, time.process_time() - start)
    return as_graph(found), best


def bisected(fit: Callable[[np.ndarray, float], Any], X: np.ndarray, edges: int) -> tuple[int, float, Graph, float]:
    """How many fits it took to come to the number of edges, the penalty, the graph, and the time of that one fit."""
    low, high, nearest = 0.01, 0.99, (math.inf, 0.0)
    fits = 0
    while fits < FITS:
        penalty = math.sqrt(low * high)
        found = as_graph(fit(X, penalty)).rows.size
        fits += 1
        nearest = min(nearest, (abs(found - edges), penalty))
        if abs(found - edges) <= CLOSE * edges:
            break
        low, high = (penalty, high) if found > edges else (low, penalty)
    graph, cpu = timed(fit, X, nearest[1])
    return fits, nearest[1], graph, cpu


def as_graph(found: Any) -> Graph:
    """A contestant's answer, with its edges in one form."""
    if isinstance(found, SparsePrecision):
        return found.graph_
    return found if isinstance(found, Graph) else Graph.from_dense(found)


def judged(graph: Graph, X: np.ndarray, later: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """F and the loss on rows not seen, as returned and with the weights that are best on the same edges; the edges."""
    objective, seen, unseen = GaussianGraph(), Sample(X, len(X)), Sample(later, len(later))
    refitted = OnGram(X.T @ X / len(X)).refitted(graph)[0]
    size, found = graph.size, int(graph.rows.size)
    hits = int(np.isin(graph.keys, true).sum())
    wrong, missed = found - hits, true.size - hits
    nothing = size * (size - 1) // 2 - hits - wrong - missed
    scale = math.sqrt(float(found) * true.size * (nothing + wrong) * (nothing + missed))
    return {
        "F": objective.value(graph, seen),
        "F_refitted": objective.value(refitted, seen),
        "held_out": objective.value(graph, unseen),
        "held_out_refitted": objective.value(refitted, unseen),
        "MCC": (hits * nothing - wrong * missed) / scale if scale else 0.0,
        "F1": 2 * hits / (found + true.size),
    }


def search(X: np.ndarray, edges: int) -> Graph:
    """The solver itself, from the standardised rows."""
    Xs = X.astype(np.float32)
    return best_graph(OnGram(Xs.T @ Xs / np.float32(len(X))), edges).graph


def search_on_rows(X: np.ndarray, edges: int) -> Graph:
    """The solver for many variables, which never holds a Gram matrix."""
    return best_graph(OnColumns(np.ascontiguousarray(X.T, np.float32) / np.float32(len(X) ** 0.5)), edges).graph


def estimator(X: np.ndarray, edges: int) -> SparsePrecision:
    """The whole estimator, with its checks, its scale and its certificate."""
    return SparsePrecision(edges=edges).fit(X)


def pyconcord(X: np.ndarray, penalty: float) -> Any:
    """CONCORD, by proximal gradients."""
    from pyconcord import concord

    return concord(X, lambda1=penalty, epstol=1e-4, maxitr=300)


def gconcord(X: np.ndarray, penalty: float) -> Any:
    """CONCORD, by coordinate descent."""
    from gconcord import concord

    found = concord(S=X.T @ X / len(X), lambda_param=penalty, tolerance=1e-4, max_iterations=300)
    return found["omega"] if isinstance(found, dict) else found.omega


def gglasso(X: np.ndarray, penalty: float) -> Any:
    """The graphical lasso, by ADMM."""
    from gglasso.solver.single_admm_solver import ADMM_SGL

    size = X.shape[1]
    found = ADMM_SGL(X.T @ X / len(X), penalty, np.eye(size), tol=1e-4, rtol=1e-3, max_iter=300, verbose=False)
    return found[0]["Theta"]


def scikit_learn(X: np.ndarray, penalty: float) -> Any:
    """The graphical lasso, by coordinate descent."""
    from sklearn.covariance import graphical_lasso

    return graphical_lasso(X.T @ X / len(X), penalty, tol=1e-3, max_iter=30)[1]


OURS: dict[str, Callable[[np.ndarray, int], Any]] = {
    "best_graph": search,
    "best_graph on rows": search_on_rows,
    "SparsePrecision": estimator,
}
PEERS: dict[str, Callable[[np.ndarray, float], Any]] = {
    "pyconcord": pyconcord,
    "gconcord": gconcord,
    "gglasso": gglasso,
    "scikit-learn": scikit_learn,
}

if __name__ == "__main__":
    main()
