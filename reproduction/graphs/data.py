"""The rows of the graph experiment: GDS2910 where it can be had, else rows of the same shape from a known graph."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.datasets import band_graph, block_graph, hub_graph, load_geo, uniform_graph

VARIABLES, SAMPLES, TRAIN = 1900, 191, 150  # of the paper (note 18)
SIMULATED: dict[str, Any] = {
    "band": band_graph,
    "hub": lambda size: hub_graph(size, seed=0),
    "block": lambda size: block_graph(size, seed=0),
    "uniform": lambda size: uniform_graph(size, seed=0),
}


@dataclass(frozen=True)
class Split:
    """Standardised rows, split as the paper splits them; `true_edges` where the graph is known."""

    train: np.ndarray
    validation: np.ndarray
    told: str
    true_edges: int | None = None

    @property
    def variables(self) -> int:
        """How many columns there are."""
        return self.train.shape[1]


def chosen(name: str | None) -> str:
    """The data that a run will use: what was asked for, else GDS2910, else the simulated rows."""
    if name is not None:
        return name
    try:
        load_geo("GDS2910")
    except (ConnectionError, ValueError):
        return "band"
    return "GDS2910"


@lru_cache(maxsize=2)
def split(name: str, standardize: str = "variables") -> Split:
    """The rows called `name`: the kind of a simulated graph, an accession, or a GEO file."""
    if name in SIMULATED:
        graph = SIMULATED[name](VARIABLES)
        X = graph.draw(SAMPLES, seed=0)
        axis = 0 if standardize == "variables" else 1
        X = (X - X.mean(axis=axis, keepdims=True)) / X.std(axis=axis, keepdims=True)
        told, edges = f"simulated {name} graph, {VARIABLES:,} variables x {SAMPLES} samples", len(graph.edges)
    else:
        found = load_geo(_file(name), standardize=standardize)  # pyright: ignore[reportArgumentType]
        X, edges = found.X, None
        told = f"{Path(name).name.split('.')[0]}, {X.shape[1]:,} variables x {X.shape[0]} samples"
    order = np.random.default_rng(42).permutation(len(X))
    count = round(len(X) * TRAIN / SAMPLES)
    X = X.astype(np.float32)
    return Split(X[order[:count]], X[order[count:]], told, edges)


def _file(name: str) -> str:
    """The file of an accession among the data sets that are here, if it is."""
    folder = os.environ.get("ATMOSTK_DATA")
    file = Path(folder or ".") / "geo" / f"{name}.soft.gz"
    return str(file) if folder and file.is_file() else name
