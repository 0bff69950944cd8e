"""`atmostk predict`: what the model says of new rows, and nothing of a file that is no model."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Call, write_csv


@pytest.fixture
def model(call: Call, prices: Path, tmp_path: Path) -> Path:
    assert call("fit", prices, "-y", "price", "-k", 2, "--out", tmp_path / "model.json").code == 0
    return tmp_path / "model.json"


def test_predictions_come_row_by_row(call: Call, model: Path, tmp_path: Path) -> None:
    new = write_csv(tmp_path / "new.csv", {"e": [1, 0], "name": ["Ann", "Bob"], "b": [2, 1]})
    told = call("predict", model, new)
    predicted = [float(row["predicted"]) for row in csv.DictReader(io.StringIO(told.out))]
    np.testing.assert_allclose(predicted, [3 * 2 - 2 * 1 + 5, 3 * 1 + 5], rtol=1e-6)
    as_json = call("predict", model, new, "--json").json()
    assert [row["predicted"] for row in as_json] == pytest.approx(predicted)


def test_with_the_target_there_the_score_is_told_aside(call: Call, model: Path, prices: Path) -> None:
    told = call("predict", model, prices)
    assert "R^2 on 60 rows: 1.0000" in told.err
    assert len(told.out.splitlines()) == 61


def test_a_classifier_tells_classes_and_probabilities(call: Call, species: Path, tmp_path: Path) -> None:
    call("fit", species, "-y", "kind", "-k", 1, "--out", tmp_path / "model.json")
    told = call("predict", tmp_path / "model.json", species, "--probabilities")
    rows = list(csv.DictReader(io.StringIO(told.out)))
    for row in rows:
        shares = {name: float(row[f"probability of {name}"]) for name in ("cat", "dog")}
        assert sum(shares.values()) == pytest.approx(1)
        assert row["predicted"] == max(shares, key=lambda name: shares[name])
    assert "accuracy on 60 rows" in told.err


def test_several_classes_come_back_as_they_were(call: Call, tmp_path: Path) -> None:
    x = np.repeat([0.0, 5.0, 10.0], 20) + np.random.default_rng(0).normal(size=60) / 5
    kinds = np.repeat(["ant", "bee", "cow"], 20)
    file = write_csv(tmp_path / "three.csv", {"x": x, "z": x[::-1] * 0 + np.arange(60) % 3, "kind": kinds})
    assert call("fit", file, "-y", "kind", "-k", 1, "--ridge", 0.01, "--out", tmp_path / "model.json").code == 0
    rows = list(csv.DictReader(io.StringIO(call("predict", tmp_path / "model.json", file).out)))
    assert np.mean([row["predicted"] == kind for row, kind in zip(rows, kinds, strict=True)]) > 0.9


def test_model_or_data_come_through_a_pipe(call: Call, model: Path, prices: Path) -> None:
    straight = call("predict", model, prices).out
    assert call("predict", model, "-", stdin=prices.read_bytes()).out == straight
    assert call("predict", "-", prices, stdin=model.read_bytes()).out == straight
    call("predict", "-", "-", stdin=b"").complained("standard input")


def test_new_data_without_a_feature_is_refused(call: Call, model: Path, tmp_path: Path) -> None:
    new = write_csv(tmp_path / "new.csv", {"e": [1, 0], "c": [2, 1]})
    call("predict", model, new).complained("no column 'b'")


def damaged(told: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**told, **changes})


def test_what_is_no_model_is_refused_with_a_sentence(call: Call, model: Path, prices: Path, tmp_path: Path) -> None:
    whole = json.loads(model.read_text())
    texts = {
        "empty": ("", "JSON"),
        "cut": (model.read_text()[:100], "JSON"),
        "list": ("[1, 2]", "no model of atmostk"),
        "other": ('{"format": "something else"}', "no model of atmostk"),
        "newer": (damaged(whole, format="atmostk model 99"), "another version"),
        "kind": (damaged(whole, kind="tree"), "kind is 'tree'"),
        "nan": (damaged(whole, intercept=[float("nan")]), "finite"),
        "word": (damaged(whole, coefficients=[["a", 1]]), "coefficients"),
        "short": (damaged(whole, coefficients=[[1.0]]), "coefficients"),
        "flat": (damaged(whole, coefficients=3), "damaged"),
        "twice": (damaged(whole, features=["b", "b"]), "twice"),
        "loss": (damaged(whole, loss="magic"), "magic"),
        "extra": (damaged(whole, evil=1), "damaged"),
        "without": (json.dumps({name: part for name, part in whole.items() if name != "features"}), "features"),
    }
    for name, (text, words) in texts.items():
        (tmp_path / name).write_text(text)
        call("predict", tmp_path / name, prices).complained(name, words)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    call("predict", tmp_path / "bytes", prices).complained("bytes", "no text")
    call("predict", tmp_path / "missing.json", prices).complained("no such file")


def test_predictions_are_not_written_over_what_exists(call: Call, model: Path, prices: Path, tmp_path: Path) -> None:
    out = tmp_path / "predicted.csv"
    assert call("predict", model, prices, "--out", out).out == ""
    call("predict", model, prices, "--out", out).complained("exists already")
    assert call("predict", model, prices, "--out", out, "--force").code == 0
    call("predict", model, prices, "--probabilities").complained("regressor")
