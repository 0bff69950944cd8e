"""Plain PIHT at the paper's size: processor time, and whether its sparse iterates are those of the dense algorithm.

python -m benchmarks.graph_parts.piht --steps 1000 --beside 40
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import time
from typing import Any

import numpy as np

from atmostk import PIHT, Problem, minimize
from atmostk.constraints import AtMostEdges
from atmostk.datasets import band_graph
from atmostk.graphs.graph import Graph
from atmostk.objectives import GaussianGraph
from atmostk.samplers import Rows
from atmostk.stopping import after_steps
from benchmarks.graph_parts.measured import peak_megabytes, tell


def main() -> None:
    """So many steps on sparse iterates; the first of them again on a dense matrix."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, default=1900)
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--edges", type=int, default=4050)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--beside", type=int, default=40, help="steps to compare with the dense algorithm")
    asked = parser.parse_args()
    X = band_graph(asked.variables).draw(asked.rows, seed=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    problem = Problem(GaussianGraph(), Rows(X), AtMostEdges(asked.edges))
    rng = np.random.default_rng(0)
    pairs = np.sort(rng.integers(0, asked.variables, (4 * asked.edges, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    pairs = pairs[np.sort(rng.permutation(len(pairs))[: asked.edges])]
    start = Graph.of_pairs(np.ones(asked.variables), *pairs.T, np.full(asked.edges, 0.2))
    run(problem, start, 2)  # loads what it needs
    begun = time.process_time()
    result = run(problem, start, asked.steps)
    cpu = time.process_time() - begun
    megabytes = peak_megabytes()
    sparse = run(problem, start, asked.beside)
    begun = time.process_time()
    dense = run(problem, start.to_dense(), asked.beside)
    beside = time.process_time() - begun
    tell(variables=asked.variables, rows=asked.rows, edges=asked.edges, steps=result.steps, cpu=cpu, F=result.value,
         accepted=int(np.sum(result.history.column("accepted"))), megabytes=megabytes, compared=asked.beside,
         accepted_compared=int(np.sum(sparse.history.column("accepted"))),
         same_support=bool(np.array_equal(sparse.support, dense.support)),
         apart=float(np.abs(sparse.x.to_dense() - dense.x).max()),
         dense_step=beside / max(asked.beside, 1))  # fmt: skip


def run(problem: Problem, start: Any, steps: int) -> Any:
    """The paper's algorithm with its own settings."""
    return minimize(problem, PIHT(), start, stop=after_steps(steps), seed=0)


if __name__ == "__main__":
    main()
