"""Network files: read back by networkx, pandas and the standard library, they tell what the model knows."""

import csv
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from atmostk.datasets import band_graph
from atmostk.estimators import SparsePrecision, write_network
from atmostk.estimators.edge_table import EdgeTable

NAMES = ["a b", "c,d", 'e"f', "<g> & h", "tab\there", "Ünïcode", "n0", "0", "plain", "last"]


@pytest.fixture(scope="module")
def model():
    X = pd.DataFrame(band_graph(10).draw(200, seed=0), columns=NAMES)
    return SparsePrecision(edges=12).fit(X)


def told(network, weight="weight"):
    """The edges by name, with their attributes."""
    names = {node: network.nodes[node].get("name", node) for node in network}
    return {
        frozenset((names[i], names[j])): (attributes[weight], attributes["partial_correlation"])
        for i, j, attributes in network.edges(data=True)
    }


def known(model):
    return {frozenset((edge.first, edge.second)): (edge.weight, edge.partial_correlation) for edge in model.edges_}


def test_networkx_gets_every_name_weight_and_partial_correlation(model):
    network = model.to_networkx()
    assert told(network) == known(model)
    assert list(network) == NAMES
    assert nx.to_numpy_array(network)[2, 3] == pytest.approx(model.precision_[2, 3])


def test_graphml_comes_back_as_it_was(model, tmp_path):
    network = nx.read_graphml(write_network(tmp_path / "network.graphml", model))
    assert told(network) == known(model)
    assert [network.nodes[node]["name"] for node in network] == NAMES


def test_gexf_comes_back_as_it_was_with_thickness_as_weight(model, tmp_path):
    network = nx.read_gexf(write_network(tmp_path / "network.gexf", model.edges_))
    assert told(network, "precision") == known(model)
    assert [network.nodes[node]["label"] for node in network] == NAMES
    assert all(given["weight"] == abs(given["partial_correlation"]) for _, _, given in network.edges(data=True))


@pytest.mark.parametrize("ending", [".cyjs", ".json"])
def test_cytoscape_json_comes_back_as_it_was(model, tmp_path, ending):
    file = write_network(tmp_path / f"network{ending}", model)
    network = nx.cytoscape_graph(json.loads(file.read_text(encoding="utf-8")))
    assert told(network) == known(model)
    assert [network.nodes[node]["name"] for node in network] == NAMES


@pytest.mark.parametrize(("ending", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_an_edge_list_reads_back_bit_for_bit(model, tmp_path, ending, delimiter):
    file = write_network(tmp_path / f"network{ending}", model)
    with open(file, newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened, delimiter=delimiter))
    assert [(row["first"], row["second"]) for row in rows] == [(edge.first, edge.second) for edge in model.edges_]
    assert [float(row["weight"]) for row in rows] == model.edges_.weight.tolist()
    assert [float(row["partial_correlation"]) for row in rows] == model.edges_.partial_correlation.tolist()


def test_parquet_is_the_table(model, tmp_path):
    frame = pd.read_parquet(write_network(tmp_path / "network.parquet", model))
    pd.testing.assert_frame_equal(frame, model.edges_.to_frame(), check_dtype=False)


@pytest.mark.parametrize("ending", [".graphml", ".gexf", ".cyjs", ".csv", ".parquet"])
def test_a_network_without_edges_is_a_network(tmp_path, ending):
    none = np.empty(0, np.int64)
    table = EdgeTable(none, none, none.astype(float), none.astype(float), np.array(["a", "b"]))
    file = write_network(tmp_path / f"network{ending}", table)
    readers = {
        ".graphml": nx.read_graphml,
        ".gexf": nx.read_gexf,
        ".cyjs": lambda file: nx.cytoscape_graph(json.loads(file.read_text())),
    }
    if ending in readers:
        assert len(readers[ending](file)) == 2
    else:
        assert len(pd.read_csv(file) if ending == ".csv" else pd.read_parquet(file)) == 0


def test_variables_of_one_name_stay_apart(tmp_path):
    one = np.array([0]), np.array([1]), np.array([-0.5]), np.array([0.4])
    table = EdgeTable(*one, np.array(["same", "same", "control\x00character"]))
    assert len(nx.read_graphml(write_network(tmp_path / "network.graphml", table))) == 3
    assert len(nx.read_gexf(write_network(tmp_path / "network.gexf", table))) == 3
    assert list(SparsePrecision.to_networkx(type("Fitted", (), {"edges_": table}))) == [0, 1, 2]


def test_what_cannot_be_written_is_refused_in_a_sentence(model, tmp_path):
    with pytest.raises(ValueError, match=r"cannot tell the format of 'network.xlsx': end it in .graphml, .gexf"):
        write_network(tmp_path / "network.xlsx", model)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_network(tmp_path / "nowhere" / "network.csv", model)
    with pytest.raises(TypeError, match="takes a fitted SparsePrecision or its edges_, not list"):
        write_network(tmp_path / "network.csv", [])
    assert not list(tmp_path.iterdir())
