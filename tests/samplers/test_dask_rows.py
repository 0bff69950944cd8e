"""Rows on a Dask cluster: the same answers as in this process, whoever dies meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")
import dask.array as da  # noqa: E402 (after the skips)
import dask.dataframe as dd  # noqa: E402

from atmostk import SparseClassifier, SparsePrecision, SparseRegressor  # noqa: E402
from atmostk.objectives import Logistic  # noqa: E402
from atmostk.objectives.row_questions import Everywhere, Support  # noqa: E402
from atmostk.samplers import DaskRows  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6000, 20))
Y = np.where(X[:, 3] - X[:, 8] + 0.7 * X[:, 15] + RNG.logistic(size=6000) > 0, 2, 1)


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


def persisted():
    return da.from_array(X, chunks=(700, 20)).persist(), da.from_array(Y, chunks=700).persist()


@pytest.fixture(scope="module")
def here():
    return SparseClassifier(at_most=3).fit(X, Y)


def test_a_cluster_finds_what_this_process_finds(cluster, here) -> None:
    there = SparseClassifier(at_most=3).fit(*persisted())
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-6)
    np.testing.assert_allclose(there.intercept_, here.intercept_, atol=1e-6)
    np.testing.assert_array_equal(there.classes_, [1, 2])
    assert there.certificate_.whole
    assert there.certificate_.rows == 6000


def test_chunks_of_columns_are_joined_and_unknown_sizes_found(cluster, here) -> None:
    cut = da.from_array(X, chunks=(1000, 7))
    np.testing.assert_allclose(SparseClassifier(at_most=3).fit(cut, Y).coef_, here.coef_, atol=1e-6)
    every = cut[:, 0] < np.inf
    unknown, target = cut[every], da.from_array(Y, chunks=1000)[every]
    assert np.isnan(unknown.shape[0])
    rows = DaskRows(unknown, target)
    assert repr(rows) == "DaskRows(? x 20 in 6 partitions, with a target)"
    assert rows.size == 6000
    np.testing.assert_allclose(SparseClassifier(at_most=3).fit(unknown, target).coef_, here.coef_, atol=1e-6)


def test_a_data_frame_with_weights_teaches_its_names(cluster) -> None:
    frame = pandas.DataFrame(X, columns=[f"c{j}" for j in range(20)]).assign(y=Y, w=1.0 + Y)
    parts = dd.from_pandas(frame, npartitions=5)
    there = SparseRegressor(at_most=3).fit(parts.drop(columns=["y", "w"]), parts["y"], parts["w"])
    here = SparseRegressor(at_most=3).fit(frame.drop(columns=["y", "w"]), Y, 1.0 + Y)
    np.testing.assert_array_equal(there.get_feature_names_out(), here.get_feature_names_out())
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-6)


def test_a_graph_from_a_cluster(cluster) -> None:
    there = SparsePrecision(edges=10).fit(da.from_array(X, chunks=(1000, 20)))
    here = SparsePrecision(edges=10).fit(X)
    assert abs(there.precision_ - here.precision_).max() < 1e-6


def test_the_gradient_is_the_sum_over_partitions(cluster) -> None:
    labels = (Y == 2).astype(float)
    rows = DaskRows(da.from_array(X, chunks=(700, 20)), labels)
    x = np.zeros(20)
    x[[3, 8]] = 1.0, -1.0
    answer = rows.ask(Everywhere(Logistic(), Support(np.array([3, 8]), 1, 20), x[[3, 8]], False))
    q = 1 / (1 + np.exp(-X @ x))
    np.testing.assert_allclose(answer["gradient"], X.T @ (q - labels), atol=1e-8)
    np.testing.assert_allclose(answer["curvature"], (X**2).T @ (q * (1 - q)), atol=1e-8)
    assert answer["rows"] == 6000


def test_every_row_is_drawn_as_often_and_the_same_seed_draws_the_same(cluster) -> None:
    rows = DaskRows(da.from_array(np.arange(50.0)[:, None], chunks=(7, 1)))
    counts = np.zeros(50)
    for seed in range(20):
        drawn = rows.draw(25, np.random.default_rng(seed)).data.ravel().astype(int)
        assert len(set(drawn)) == 25
        counts[drawn] += 1
    assert counts.min() >= 2
    np.testing.assert_array_equal(
        rows.draw(9, np.random.default_rng(1)).data, rows.draw(9, np.random.default_rng(1)).data
    )
    assert rows.draw(99, np.random.default_rng(0)).whole


def test_a_worker_that_is_killed_in_a_pass_costs_no_answer(cluster, here) -> None:
    data = persisted()
    for turn in range(2):
        pids = [worker.pid for worker in cluster.workers.values()]
        killer = threading.Timer(0.1 + 0.2 * turn, os.kill, (pids[turn], signal.SIGKILL))
        killer.start()
        there = SparseClassifier(at_most=3).fit(*data)
        killer.join()
        np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-6)


def test_bad_input_is_told_in_one_sentence() -> None:
    whole = da.from_array(X, chunks=(3000, 20))
    with pytest.raises(ValueError, match="y has shape"):
        DaskRows(whole, Y[:-1])
    with pytest.raises(ValueError, match="in 2 partitions but its target or weights are in 3"):
        DaskRows(whole[whole[:, 0] < np.inf], da.from_array(Y, chunks=2000))
    frame = pandas.DataFrame({"a": [1.0, 2.0], "city": ["x", "y"]})
    with pytest.raises(TypeError, match=r"column 'city' holds .*, not numbers: encode it first"):
        DaskRows(dd.from_pandas(frame, npartitions=1))
    with pytest.raises(TypeError, match="needs a dask array of two dimensions"):
        DaskRows(da.ones(3))
    holes = da.from_array(np.array([[1.0], [np.nan]]), chunks=1)
    with pytest.raises(ValueError, match="a block of X holds NaN or infinity"):
        SparseRegressor(at_most=1).fit(holes, da.ones(2, chunks=1))
    with pytest.raises(ValueError, match="has no target"):
        SparseRegressor(at_most=1).fit(whole)


LOST = """
import sys, threading, time, os, signal
import numpy as np
from distributed import Client
import dask.array as da
from atmostk import SparseClassifier

client = Client(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 10))
y = (X[:, 0] + rng.logistic(size=4000) > 0).astype(float)
X, y = da.from_array(X, chunks=(500, 10)).persist(), da.from_array(y, chunks=500).persist()

def slow(block):
    time.sleep(0.3)
    return block

try:
    threading.Timer(3, os.kill, (int(sys.argv[2]), signal.SIGKILL)).start()
    while True:
        SparseClassifier(at_most=2).fit(X.map_blocks(slow), y, checkpoint=sys.argv[3])
        os.replace(sys.argv[3], sys.argv[3] + ".done")
except ConnectionError as error:
    print(error)
"""


def test_the_loss_of_the_scheduler_ends_with_a_sentence(tmp_path) -> None:
    address = tmp_path / "scheduler.json"
    environment = dict(os.environ, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen(
        [*command, "--scheduler-file", str(address)], env=environment, stderr=subprocess.DEVNULL
    )
    worker = None
    try:
        for _ in range(200):
            if address.exists() and address.stat().st_size:
                break
            time.sleep(0.1)
        import json

        where = json.loads(address.read_text())["address"]
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", where, "--no-nanny", "--no-dashboard",
             "--death-timeout", "5", "--local-directory", str(tmp_path)],
            stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        told = subprocess.run(
            [sys.executable, "-c", LOST, where, str(scheduler.pid), str(tmp_path / "run.npz")],
            capture_output=True, text=True, timeout=100, env=environment, check=False,
        )  # fmt: skip
        assert f"the Dask scheduler at {where} was lost in the middle of" in told.stdout, told.stderr[-2000:]
        assert "fit again to go on" in told.stdout
    finally:
        for process in (scheduler, worker):
            if process is not None:
                process.kill()
                process.wait()


def test_a_scheduler_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    from atmostk.samplers import connected

    for address in ("tcp://127.0.0.1:1", "nonsense"):
        with pytest.raises(ConnectionError, match=f"no Dask scheduler answers at {address}: is one running there"):
            connected(address, seconds=0.5)


def test_folds_and_paths_are_spread_over_a_cluster_by_joblib(cluster) -> None:
    import joblib

    from atmostk import SparseRegressorCV

    few, amounts = X[:300], X[:300, 3] - X[:300, 8]
    alone = SparseRegressorCV(at_most=range(1, 4), cv=3, kicks=0, n_jobs=1).fit(few, amounts)
    with joblib.parallel_config("dask"):
        spread = SparseRegressorCV(at_most=range(1, 4), cv=3, kicks=0, n_jobs=2).fit(few, amounts)
    np.testing.assert_array_equal(spread.support_, alone.support_)
    np.testing.assert_allclose(spread.scores_, alone.scores_)
