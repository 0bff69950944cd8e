"""The programs under examples/ do what their first line says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from examples import checkpointed_run, network_to_cytoscape


def test_a_run_that_was_stopped_goes_on_to_the_same_end(tmp_path: Path) -> None:
    whole = checkpointed_run.main(str(tmp_path / "whole.npz"), steps=30)
    checkpointed_run.main(str(tmp_path / "parts.npz"), steps=12)
    parts = checkpointed_run.main(str(tmp_path / "parts.npz"), steps=30)
    np.testing.assert_array_equal(parts.x, whole.x)
    assert parts.steps == 30


def test_a_geo_set_becomes_a_network_for_cytoscape(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "network.json"
    network_to_cytoscape.main([str(data / "geo" / "GDS1116.soft.gz"), str(out), "--genes", "30"])
    assert len(json.loads(out.read_text())["elements"]["nodes"]) == 30
