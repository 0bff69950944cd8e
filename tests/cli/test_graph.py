"""`atmostk graph`: the right edges, in every format, and a sentence for whatever cannot be done."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import Call, interrupted, write_csv

PAIRS = {("G1", "G4"), ("G2", "G5")}


def test_the_right_edges_are_told_the_strongest_first(call: Call, genes: Path) -> None:
    told = call("graph", genes, "--edges", 2, "--json").json()
    assert (told["edges"], told["variables"], told["connected_variables"]) == (2, 6, 4)
    assert {(edge["first"], edge["second"]) for edge in told["network"]} == PAIRS
    strengths = {edge["first"]: edge["partial_correlation"] for edge in told["network"]}
    assert strengths["G1"] > 0.4
    assert strengths["G2"] < -0.4
    assert abs(told["network"][0]["partial_correlation"]) >= abs(told["network"][1]["partial_correlation"])


def test_a_person_reads_the_same_in_lines(call: Call, genes: Path) -> None:
    told = call("graph", genes, "-e", 2)
    assert told.code == 0
    assert "partial correlation" in told.out
    assert "{" not in told.out
    assert "50 samples" in told.err


def test_the_answer_is_that_of_the_estimator(call: Call, genes: Path) -> None:
    from atmostk import SparsePrecision

    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    model = SparsePrecision(edges=3).fit(X)
    told = call("graph", genes, "-e", 3, "--json").json()
    assert told["objective"] == pytest.approx(model.result_.value, rel=1e-9)
    expected = {f"G{edge.i} G{edge.j}": edge.weight for edge in model.edges_}
    found = {f"{edge['first']} {edge['second']}": edge["weight"] for edge in told["network"]}
    assert found == {pair: pytest.approx(weight, rel=1e-6) for pair, weight in expected.items()}


@pytest.mark.parametrize("ending", ["graphml", "gexf"])
def test_networkx_reads_the_network_back(call: Call, genes: Path, tmp_path: Path, ending: str) -> None:
    networkx = pytest.importorskip("networkx")
    out = tmp_path / f"network.{ending}"
    assert call("graph", genes, "-e", 2, "--out", out).code == 0
    graph: Any = getattr(networkx, f"read_{ending}")(out)
    name = {node: values.get("name", values.get("label")) for node, values in graph.nodes(data=True)}
    assert {tuple(sorted((name[one], name[other]))) for one, other in graph.edges} == PAIRS
    assert len(name) == 6


def test_the_edge_list_and_cytoscape_hold_the_same_edges(call: Call, genes: Path, tmp_path: Path) -> None:
    call("graph", genes, "-e", 2, "--out", tmp_path / "network.csv")
    call("graph", genes, "-e", 2, "--out", tmp_path / "network.json")
    rows = list(csv.DictReader((tmp_path / "network.csv").open()))
    assert {(row["first"], row["second"]) for row in rows} == PAIRS
    assert len(json.loads((tmp_path / "network.json").read_text())["elements"]["edges"]) == 2


def test_a_pipe_in_and_a_pipe_out(call: Call, genes: Path) -> None:
    told = call("graph", "-", "-e", 2, "--out", "-", stdin=genes.read_bytes())
    assert told.code == 0
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert {(row["first"], row["second"]) for row in rows} == PAIRS
    assert "edges" in told.err


def test_genes_in_rows_are_turned(call: Call, genes: Path, tmp_path: Path) -> None:
    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    columns = {"": [f"G{place}" for place in range(6)]} | {f"S{row}": X[row] for row in range(len(X))}
    turned = write_csv(tmp_path / "turned.csv", columns)
    found = call("graph", turned, "--transpose", "-e", 2, "--json").json()["network"]
    assert {(edge["first"], edge["second"]) for edge in found} == PAIRS


def test_an_archive_names_its_genes_and_its_labels_are_no_variable(call: Call, genes: Path, tmp_path: Path) -> None:
    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    file = tmp_path / "archive.npz"
    np.savez(file, X=X, genes=np.array(list("abcdef")), y=np.arange(50.0))
    told = call("graph", file, "-e", 2, "--json")
    assert {edge["first"] + edge["second"] for edge in told.json()["network"]} == {"be", "cf"}
    assert "'y'" in told.err


def test_annotated_data_is_read(call: Call, genes: Path, tmp_path: Path) -> None:
    anndata = pytest.importorskip("anndata")
    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    made = anndata.AnnData(X)
    made.var_names = [f"G{place}" for place in range(6)]
    made.write_h5ad(tmp_path / "cells.h5ad")
    found = call("graph", tmp_path / "cells.h5ad", "-e", 2, "--json").json()["network"]
    assert {(edge["first"], edge["second"]) for edge in found} == PAIRS


def test_a_geo_file_is_read(call: Call, data: Path) -> None:
    told = call("graph", data / "geo" / "GDS1116.soft.gz", "--most-variable", 40, "-e", 10, "--json").json()
    assert (told["edges"], told["variables"]) == (10, 40)


def test_known_edges_are_in_and_forbidden_ones_are_not(call: Call, genes: Path) -> None:
    told = call("graph", genes, "-e", 2, "--known", "G0,G3", "--forbidden", "G2,G5", "--json").json()
    assert {(edge["first"], edge["second"]) for edge in told["network"]} == {("G0", "G3"), ("G1", "G4")}


def test_missing_values_are_refused_or_filled(call: Call, genes: Path, tmp_path: Path) -> None:
    lines = genes.read_text().splitlines()
    lines[3] = ",".join(["", *lines[3].split(",")[1:]])
    holed = tmp_path / "holed.csv"
    holed.write_text("\n".join(lines) + "\n")
    call("graph", holed, "-e", 2).complained("G0", "row 3")
    assert call("graph", holed, "-e", 2, "--impute", "--json").json()["edges"] == 2
    left = call("graph", holed, "-e", 2, "--drop-missing", "--json")
    assert left.json()["edges"] == 2
    assert "1 of 50 rows" in left.err


def test_constant_variables_are_named_or_left_out(call: Call, genes: Path, tmp_path: Path) -> None:
    X = np.loadtxt(genes, delimiter=",", skiprows=1)
    columns: dict[str, Any] = {f"G{place}": X[:, place] for place in range(6)}
    flat = write_csv(tmp_path / "flat.csv", columns | {"FLAT": np.ones(50)})
    call("graph", flat, "-e", 2).complained("FLAT", "constant")
    told = call("graph", flat, "-e", 2, "--drop-constant", "--json")
    assert told.json()["variables"] == 6
    assert "1 of 7 variables never vary" in told.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--edges 1550"]),
        (["-e", "0"], ["--edges 0"]),
        (["-e", "-5"], ["--edges -5"]),
        (["-e", "many"], ["--edges many"]),
        (["-e", "16"], ["15 pairs"]),
        (["-e", "1,2"], ["--cv"]),
        (["-e", "2", "--known", "G1"], ["--known G1", "comma"]),
        (["-e", "2", "--known", "G1,TP53"], ["no variable 'TP53'"]),
        (["-e", "1", "--known", "G1,G2", "--known", "G1,G3"], ["known"]),
        (["-e", "2", "--ridge", "-1"], ["--ridge"]),
        (["-e", "2", "--shrinkage", "nan"], ["shrinkage"]),
        (["-e", "2", "--max-seconds", "0"], ["max_seconds"]),
        (["-e", "2", "--out", "network.txt"], [".graphml"]),
        (["-e", "2", "--out", "no/such/folder/network.csv"], ["no folder"]),
        (["-e", "2", "--format", "excel"], ["excel", "h5ad"]),
        (["-e", "2", "--drop", "G9"], ["G9"]),
        (["-e", "2", "--nonsense"], ["--nonsense", "--help"]),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(
    call: Call, genes: Path, options: list[str], words: list[str]
) -> None:
    call("graph", genes, *options).complained(*words)


def test_what_is_no_data_is_told_in_a_sentence(call: Call, genes: Path, tmp_path: Path) -> None:
    call("graph", tmp_path / "missing.csv", "-e", 1).complained("missing.csv", "no such file")
    call("graph", tmp_path, "-e", 1).complained("is a folder")
    (tmp_path / "empty.csv").write_text("")
    call("graph", tmp_path / "empty.csv", "-e", 1).complained("is empty")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    call("graph", tmp_path / "binary.csv", "-e", 1).complained("binary.csv")
    (tmp_path / "cells.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(30))
    call("graph", tmp_path / "cells.h5ad", "-e", 1).complained("cells.h5ad")
    (tmp_path / "set.soft.gz").write_bytes(b"\x1f\x8b\x08")
    call("graph", tmp_path / "set.soft.gz", "-e", 1).complained("set.soft.gz")
    cut = tmp_path / "cut.csv"
    cut.write_bytes(genes.read_bytes()[:-9])
    call("graph", cut, "-e", 1).complained("cut short")
    np.savez(tmp_path / "whole.npz", X=np.eye(4))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "whole.npz").read_bytes()[:150])
    call("graph", tmp_path / "cut.npz", "-e", 1).complained("cut.npz")
    words = write_csv(tmp_path / "words.csv", {"a": [1, 2, 3], "b": ["x", "y", "x"]})
    call("graph", words, "-e", 1).complained("'b'", "no number")
    one = write_csv(tmp_path / "one.csv", {"a": [1], "b": [2]})
    call("graph", one, "-e", 1).complained("sample")
    single = write_csv(tmp_path / "single.csv", {"a": [1, 2, 4]})
    call("graph", single, "-e", 1).complained("0 pairs")


def test_an_existing_network_is_overwritten_only_when_forced(call: Call, genes: Path, tmp_path: Path) -> None:
    out = tmp_path / "network.csv"
    out.write_text("mine")
    call("graph", genes, "-e", 2, "--out", out).complained("exists already", "--force")
    assert out.read_text() == "mine"
    assert call("graph", genes, "-e", 2, "--out", out, "--force").code == 0
    assert out.read_text() != "mine"


def test_a_run_is_kept_and_becomes_a_page(call: Call, genes: Path, tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    call("graph", genes, "-e", 2, "--run", tmp_path / "run")
    told = call("report", tmp_path / "run", "--json").json()
    page = Path(told["report"]).read_text()
    assert "2 edges among 6 variables" in page
    assert '"G5"' in page


def test_interrupted_it_leaves_the_best_network_so_far(genes: Path, tmp_path: Path) -> None:
    out = tmp_path / "network.csv"
    # So many kicks take hours: only the signal ends it.
    told = interrupted("graph", genes, "-e", 5, "--kicks", 10_000_000, "--out", out, after=12)
    assert told.code == 130
    assert told.err.splitlines()[-1] == f"atmostk graph: interrupted: the best network so far is in {out}."
    assert "interrupted" in told.out
    assert len(out.read_text().splitlines()) == 6
