"""Data to learn from: simulators whose truth is known, and loaders of public data sets."""

from atmostk.datasets.cache import cache_folder
from atmostk.datasets.expression import Expression, load_expression
from atmostk.datasets.geo import load_geo
from atmostk.datasets.known_network import KnownNetwork, load_known_network
from atmostk.datasets.mnist import Mnist, mnist
from atmostk.datasets.open_rows import open_rows
from atmostk.datasets.simulated_graphs import TrueGraph, band_graph, block_graph, hub_graph, uniform_graph
from atmostk.datasets.table import Table, load_table

__all__ = [
    "Expression",
    "KnownNetwork",
    "Mnist",
    "Table",
    "TrueGraph",
    "band_graph",
    "block_graph",
    "cache_folder",
    "hub_graph",
    "load_expression",
    "load_geo",
    "load_known_network",
    "load_table",
    "mnist",
    "open_rows",
    "uniform_graph",
]
