"""A learned network as a file that other programs read: one file here for each format."""

from atmostk.estimators.graph_files.write_network import write_network

__all__ = ["write_network"]
