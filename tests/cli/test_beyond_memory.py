"""`atmostk fit --max-memory`: the same model from rows that are read where they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Call


@pytest.fixture
def folder(prices: Path, tmp_path: Path) -> Path:
    """The prices as Parquet in two files."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = np.loadtxt(prices, delimiter=",", skiprows=1)
    folder = tmp_path / "prices"
    folder.mkdir()
    for part, some in enumerate((rows[:25], rows[25:])):
        columns = {name: some[:, place] for place, name in enumerate([*"abcdef", "price"])}
        parquet.write_table(pyarrow.table(columns), folder / f"{part}.parquet")
    return folder


def test_the_model_is_that_of_rows_in_memory(call: Call, folder: Path, prices: Path, tmp_path: Path) -> None:
    options = ["-y", "price", "-k", 2, "--json"]
    streamed = call(
        "fit", folder, *options, "--max-memory", "500MB", "--out", tmp_path / "m.json", "--test", prices
    ).json()
    assert {row["feature"]: row["coefficient"] for row in streamed["chosen"]} == {
        "b": pytest.approx(3, rel=1e-4),
        "e": pytest.approx(-2, rel=1e-4),
    }
    assert streamed["R^2_on_held-out_rows"] == pytest.approx(1)
    assert json.loads((tmp_path / "m.json").read_text())["made"]["rows"] == 60
    assert "R^2 on 60 rows: 1.0000" in call("predict", tmp_path / "m.json", prices).err


def test_what_cannot_be_streamed_is_told_in_a_sentence(call: Call, folder: Path, prices: Path) -> None:
    call("fit", prices, "-y", "price", "-k", 2, "--max-memory", "1GB").complained(".csv", ".parquet")
    call("fit", folder, "-y", "price", "--cv", "--max-memory", "1GB").complained("--cv")
    call("fit", folder, "-y", "cost", "-k", 2, "--max-memory", "1GB").complained("cost")
    call("fit", folder, "-y", "price", "-k", 2, "--max-memory", "much").complained("much")
    call("fit", "-", "-y", "price", "-k", 2, "--max-memory", "1GB").complained("named file")


def test_a_graph_is_that_of_samples_in_memory(call: Call, genes: Path, tmp_path: Path) -> None:
    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    np.save(tmp_path / "genes.npy", X)
    told = call("graph", tmp_path / "genes.npy", "-e", 2, "--max-memory", "500MB", "--json").json()
    whole = call("graph", genes, "-e", 2, "--json").json()
    assert told["objective"] == pytest.approx(whole["objective"], rel=1e-6)
    assert [(edge["first"], edge["second"]) for edge in told["network"]] == [
        (edge["first"].replace("G", "x"), edge["second"].replace("G", "x")) for edge in whole["network"]
    ]
    call("graph", genes, "-e", 2, "--max-memory", "1GB").complained(".csv")
    call("graph", tmp_path / "genes.npy", "--cv", "--max-memory", "1GB").complained("--cv")
    call("graph", tmp_path / "genes.npy", "-e", 2, "--impute", "--max-memory", "1GB").complained("impute")
    call("graph", tmp_path / "genes.npy", "-e", 2, "--drop", "x1", "--max-memory", "1GB").complained("--max-memory")
