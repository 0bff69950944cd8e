"""Archives of expression data and of known networks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from atmostk.datasets import load_expression, load_known_network


def test_names_are_made_up_where_the_file_has_none(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.zeros((2, 3)), y=np.array(["sick", "well"]))
    read = load_expression(tmp_path / "a.npz")
    assert (read.names.tolist(), read.samples.tolist()) == (["V0", "V1", "V2"], ["S0", "S1"])
    assert read.y is not None
    assert read.y.tolist() == ["sick", "well"]


def test_the_most_variable_genes_are_kept_in_their_order(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=np.array([[0.0, 0, 0, 0], [3, 1, 9, 2]]), genes=np.array(list("abcd")))
    kept = load_expression(tmp_path / "a.npz").most_variable(2)
    assert (kept.names.tolist(), kept.X.tolist()) == (["a", "c"], [[0, 0], [3, 9]])
    with pytest.raises(ValueError, match="there are 2 variables"):
        kept.most_variable(3)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"data": np.eye(2)}, "has no array X: it holds data"),
        ({"X": np.zeros(3)}, "must be a matrix"),
        ({"X": np.eye(2), "genes": np.array(["a"])}, "genes has shape"),
        ({"X": np.array([[{}]], dtype=object)}, "not a readable"),
    ],
)
def test_an_archive_that_cannot_be_used_is_refused(tmp_path: Path, content: dict, sentence: str) -> None:
    np.savez(tmp_path / "a.npz", **content)
    with pytest.raises(ValueError, match=sentence):
        load_expression(tmp_path / "a.npz")


def test_files_that_are_no_archives_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        load_expression(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ValueError, match="not a readable"):
        load_expression(tmp_path / "text.npz")


def test_a_directed_network_becomes_its_pairs(tmp_path: Path) -> None:
    directed = np.zeros((3, 3), np.int8)
    directed[2, 0] = directed[0, 2] = directed[1, 2] = 1
    np.savez(tmp_path / "n.npz", X=np.zeros((4, 3)), other=directed)
    read = load_known_network(tmp_path / "n.npz", adjacency="other")
    assert read.edges.tolist() == [[0, 2], [1, 2]]
    with pytest.raises(ValueError, match="say adjacency= one of X, other"):
        load_known_network(tmp_path / "n.npz")
    with pytest.raises(ValueError, match="no network of measurements"):
        load_known_network(tmp_path / "n.npz", adjacency="X")


def test_the_simulated_networks_are_read(data: Path) -> None:
    dream = load_known_network(data / "simulated_networks" / "dream4_size100_1.npz")
    assert (dream.X.shape, dream.names[0]) == ((100, 100), "G1")
    syntren = load_known_network(data / "simulated_networks" / "syntren300.npz")
    assert syntren.X.shape == (800, 300)
    assert 0 < len(syntren.edges) < 300 * 299 / 2


def test_the_expression_data_is_read(data: Path) -> None:
    leukaemia = load_expression(data / "expression" / "yeoh-2002-v1.npz")
    assert leukaemia.X.shape == (248, 2526)
    assert leukaemia.y is not None
    assert "B-ALL" in leukaemia.y
