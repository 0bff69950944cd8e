"""How fast a look at all pairs is, beside a bare product of BLAS in the same process: the share of its rate.

python -m benchmarks.graph_parts.looks --variables 1900
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import argparse
import time
from collections.abc import Callable

import numpy as np

from atmostk.datasets import band_graph
from atmostk.estimators.standardised import columns_and_scales
from atmostk.graphs import byte_scan, fused_scan
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.on_columns import LISTED, OnColumns
from atmostk.graphs.pair_scan import best_pairs, products
from atmostk.graphs.pair_scores import Prices, Stacked
from benchmarks.graph_parts.measured import tell

WAYS = ("eight bits", "product and test in one", "BLAS, then a scan")


def main() -> None:
    """Look at all pairs of a half grown graph in each way, and multiply the same blocks with nothing else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, required=True)
    parser.add_argument("--rows", type=int, default=191)
    asked = parser.parse_args()
    size, rows = asked.variables, asked.rows
    X = band_graph(size).draw(rows, seed=0).astype(np.float32)
    columns, _ = columns_and_scales(X, centered=False, standardize=True, names=None)
    phases = OnColumns(columns)
    graph = best_graph(phases, 2 * size, passes=0).graph
    inverse = 1 / graph.diagonal
    left, right = Stacked(phases.X, phases.R, inverse, 1), Stacked(phases.R, phases.X, inverse, 0)
    prices = Prices(phases.square, inverse, 0.0)
    whole = left[:size], right[:size]
    count = (LISTED + 1) * 2 * size
    operations = 2.0 * rows * size * size  # two for each of 2 x rows entries of half of all pairs

    def bare() -> None:
        for _ in products(*whole):
            pass

    rates = {"bare": operations / least(bare) / 1e9}
    allowed = byte_scan.available, fused_scan.available
    for place, way in enumerate(WAYS):
        byte_scan.available = allowed[0] if place == 0 else lambda: False
        fused_scan.available = allowed[1] if place <= 1 else lambda: False
        if (place == 0 and not byte_scan.available()) or (place == 1 and not fused_scan.available()):
            continue
        rates[way] = operations / least(lambda: best_pairs(left, right, prices, count)) / 1e9
    # Again at the end: the machine may have changed its mind about its clock.
    rates["bare"] = max(rates["bare"], operations / least(bare) / 1e9)
    tell(variables=size, rows=rows, rates=rates, shares={way: rates[way] / rates["bare"] for way in rates})


def least(work: Callable[[], object]) -> float:
    """Processor seconds; the least of several times, the first of which loads what it needs."""
    work()
    times, begun = [], time.process_time()
    while len(times) < 3 or time.process_time() - begun < 1:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
