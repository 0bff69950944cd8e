"""From a GEO data set to a network that Cytoscape opens, with the number of edges by cross-validation.

python -m examples.network_to_cytoscape GDS2910 network.json --genes 300
"""

from __future__ import annotations

import argparse

from atmostk import SparsePrecisionCV
from atmostk.datasets import load_geo
from atmostk.estimators import write_network


def main(arguments: list[str] | None = None) -> None:
    """Read (or download once), take the genes that vary most, learn, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="a .soft.gz or series matrix file, or an accession such as GDS2910")
    parser.add_argument("out", help="network.json, .graphml, .gexf, .csv or .parquet")
    parser.add_argument("--genes", type=int, default=300)
    asked = parser.parse_args(arguments)
    expression = load_geo(asked.source, standardize=None).most_variable(asked.genes)
    model = SparsePrecisionCV(random_state=0).fit(expression.X)
    model.feature_names_in_ = expression.names
    write_network(asked.out, model)
    print(f"{expression}: {len(model.edges_)} edges, in {asked.out}")
    print(model.edges_.strongest(5))


if __name__ == "__main__":
    main()
