"""`atmostk certify`: on its own rows a model is proved as when it was fitted; elsewhere what would change is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Call, write_csv


def test_on_its_own_rows_it_is_what_the_fit_found(call: Call, prices: Path, tmp_path: Path) -> None:
    fitted = call("fit", prices, "-y", "price", "-k", 1, "--out", tmp_path / "model.json", "--json").json()
    told = call("certify", tmp_path / "model.json", prices, "--json").json()
    assert told["objective"] == pytest.approx(fitted["objective"], rel=1e-9)
    assert told["objective"] == pytest.approx(told["objective_where_it_was_fitted"], rel=1e-9)
    assert told["best_exchange"] < 0
    assert fitted["best_exchange"] < 0
    assert told["a_minimum_on_its_features"] is True
    assert (told["rows"], told["features"], told["candidates"]) == (60, 1, 6)


def test_the_gradient_outside_is_that_of_least_squares(call: Call, prices: Path, tmp_path: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 1, "--out", tmp_path / "model.json")
    told = call("certify", tmp_path / "model.json", prices, "--json").json()
    rows = np.loadtxt(prices, delimiter=",", skiprows=1)
    X, y = rows[:, :6], rows[:, 6]
    line = np.polyfit(X[:, 1], y, 1)
    gradient = X.T @ (np.polyval(line, X[:, 1]) - y) / len(y)
    assert told["largest_gradient_outside"] == pytest.approx(np.abs(np.delete(gradient, 1)).max(), rel=1e-6)
    assert told["L-stationary_from_L"] == pytest.approx(told["largest_gradient_outside"] / abs(line[0]), rel=1e-6)


def test_a_worse_feature_is_told_to_be_exchanged(call: Call, prices: Path, tmp_path: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 1, "--out", tmp_path / "model.json")
    model = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "worse.json").write_text(json.dumps(model | {"features": ["a"], "coefficients": [[0.001]]}))
    told = call("certify", tmp_path / "worse.json", prices, "--json").json()
    assert told["best_exchange"] > 1
    assert told["a_minimum_on_its_features"] is False
    assert "predicted to gain" in call("certify", tmp_path / "worse.json", prices).out


def test_classes_weights_and_a_ridge_are_those_of_the_fit(call: Call, species: Path, tmp_path: Path) -> None:
    rows = species.read_text().splitlines()
    weighted = tmp_path / "weighted.csv"
    weighted.write_text("\n".join([rows[0] + ",w", *(f"{row},{1 + n % 3}" for n, row in enumerate(rows[1:]))]) + "\n")
    options = ["--weights", "w", "--json"]
    fitted = call("fit", weighted, "-y", "kind", "-k", 2, "--ridge", 0.1, "--out", tmp_path / "m.json", *options).json()
    told = call("certify", tmp_path / "m.json", weighted, *options).json()
    assert told["objective"] == pytest.approx(fitted["objective"], rel=1e-6)
    assert told["a_minimum_on_its_features"] is True


@pytest.mark.parametrize("loss", ["huber", "quantile", "poisson", "gamma", "tweedie"])
def test_a_loss_keeps_the_scale_that_it_had_in_the_fit(call: Call, tmp_path: Path, loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(3)
    y = np.exp(1 + 0.5 * X[:, 0] + 0.3 * rng.normal(size=80)).round(2)
    columns: dict[str, Any] = {name: X[:, place] for place, name in enumerate("abc")}
    file = write_csv(tmp_path / "rows.csv", columns | {"y": y})
    call("fit", file, "-y", "y", "-k", 1, "--loss", loss, "--out", tmp_path / "m.json")
    told = call("certify", tmp_path / "m.json", file, "--json").json()
    assert told["objective"] == pytest.approx(told["objective_where_it_was_fitted"], rel=1e-6)
    assert told["a_minimum_on_its_features"] is True


def test_three_classes_are_certified_too(call: Call, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = np.repeat([0.0, 2.0, 4.0], 20) + rng.normal(size=60)
    file = write_csv(tmp_path / "t.csv", {"x": x, "z": rng.normal(size=60), "k": np.repeat([1, 2, 5], 20)})
    call("fit", file, "-y", "k", "-k", 1, "--classify", "--ridge", 0.01, "--out", tmp_path / "m.json")
    told = call("certify", tmp_path / "m.json", file, "--json").json()
    assert told["objective"] == pytest.approx(told["objective_where_it_was_fitted"], rel=1e-6)
    assert told["a_minimum_on_its_features"] is True


def test_data_that_does_not_fit_the_model_is_refused(call: Call, prices: Path, species: Path, tmp_path: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 2, "--out", tmp_path / "model.json")
    call("certify", tmp_path / "model.json", species).complained("no column 'price'")
    less = write_csv(tmp_path / "less.csv", {"b": [1, 2, 3], "price": [1, 2, 3]})
    call("certify", tmp_path / "model.json", less).complained("'e'")
    words = write_csv(tmp_path / "words.csv", {"b": [1, 2], "e": [1, 3], "price": ["dear", "cheap"]})
    call("certify", tmp_path / "model.json", words).complained("words")
    call("fit", species, "-y", "kind", "-k", 1, "--out", tmp_path / "kinds.json")
    birds = write_csv(tmp_path / "birds.csv", {"b": [1, 2, 3], "kind": ["cat", "hen", "dog"]})
    call("certify", tmp_path / "kinds.json", birds).complained("hen")
    call("certify", "-", "-", stdin=b"").complained("standard input")
