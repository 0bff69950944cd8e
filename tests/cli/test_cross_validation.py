"""`--cv`: the budget that rows held out prefer, for features and for graphs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Call, interrupted


def test_the_budget_of_the_features_is_the_true_one(call: Call, prices: Path, tmp_path: Path) -> None:
    options = ["--cv", "--one-standard-error", "--at-most", "1-4", "--out", tmp_path / "model.json"]
    told = call("fit", prices, "-y", "price", *options, "--run", tmp_path / "run", "--json").json()
    assert {row["feature"] for row in told["chosen"]} == {"b", "e"}
    assert [row["features"] for row in told["path"]] == [1, 2, 3, 4]
    held_out = [row["loss:_held_out"] for row in told["path"]]
    assert held_out[0] > 100 * held_out[1]
    assert json.loads((tmp_path / "model.json").read_text())["features"] == ["b", "e"]
    assert "loss: held out spread" in json.loads((tmp_path / "run" / "run.json").read_text())["tables"]["path"]


def test_classes_are_cross_validated_too(call: Call, species: Path) -> None:
    told = call("fit", species, "-y", "kind", "--cv", "--at-most", "1-3", "--folds", 3, "--json").json()
    assert "b" in {row["feature"] for row in told["chosen"]}
    assert len(told["path"]) == 3


def test_the_number_of_edges_is_chosen(call: Call, genes: Path, tmp_path: Path) -> None:
    out = tmp_path / "network.csv"
    options = ["--cv", "--edges", "1,2,6", "--one-standard-error", "--out", out, "--run", tmp_path / "run"]
    told = call("graph", genes, *options, "--json").json()
    assert told["edges"] in (1, 2, 6)
    assert [row["edges"] for row in told["path"]] == [1, 2, 6]
    assert {("G1", "G4"), ("G2", "G5")} <= {(row["first"], row["second"]) for row in csv.DictReader(out.open())}
    told = call("graph", genes, "--cv", "--json").json()
    assert told["edges"] >= 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--folds", "100"], ["--folds 100"]),
        (["--folds", "1"], ["--folds"]),
        (["--at-most", "0-3"], ["--at-most"]),
    ],
)
def test_what_cannot_be_cross_validated_is_told_in_a_sentence(
    call: Call, prices: Path, options: list[str], words: list[str]
) -> None:
    call("fit", prices, "-y", "price", "--cv", *options).complained(*words)


def test_a_graph_that_is_cross_validated_takes_no_clock(call: Call, genes: Path) -> None:
    call("graph", genes, "--cv", "--max-seconds", 3).complained("--max-seconds", "--cv")
    call("graph", genes, "--cv", "--kicks", 3).complained("--kicks", "--cv")


def test_interrupted_among_the_folds_it_leaves_a_graph_without_them(genes: Path, tmp_path: Path) -> None:
    out = tmp_path / "network.csv"
    options = ["--cv", "--folds", 50, "--edges", "1,2,3,6", "--out", out]
    told = interrupted("graph", genes, *options, after=1, step=("atmostk.estimators.sparse_precision_cv", "curve"))
    assert told.code == 130
    assert "the folds had chosen nothing yet: this is the graph of 2 edges" in told.err
    assert {(row["first"], row["second"]) for row in csv.DictReader(out.open())} == {("G1", "G4"), ("G2", "G5")}
