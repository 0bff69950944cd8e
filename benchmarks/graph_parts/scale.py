"""One search of a very large graph: processor seconds, memory, F, and how many planted edges it found.

python -m benchmarks.graph_parts.scale --variables 1000000 --rows 100 --edges 1000000 --checkpoint million.npz
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import time
from pathlib import Path

import numpy as np

from atmostk.datasets import band_graph
from atmostk.estimators.search_file import best_graph_from
from atmostk.estimators.standardised import columns_and_scales
from atmostk.graphs import byte_products, byte_scan
from atmostk.graphs.best_graph import SoFar, best_graph
from atmostk.graphs.on_columns import OnColumns
from benchmarks.graph_parts.measured import blas_rate, peak_megabytes, tell

RING = 4  # variables of a planted block, each with an edge to the next


def planted_rings(variables: int, rows: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of four variables in a ring, and the keys of their edges: one for each variable.

    An edge weighs .3 to .49 beside a diagonal of 1, with a random sign: the strongest that always make a distribution.
    """
    rng = np.random.default_rng(seed)
    blocks = variables // RING
    precision = np.zeros((blocks, RING, RING))
    places = np.arange(RING)
    precision[:, places, places] = 1.0
    for here in range(RING):
        there = (here + 1) % RING
        weights = rng.uniform(0.3, 0.49, blocks) * rng.choice([-1.0, 1.0], blocks)
        precision[:, here, there] = precision[:, there, here] = weights
    roots = np.linalg.inv(np.linalg.cholesky(precision)).transpose(0, 2, 1).astype(np.float32)
    X = rng.standard_normal((rows, blocks * RING), dtype=np.float32)
    for begin in range(0, blocks, 10_000):
        part = slice(begin * RING, min(begin + 10_000, blocks) * RING)
        some = X[:, part].reshape(rows, -1, RING)
        X[:, part] = np.einsum("bij,nbj->nbi", roots[begin : begin + 10_000], some).reshape(rows, -1)
    first = np.arange(blocks)[:, None] * RING
    low, high = np.minimum(places, (places + 1) % RING), np.maximum(places, (places + 1) % RING)
    return X, np.sort(((first + low) * blocks * RING + first + high).ravel())


def banded(variables: int, rows: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The banded graph of the other tables, and the keys of its edges."""
    graph = band_graph(variables)
    return graph.draw(rows, seed=seed).astype(np.float32, copy=False), graph.edges @ [variables, 1]


def main() -> None:
    """Search, and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, required=True)
    parser.add_argument("--rows", type=int, default=191)
    parser.add_argument("--edges", type=int, required=True)
    parser.add_argument("--data", choices=("band", "rings"), default="rings")
    parser.add_argument("--passes", type=int, default=1, help="looks at all pairs after the two that grow")
    parser.add_argument("--single", action="store_true", help="in single precision even where bytes are faster")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--checkpoint", type=Path, default=None)
    asked = parser.parse_args()
    if asked.single:
        byte_scan.available = lambda: False
    make = planted_rings if asked.data == "rings" else banded
    X, true = make(asked.variables, asked.rows, seed=0)
    columns, _ = columns_and_scales(X, centered=False, standardize=True, names=None)
    del X
    _warmed_up()
    data_megabytes = peak_megabytes()
    rate = blas_rate(2 * asked.rows)
    begun = time.process_time()
    phases = OnColumns(columns, threads=asked.threads)
    steps: list[dict[str, float]] = []

    def told(now: SoFar) -> None:
        hit = float(np.isin(now.graph.keys, true).mean())
        steps.append({"look": now.looks, "edges": now.graph.rows.size, "F": now.value, "true": hit,
                      "cpu": time.process_time() - begun})  # fmt: skip
        tell(**steps[-1])

    if asked.checkpoint is None:
        found = best_graph(phases, asked.edges, passes=asked.passes, after_each=told)
    else:
        found = best_graph_from(asked.checkpoint, phases, asked.edges, columns, passes=asked.passes, after_each=told)
    cpu = time.process_time() - begun
    hits = int(np.isin(found.graph.keys, true).sum())
    tell(
        variables=asked.variables, rows=asked.rows, edges=asked.edges, data=asked.data, cpu=cpu, F=found.value,
        looks=found.passes, looks_here=len(steps), true=int(true.size),
        F1=2 * hits / (found.graph.rows.size + true.size),
        megabytes=peak_megabytes(), megabytes_before=data_megabytes, blas_gflops=rate, threads=asked.threads,
        bytes=not asked.single and byte_products.available(),
    )  # fmt: skip


def _warmed_up() -> None:
    """Load the compiled functions; that is no part of a search."""
    few = np.random.default_rng(0).standard_normal((3100, 8), dtype=np.float32) / np.float32(8**0.5)
    best_graph(OnColumns(few), 500, passes=1)


if __name__ == "__main__":
    main()
