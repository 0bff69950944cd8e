"""Fits on rows that are read where they are: as in memory, within memory, and to be killed at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.sparse import csr_array

from atmostk import SparseClassifier, SparsePrecision, SparseRegressor
from atmostk.datasets import open_rows
from atmostk.samplers import SpreadRows, store_csr

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

RNG = np.random.default_rng(0)
X = (RNG.normal(size=(8000, 15)) + np.arange(15)).astype(np.float32)
X[:, 1:] += 0.5 * X[:, :-1]
Z = 0.8 * X[:, 2] - 0.6 * X[:, 7] + 0.4 * X[:, 11] - 1.0
CLASSES = np.where(Z - Z.mean() + RNG.logistic(size=8000) > 0, 7.0, 3.0).astype(np.float32)
KINDS = np.digitize(Z + RNG.normal(size=8000), [Z.mean() - 1, Z.mean() + 1]).astype(np.float32)
AMOUNTS = (Z + RNG.normal(size=8000)).astype(np.float32)
WEIGHTS = RNG.uniform(0.5, 2.0, 8000).astype(np.float32)


@pytest.fixture(params=["parquet", "npy", "csr", "spread"])
def source(request, tmp_path):
    """Opens X with a target, and weights if asked for, as rows of each kind."""

    def opened(target, weights=None, features=X):
        if request.param == "parquet":
            from pyarrow import parquet

            named = {f"c{j}": np.ascontiguousarray(features[:, j]) for j in range(15)} | {"y": target}
            if weights is not None:
                named["w"] = weights
            parquet.write_table(pyarrow.table(named), tmp_path / "rows.parquet", row_group_size=900)
            return open_rows(tmp_path / "rows.parquet", target="y", weights=None if weights is None else "w")
        if request.param == "csr":
            return open_rows(store_csr(tmp_path / "rows", csr_array(features), target, weights))
        np.save(tmp_path / "X.npy", features)
        np.save(tmp_path / "y.npy", target)
        if weights is not None:
            np.save(tmp_path / "w.npy", weights)
        rows = open_rows(tmp_path / "X.npy", target="y.npy", weights=None if weights is None else "w.npy")
        return SpreadRows(rows, n_jobs=2) if request.param == "spread" else rows

    return opened


def test_two_classes_as_in_memory(source) -> None:
    there = SparseClassifier(at_most=3).fit(source(CLASSES))
    here = SparseClassifier(at_most=3).fit(X.astype(float), CLASSES)
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=2e-5)
    np.testing.assert_array_equal(there.classes_, [3, 7])
    np.testing.assert_array_equal(there.predict(X), here.predict(X.astype(float)))
    assert there.certificate_.basic_feasible
    assert there.certificate_.best_exchange <= 0


def test_rules_weights_and_a_real_ridge_as_in_memory(source) -> None:
    rules = {"at_most": 3, "ridge": 0.1, "always": [0], "bounds": (0.0, None)}
    there = SparseRegressor(**rules).fit(source(AMOUNTS, WEIGHTS))
    here = SparseRegressor(**rules).fit(X.astype(float), AMOUNTS, WEIGHTS)
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=2e-5)
    assert there.intercept_ == pytest.approx(here.intercept_, abs=1e-4)


def test_several_classes_weighed_by_class_as_in_memory(source) -> None:
    model = SparseClassifier(at_most=3, class_weight="balanced", ridge=1e-3)
    there = model.fit(source(KINDS)).coef_
    here = SparseClassifier(at_most=3, class_weight="balanced", ridge=1e-3).fit(X.astype(float), KINDS).coef_
    np.testing.assert_allclose(there, here, atol=1e-4)


def test_counts_and_groups_as_in_memory(source) -> None:
    counts = RNG.poisson(np.exp(0.2 * (X[:, 2] - X[:, 2].mean()))).astype(np.float32)
    rules = {"at_most": 2, "loss": "poisson", "groups": np.arange(15) // 3}
    there = SparseRegressor(**rules).fit(source(counts))
    here = SparseRegressor(**rules).fit(X.astype(float), counts)
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=2e-4)


def test_a_graph_as_in_memory(source) -> None:
    there = SparsePrecision(edges=14).fit(source(AMOUNTS))
    here = SparsePrecision(edges=14).fit(X.astype(float))
    assert abs(there.precision_ - here.precision_).max() < 1e-4
    np.testing.assert_allclose(there.location_, here.location_, atol=1e-4)


def test_what_the_sample_did_not_show_is_found_by_the_passes(tmp_path) -> None:
    """The first rows, which are all that the sample may be, tell of other columns than all rows do."""
    from atmostk import AtMost, Exchange, Problem, minimize
    from atmostk.objectives import SquaredError
    from atmostk.solvers import StreamedExchange

    rng = np.random.default_rng(5)
    features = rng.normal(size=(20_000, 40))
    y = features[:, :4].sum(axis=1) + rng.normal(size=20_000)
    y[:3000] += 5 * features[:3000, 30:34].sum(axis=1)
    np.save(tmp_path / "X.npy", features)
    np.save(tmp_path / "y.npy", y)
    rows = open_rows(tmp_path / "X.npy", target="y.npy")
    seed = next(s for s in range(1000) if np.random.default_rng(s).integers(20_000) < 1500)
    problem = Problem(SquaredError(), rows, AtMost(4))
    exact = minimize(problem, Exchange(), np.zeros(40))
    found = minimize(problem, StreamedExchange(least=1000), np.zeros(40), seed=seed)
    sampled = next(record for record in found.history if record.phase == "whole")
    assert found.value < sampled.value - 0.1
    np.testing.assert_array_equal(found.support, exact.support)
    np.testing.assert_allclose(found.x, exact.x, atol=1e-4)


def test_few_passes_are_enough(tmp_path) -> None:
    """Counted: over the support's columns a few, over all columns one."""
    from pyarrow import parquet

    from atmostk import AtMost, Problem, minimize
    from atmostk.objectives import Logistic
    from atmostk.samplers import ParquetStore, StoredRows
    from atmostk.solvers import StreamedExchange

    named = {f"c{j}": np.ascontiguousarray(X[:, j] - X[:, j].mean()) for j in range(15)}
    parquet.write_table(
        pyarrow.table(named | {"y": (CLASSES == 7).astype(np.float32)}), tmp_path / "rows.parquet", row_group_size=900
    )
    asked = []

    class Counted(StoredRows):
        def ask(self, question):
            asked.append(question.columns)
            return super().ask(question)

    rows = Counted(ParquetStore(tmp_path / "rows.parquet", target="y"))
    minimize(Problem(Logistic(), rows, AtMost(3)), StreamedExchange(least=2000), np.zeros(15))
    assert sum(columns is None for columns in asked) == 1
    assert sum(columns is not None for columns in asked) <= 5
    assert all(columns.size == 3 for columns in asked if columns is not None)


def test_variances_are_kept_beside_the_run_and_never_those_of_other_rows(tmp_path, monkeypatch) -> None:
    from atmostk.estimators import moments_file

    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", AMOUNTS)
    rows = open_rows(tmp_path / "X.npy", target="y.npy")
    first = moments_file.kept_variances(rows, tmp_path / "run.npz")
    np.testing.assert_allclose(first, X.astype(float).var(axis=0), rtol=1e-5)
    kept = tmp_path / "run.npz.moments.npz"
    written = kept.stat().st_mtime_ns
    np.testing.assert_array_equal(moments_file.kept_variances(rows, tmp_path / "run.npz"), first)
    assert kept.stat().st_mtime_ns == written
    np.save(tmp_path / "X.npy", 2 * X)
    other = moments_file.kept_variances(open_rows(tmp_path / "X.npy", target="y.npy"), tmp_path / "run.npz")
    np.testing.assert_allclose(other, 4 * first, rtol=1e-5)
    kept.write_bytes(b"damaged")
    again = moments_file.kept_variances(open_rows(tmp_path / "X.npy", target="y.npy"), tmp_path / "run.npz")
    np.testing.assert_array_equal(again, other)


def test_bad_calls_are_told_in_one_sentence(tmp_path) -> None:
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", np.ones(8000))
    with pytest.raises(ValueError, match=r"has no target: name one, as open_rows"):
        SparseRegressor().fit(open_rows(tmp_path / "X.npy"))
    rows = open_rows(tmp_path / "X.npy", target="y.npy")
    with pytest.raises(TypeError, match="rows on disk hold their target"):
        SparseRegressor().fit(rows, AMOUNTS)
    with pytest.raises(ValueError, match="y holds only one class, 1, in the rows that count"):
        SparseClassifier().fit(rows)
    with pytest.raises(ValueError, match="checkpoint= is for rows from open_rows"):
        SparseRegressor().fit(X, AMOUNTS, checkpoint=tmp_path / "run.npz")
    np.save(tmp_path / "y.npy", AMOUNTS)
    with pytest.raises(ValueError, match="y takes more than 1000 values, which are no classes"):
        SparseClassifier().fit(open_rows(tmp_path / "X.npy", target="y.npy"))
    with pytest.raises(ValueError, match="impute and ranks need all rows in memory"):
        SparsePrecision(ranks=True).fit(rows)


MEASURED = """
import json, sys
from atmostk import SparseClassifier
from atmostk.datasets import open_rows

model = SparseClassifier(at_most=4).fit(open_rows(sys.argv[1], target="y", max_memory="550MB"))
# Not getrusage: its peak is at first that of the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([model.support_.tolist(), int(peak.split()[1])]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of memory is read from /proc")
def test_memory_stays_within_what_was_promised(tmp_path) -> None:
    """A file of 720 MB in a process that may take 550 MB, libraries and all."""
    from pyarrow import parquet

    folder = tmp_path / "rows.parquet"
    folder.mkdir()
    for part in range(12):
        rng = np.random.default_rng(part)
        some = rng.standard_normal((100_000, 150), np.float32)
        y = (some[:, [5, 50, 99, 140]].sum(axis=1) + rng.logistic(size=100_000) > 0).astype(np.float32)
        named = {f"c{j}": np.ascontiguousarray(some[:, j]) for j in range(150)} | {"y": y}
        parquet.write_table(pyarrow.table(named), folder / f"{part}.parquet", row_group_size=25_000)
    del some, named
    told = subprocess.run([sys.executable, "-c", MEASURED, str(folder)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    support, peak = json.loads(told.stdout)
    assert support == [5, 50, 99, 140]
    assert peak * 1024 <= 550e6


RUN = """
import sys
import numpy as np
from atmostk import SparseClassifier
from atmostk.datasets import open_rows

rows = open_rows(sys.argv[1], target="y.npy")
model = SparseClassifier(at_most=3, ridge=1e-3).fit(rows, checkpoint=sys.argv[2])
np.save(sys.argv[3], model.coef_)
"""


def test_killed_at_any_moment_it_goes_on_to_the_same_answer(tmp_path) -> None:
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", CLASSES)

    def started(name: str):
        return subprocess.Popen(
            [sys.executable, "-c", RUN, str(tmp_path / "X.npy"), str(tmp_path / f"{name}.npz"), str(tmp_path / name)]
        )

    begun = time.monotonic()
    assert started("whole").wait() == 0
    seconds = time.monotonic() - begun
    whole = np.load(tmp_path / "whole.npy")
    for turn, share in enumerate((0.6, 0.8, 0.95)):
        killed = started(f"run{turn}")
        time.sleep(share * seconds)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        assert started(f"run{turn}").wait() == 0
        np.testing.assert_array_equal(np.load(tmp_path / f"run{turn}.npy"), whole)


def test_a_path_and_a_choice_by_a_criterion_as_in_memory(tmp_path) -> None:
    from atmostk import SparseRegressorCV, sparse_path

    np.save(tmp_path / "X.npy", X.astype(float))
    np.save(tmp_path / "y.npy", AMOUNTS)
    rows = open_rows(tmp_path / "X.npy", target="y.npy")
    there, here = sparse_path(rows, at_most=[1, 3]), sparse_path(X.astype(float), AMOUNTS.astype(float), at_most=[1, 3])
    np.testing.assert_allclose(there.values, here.values, rtol=1e-6)
    choice = SparseRegressorCV(at_most=range(1, 5), criterion="bic", kicks=0)
    assert choice.fit(rows).at_most_ == choice.fit(X.astype(float), AMOUNTS.astype(float)).at_most_
    with pytest.raises(ValueError, match="take criterion='bic', 'ebic' or 'gic'"):
        SparseRegressorCV().fit(rows)


def test_huber_is_scaled_by_a_sample(tmp_path) -> None:
    np.save(tmp_path / "X.npy", X.astype(float))
    np.save(tmp_path / "y.npy", AMOUNTS + 100.0 * (np.arange(8000) % 40 == 0))
    rows = open_rows(tmp_path / "X.npy", target="y.npy")
    there = SparseRegressor(at_most=3, loss="huber").fit(rows)
    here = SparseRegressor(at_most=3, loss="huber").fit(X.astype(float), np.load(tmp_path / "y.npy"))
    np.testing.assert_array_equal(there.support_, here.support_)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-3)
