"""A search that was killed goes on from its file to the answer that it would have had."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmostk.datasets import band_graph
from atmostk.estimators import SparsePrecision
from atmostk.estimators.search_file import best_graph_from, load
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram


@pytest.fixture(scope="module")
def columns():
    X = band_graph(120).draw(60, seed=0)
    return np.ascontiguousarray(((X - X.mean(0)) / X.std(0) / 60**0.5).T.astype(np.float32))


class Killed(Exception):
    """Stands for a kill: raised after a look."""


@pytest.mark.parametrize("phases_of", [OnColumns, lambda columns: OnGram(columns @ columns.T)])
@pytest.mark.parametrize("look", [1, 2, 3])
def test_it_goes_on_to_the_same_answer_after_a_kill_at_any_look(columns, tmp_path, look, phases_of):
    whole = best_graph(phases_of(columns), 200)
    assert whole.passes > look
    looks = []

    def killed_at(now):
        looks.append(now.looks)
        if now.looks == look:
            raise Killed

    with pytest.raises(Killed):
        best_graph_from(tmp_path / "search", phases_of(columns), 200, columns, after_each=killed_at)
    again = best_graph_from(
        tmp_path / "search", phases_of(columns), 200, columns, after_each=lambda now: looks.append(now.looks)
    )
    assert looks == list(range(1, whole.passes + 1))
    assert again.value == whole.value
    for name in ("diagonal", "rows", "columns", "weights"):
        assert_array_equal(getattr(again.graph, name), getattr(whole.graph, name))


def test_a_real_kill_leaves_a_file_that_can_be_gone_on_from(tmp_path):
    program = textwrap.dedent("""
        import sys, time
        import numpy as np
        from atmostk.estimators.search_file import best_graph_from
        from atmostk.graphs.on_columns import OnColumns
        columns = np.random.default_rng(0).normal(size=(300, 40)).astype(np.float32) / np.float32(40**0.5)
        slow = sys.argv[2] == "slow"
        found = best_graph_from(sys.argv[1], OnColumns(columns), 400, columns,
                                after_each=lambda now: time.sleep(60 if slow else 0))
        print(found.value, found.graph.keys.sum(), found.passes)
    """)
    run = [sys.executable, "-c", program]
    file = tmp_path / "search.npz"
    first = subprocess.Popen([*run, str(file), "slow"])
    deadline = time.monotonic() + 120
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(first.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    first.wait()
    resumed = subprocess.run([*run, str(file), "fast"], capture_output=True, text=True, check=True).stdout
    anew = subprocess.run([*run, str(tmp_path / "other"), "fast"], capture_output=True, text=True, check=True).stdout
    assert resumed == anew


def test_a_finished_search_is_not_made_again(columns, tmp_path):
    first = best_graph_from(tmp_path / "search", OnColumns(columns), 200, columns)
    looks = []
    again = best_graph_from(tmp_path / "search", OnColumns(columns), 200, columns, after_each=looks.append)
    assert looks == []
    assert again.value == first.value


def test_the_file_of_another_search_is_refused(columns, tmp_path):
    file = tmp_path / "search"
    best_graph_from(file, OnColumns(columns), 200, columns, passes=0)
    for phases, edges, data in (
        (OnColumns(columns), 201, columns),
        (OnColumns(columns, ridge=0.1), 200, columns),
        (OnColumns(columns[::-1].copy()), 200, columns[::-1]),
    ):
        with pytest.raises(ValueError, match="belongs to another search"):
            best_graph_from(file, phases, edges, data)
    file.write_bytes(b"not a zip")
    with pytest.raises(ValueError, match="is not a saved graph search, or is damaged"):
        load(file, "")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        best_graph_from(tmp_path / "none" / "search", OnColumns(columns), 200, columns)
    with pytest.raises(ValueError, match="is a folder"):
        best_graph_from(tmp_path, OnColumns(columns), 200, columns)


def test_the_estimator_goes_on_from_its_checkpoint(tmp_path):
    X = band_graph(40).draw(100, seed=0)
    plain = SparsePrecision(edges=60).fit(X)
    kept = SparsePrecision(edges=60, checkpoint=tmp_path / "search")
    assert_array_equal(kept.fit(X).edges_.weight, plain.edges_.weight)
    assert_array_equal(kept.fit(X).edges_.weight, plain.edges_.weight)
    with pytest.raises(ValueError, match="belongs to another search"):
        kept.fit(2 * X[:50])
    with pytest.raises(ValueError, match="leave out kicks"):
        SparsePrecision(edges=60, kicks=1, checkpoint=tmp_path / "search").fit(X)


def test_threads_change_no_answer():
    X = np.random.default_rng(0).normal(size=(30, 3300)).astype(np.float32)
    X[:, 1:] += 0.7 * X[:, :-1]
    one, two = (SparsePrecision(edges=3000, n_jobs=jobs).fit(X) for jobs in (1, 2))
    assert_array_equal(one.graph_.keys, two.graph_.keys)
    assert_array_equal(one.graph_.weights, two.graph_.weights)
