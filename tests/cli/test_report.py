"""`atmostk report`: saved runs become one page, and nothing else is taken for a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Call

pytest.importorskip("plotly", reason="plotly is not installed")


def test_several_runs_become_one_page(call: Call, prices: Path, genes: Path, tmp_path: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 2, "--run", tmp_path / "features")
    call("graph", genes, "-e", 2, "--run", tmp_path / "graph")
    out = tmp_path / "page.html"
    told = call(
        "report", tmp_path / "features", tmp_path / "graph", "--out", out, "--title", "Both <of> them", "--json"
    )
    assert told.json() == {"report": str(out)}
    page = out.read_text()
    assert "<title>Both &lt;of&gt; them</title>" in page
    assert page.count("<article") == 2


def test_a_page_can_go_into_a_pipe_and_is_not_written_over_another(call: Call, prices: Path, tmp_path: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 2, "--run", tmp_path / "run")
    assert call("report", tmp_path / "run", "--out", "-").out.startswith("<!DOCTYPE html>")
    assert call("report", tmp_path / "run").code == 0
    call("report", tmp_path / "run").complained("report.html exists already")
    assert call("report", tmp_path / "run", "--force").code == 0


def test_what_is_no_run_is_refused(call: Call, prices: Path, tmp_path: Path) -> None:
    call("report", tmp_path / "nothing").complained("holds no saved run")
    call("fit", prices, "-y", "price", "-k", 2, "--run", tmp_path / "run")
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(told | {"kind": "trees"}))
    call("report", tmp_path / "run").complained("trees")
    (tmp_path / "run" / "run.json").write_text("{")
    call("report", tmp_path / "run").complained("damaged")
