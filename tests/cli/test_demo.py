"""`atmostk demo`: the tour on little data, whole or a stop of it, and a report at its end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Call

pytest.importorskip("plotly", reason="plotly is not installed")


def test_features_and_a_graph_are_toured_and_reported(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "demo" / "report.html"
    options = ["--quick", "--only", "features", "--only", "graph", "--out", out]
    told = call("demo", *options, "--json").json()
    assert 1 <= told["features"]["features"] <= 5
    assert told["features"]["held_out_R2"] > 0.3
    assert told["graph"]["right"] > 0.3 * told["graph"]["edges"]
    assert told["report"] == str(out)
    page = out.read_text()
    assert page.count("<article") == 3  # the features, the paper's algorithm on them, the graph
    call("demo", *options).complained("exists already", "--force")


def test_the_attack_is_toured(call: Call, tmp_path: Path) -> None:
    for library in ("torch", "safetensors", "mlxtend"):
        pytest.importorskip(library, reason=f"{library} is not installed")
    told = call("demo", "--quick", "--only", "attack", "--out", tmp_path / "report.html", "--json").json()
    assert told["attack"]["hit_with_25_pixels"] > told["attack"]["hit_with_5_pixels"]


def test_without_pytorch_the_rest_is_toured(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from atmostk.cli.tour import attack

    monkeypatch.setattr(attack, "find_spec", lambda name: None if name == "torch" else sys)
    told = call("demo", "--quick", "--only", "features", "--only", "attack", "--out", tmp_path / "report.html")
    assert told.code == 0
    assert "the attack is left out, torch not being installed" in told.err
    assert "report.html" in told.out


def test_an_unknown_stop_is_answered_with_the_known_ones(call: Call, tmp_path: Path) -> None:
    call("demo", "--only", "keras", "--out", tmp_path / "report.html").complained("features, graph, attack")
