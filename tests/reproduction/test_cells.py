"""Finished cells survive whatever ends a run, and no cell is run twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from reproduction.cells import Kept, complete

ROOT = Path(__file__).resolve().parents[2]
CELLS = [{"K": K, "seed": seed} for K in (5, 10) for seed in range(3)]


def squared(cell: dict, settings: dict) -> dict:
    return {"value": cell["K"] ** 2 + settings["offset"], "process": os.getpid()}


def run(file: Path, cells: list[dict], offset: int = 0) -> Kept:
    kept = Kept(file, {"offset": offset})
    complete(kept, cells, squared, jobs=1, seconds=lambda cell: 1.0, name="squares")
    return kept


def test_every_cell_is_kept_with_its_settings_and_versions(tmp_path: Path) -> None:
    kept = run(tmp_path / "cells.jsonl", CELLS)
    assert [cell for cell, _ in kept] == CELLS
    line = json.loads((tmp_path / "cells.jsonl").read_text().splitlines()[0])
    assert line["settings"] == {"offset": 0}
    assert {"python", "numpy"} <= line["versions"].keys()


def test_only_what_is_missing_is_run(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    run(file, CELLS[:4])
    before = file.read_text()
    kept = run(file, CELLS)
    assert file.read_text().startswith(before)
    assert [cell for cell, _ in kept] == CELLS


def test_a_line_cut_short_by_a_kill_costs_that_cell_alone(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    run(file, CELLS)
    file.write_text(file.read_text()[:-20])
    kept = Kept(file, {"offset": 0})
    assert kept.missing(CELLS) == CELLS[-1:]
    kept.add(CELLS[-1], {"value": 1}, 0.0)
    # The broken line is still there, ended; what follows it is whole.
    assert json.loads(file.read_text().splitlines()[-1])["cell"] == CELLS[-1]
    assert kept.missing(CELLS) == []


def test_results_of_other_settings_are_no_results_of_these(tmp_path: Path) -> None:
    run(tmp_path / "cells.jsonl", CELLS, offset=0)
    other = run(tmp_path / "cells.jsonl", CELLS, offset=7)
    assert [result["value"] for _, result in other] == [cell["K"] ** 2 + 7 for cell in CELLS]


def test_the_time_it_will_take_is_told_before_it_begins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    complete(Kept(tmp_path / "c.jsonl", {"offset": 0}), CELLS, squared, jobs=1, seconds=lambda cell: 1200.0, name="s")
    assert "6 of 6 cells to run, about 2.0 hours" in " ".join(capsys.readouterr().err.split())


SLOW = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from reproduction.cells import Kept, complete

def slow(cell, settings):
    time.sleep(0.2)
    return {{"twice": 2 * cell["K"]}}

cells = [{{"K": K}} for K in range(8)]
complete(Kept(Path({file!r}), {{}}), cells, slow, jobs=1, seconds=lambda cell: 0.2, name="slow")
"""


def test_a_run_that_was_killed_goes_on_with_what_is_left(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    program = SLOW.format(root=str(ROOT), file=str(file))
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    while not file.exists() or not file.read_text().endswith("\n"):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = len(list(Kept(file, {})))
    assert 1 <= done < 8
    subprocess.run([sys.executable, "-c", program], check=True, stderr=subprocess.DEVNULL)
    kept = list(Kept(file, {}))
    assert [cell["K"] for cell, _ in kept] == list(range(8))
    assert [result["twice"] for _, result in kept] == [2 * K for K in range(8)]
