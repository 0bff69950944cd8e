"""One target in a process of its own: `python -m benchmarks.scaling.targets NAME FOLDER` prints what it measured."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scaling import data


def peak() -> float:
    """The most memory that this process had, in MB; getrusage would begin with that of its parent."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


def read(folder: Path) -> dict[str, Any]:
    """A full streaming read of a Parquet set by pyarrow alone, which is what a fit is measured by."""
    from pyarrow import parquet

    rows = 0
    for file in sorted(folder.glob("*.parquet")):
        for batch in parquet.ParquetFile(file).iter_batches(65536, use_threads=False):
            rows += batch.num_rows
    return {"rows": rows}


def fit(folder: Path) -> dict[str, Any]:
    """Logistic regression, K = 20, within 1 GB."""
    from atmostk import SparseClassifier
    from atmostk.datasets import open_rows

    rows = open_rows(folder, target="y", max_memory="1GB")
    model = SparseClassifier(at_most=20).fit(rows)
    passes = model.result_.history[-1].rows / rows.size
    return {"rows": rows.size, "recovery": data.recovery(folder, model.support_), "row evaluations a row": passes}


def maps(folder: Path, solver: Any) -> dict[str, Any]:
    """The same rows as memory maps: a solver on them."""
    from atmostk import AtMost, Problem, minimize
    from atmostk.constraints import AlwaysKept
    from atmostk.datasets import open_rows
    from atmostk.objectives import Logistic, WithIntercept

    rows = open_rows(folder / "X.npy", target="y.npy", max_memory="1GB")
    width = len(rows.names)
    problem = Problem(WithIntercept(Logistic()), rows, AlwaysKept(AtMost(20), entries=[width]))
    result = minimize(problem, solver, np.zeros(width + 1, np.float32))
    support = result.support[result.support < width]
    return {
        "rows": rows.size, "recovery": data.recovery(folder, support), "support": support.tolist(),
        "value": result.value, "row evaluations a row": result.history[-1].rows / rows.size,
    }  # fmt: skip


def sampled(folder: Path) -> dict[str, Any]:
    """Sampling first."""
    from atmostk.solvers import StreamedExchange

    return maps(folder, StreamedExchange())


def passes(folder: Path) -> dict[str, Any]:
    """Every question a full pass."""
    from atmostk import Exchange

    return maps(folder, Exchange())


def sparse(folder: Path) -> dict[str, Any]:
    """Advertisements: K = 200 of a million columns, within 4 GB."""
    from atmostk import SparseClassifier
    from atmostk.datasets import open_rows

    rows = open_rows(folder, max_memory="4GB")
    model = SparseClassifier(at_most=200).fit(rows)
    return {
        "rows": rows.size, "recovery": data.recovery(folder, model.support_),
        "row evaluations a row": model.result_.history[-1].rows / rows.size,
    }  # fmt: skip


def _dense(rows: int, columns: int, chosen: int) -> Any:
    coefficients = data.truth(columns, chosen, 3)
    blocks = list(data.dense_blocks(rows, columns, coefficients, 3))
    return (np.concatenate(part).astype(np.float64) for part in zip(*blocks, strict=True))


def dask(folder: Path) -> dict[str, Any]:
    """Two worker processes against this one; then a worker killed with SIGKILL in the middle of each of ten fits."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from atmostk import SparseClassifier
    from atmostk.objectives.row_questions import Labels
    from atmostk.samplers import DaskRows

    X, y = _dense(200_000, 50, 8)
    here = SparseClassifier(at_most=8).fit(X, y)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        chunks = [da.from_array(part, chunks=(12_500, *part.shape[1:])).persist() for part in (X, y)]
        begun = time.perf_counter()
        there = SparseClassifier(at_most=8).fit(*chunks)
        seconds = time.perf_counter() - begun
        rows, empty = DaskRows(*chunks), Labels()
        rows.ask(empty)
        times = []
        for _ in range(30):
            begun = time.perf_counter()
            rows.ask(empty)
            times.append(time.perf_counter() - begun)
        same, apart = 0, []
        rng = np.random.default_rng(0)
        for turn in range(10):
            client.wait_for_workers(2, timeout=600)
            worker = list(cluster.workers.values())[turn % 2]
            killer = threading.Timer(seconds * rng.uniform(0.2, 0.8), os.kill, (worker.pid, signal.SIGKILL))
            killer.start()
            again = SparseClassifier(at_most=8).fit(*chunks)
            killer.join()
            same += np.array_equal(again.support_, here.support_)
            apart.append(float(np.abs(again.coef_ - here.coef_).max()))
    return {
        "same support": bool(np.array_equal(there.support_, here.support_)),
        "values apart": float(np.abs(there.coef_ - here.coef_).max()),
        "overhead a pass, ms (median)": 1e3 * float(np.median(times)),
        "overhead a pass, ms (least)": 1e3 * min(times),
        "ends with the same support after a kill, of 10": int(same),
        "values apart after kills": max(apart),
    }  # fmt: skip


def graph(folder: Path) -> dict[str, Any]:
    """A look at all pairs of p = 20,000 variables (n = 191) by one worker process and by two."""
    from joblib import Parallel, delayed, parallel_config

    from atmostk.graphs import spread_scan
    from atmostk.graphs.pair_scan import _guess, best_pairs
    from atmostk.graphs.pair_scores import Prices

    size, length, count = 20_000, 191, 160_000
    X = np.random.default_rng(0).standard_normal((size, length), np.float32) / np.float32(length**0.5)
    square = np.einsum("ij,ij->i", X, X)
    prices = Prices(square, 1 / (4 * square), np.float32(0))
    alone = best_pairs(X, X, prices, count)
    least = _guess(X, X, prices, count)
    found: dict[str, Any] = {}
    for workers in (1, 2):
        with parallel_config("loky", n_jobs=workers):
            Parallel()(delayed(_warm)() for _ in range(workers))
            times = []
            for _ in range(3):
                begun = time.perf_counter()
                pairs = spread_scan.above(X, X, prices, count, least, workers)
                times.append(time.perf_counter() - begun)
        found[f"seconds, {workers} worker{'s' * (workers > 1)}"] = min(times)
        found["same pairs"] = bool(
            np.array_equal(pairs.rows, alone.rows) & np.array_equal(pairs.columns, alone.columns)
        )
    found["faster with two"] = found["seconds, 1 worker"] / found["seconds, 2 workers"]
    shares = _cpu_of_shares(X, prices, count, least)
    busy = [0.0, 0.0]
    for seconds in shares:
        busy[busy.index(min(busy))] += seconds
    # What two processors of their own would make of it: wall seconds say little where others are at work.
    found["faster with two, by the CPU seconds of the shares"] = sum(shares) / max(busy)
    found["processors free (load before)"] = max(0.0, (os.cpu_count() or 1) - LOAD)
    return found


def _cpu_of_shares(X: np.ndarray, prices: Any, count: int, least: np.float32) -> list[float]:
    """The CPU seconds of each share of a look, as two workers would take them one after the other."""
    from itertools import pairwise

    from atmostk.graphs import spread_scan

    shares, times = 2 * spread_scan.SHARES, []
    ends = np.unique(np.round(len(X) * np.sqrt(np.arange(shares + 1) / shares)).astype(np.int64))
    side = (X, None, None, 0)
    for begin, end in pairwise(ends):
        begun = time.process_time()
        spread_scan._share(*side, *side, *prices, count, least, int(begin), int(end))
        times.append(time.process_time() - begun)
    return times


def _warm() -> int:
    from atmostk.graphs import spread_scan
    from atmostk.graphs.pair_scores import Prices

    rows, half = np.ones((2000, 16), np.float32), np.ones(2000, np.float32)
    spread_scan.above(rows, rows, Prices(half, half, np.float32(0)), 10, np.float32(5.0), 1)
    return os.getpid()


RUN = """
import sys
import numpy as np
from atmostk import SparseClassifier
from atmostk.datasets import open_rows

rows = open_rows(sys.argv[1], target="y.npy", max_memory="600MB")
np.save(sys.argv[3], SparseClassifier(at_most=8, ridge=1e-3).fit(rows, checkpoint=sys.argv[2]).coef_)
"""


def killed(folder: Path) -> dict[str, Any]:
    """SIGKILL at a random moment, twenty times, each resumed."""
    X, y = _dense(300_000, 50, 8)
    np.save(folder / "killed-X.npy", X.astype(np.float32))
    np.save(folder / "y.npy", y.astype(np.float32))

    def started(name: str) -> Any:
        files = (folder / "killed-X.npy", folder / f"{name}.npz", folder / f"{name}.npy")
        return subprocess.Popen([sys.executable, "-c", RUN, *map(str, files)], stderr=subprocess.PIPE)

    begun = time.monotonic()
    whole = started("whole")
    assert whole.wait() == 0
    seconds = time.monotonic() - begun
    answer = np.load(folder / "whole.npy")
    rng, same, died, complaints = np.random.default_rng(0), 0, 0, 0
    for turn in range(20):
        run = started(f"run{turn}")
        time.sleep(seconds * rng.uniform(0.3, 1.0))
        died += run.poll() is None
        run.kill()
        run.wait()
        again = started(f"run{turn}")
        complaints += again.wait() != 0
        same += np.array_equal(np.load(folder / f"run{turn}.npy"), answer)
    return {"killed before the end, of 20": died, "the same answer, of 20": int(same), "failed to resume": complaints}


LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def main() -> None:
    """Measure one target."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    wall, cpu = time.perf_counter(), time.process_time()
    found = globals()[name](folder)
    found |= {
        "wall seconds": time.perf_counter() - wall,
        "CPU seconds": time.process_time() - cpu,
        "peak MB": peak(),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
