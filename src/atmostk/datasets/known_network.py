"""Simulated expression of gene networks that are known: DREAM4, SynTReN and the like."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from atmostk.datasets.expression import opened_archive


@dataclass(frozen=True, repr=False)
class KnownNetwork:
    """Expression, samples by genes, and the network that made it: `edges` are its pairs (i, j), i < j, undirected.

    >>> KnownNetwork(np.zeros((5, 3)), np.array(["a", "b", "c"]), np.array([[0, 2]]))
    KnownNetwork(5 samples x 3 genes, 1 edges)
    """

    X: np.ndarray
    names: np.ndarray
    edges: np.ndarray

    def __repr__(self) -> str:
        return f"KnownNetwork({self.X.shape[0]} samples x {self.X.shape[1]} genes, {len(self.edges)} edges)"


def load_known_network(file: str | Path, *, measured: str | None = None, adjacency: str | None = None) -> KnownNetwork:
    """A `.npz` file with measurements, `genes`, and a 0/1 adjacency matrix.

    `measured` names the array of measurements (X, or multifactorial, in that order, where nothing is said), `adjacency`
    the matrix (gold_adjacency, or gold_adjacency_multifactorial, or gold_adjacency_main).

    >>> import numpy as np, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "chain.npz"
    >>> np.savez(file, X=np.eye(3), gold_adjacency=np.eye(3, k=1))
    >>> load_known_network(file).edges
    array([[0, 1],
           [1, 2]])
    """
    arrays = opened_archive(file, needs=tuple(name for name in (measured, adjacency) if name is not None))
    X = arrays[measured or _first(arrays, ("X", "multifactorial"), "measured", file)]
    wanted = ("gold_adjacency", "gold_adjacency_multifactorial", "gold_adjacency_main")
    matrix = arrays[adjacency or _first(arrays, wanted, "adjacency", file)]
    if X.ndim != 2 or matrix.shape != (X.shape[1], X.shape[1]):
        raise ValueError(f"{file}: a matrix of shape {matrix.shape} is no network of measurements of shape {X.shape}.")
    either = np.triu((matrix != 0) | (matrix.T != 0), 1)  # who regulates whom is not what a precision matrix can tell
    names = arrays.get("genes", np.array([f"V{place}" for place in range(X.shape[1])]))
    return KnownNetwork(X, names, np.argwhere(either))


def _first(arrays: dict[str, np.ndarray], names: tuple[str, ...], argument: str, file: str | Path) -> str:
    for name in names:
        if name in arrays:
            return name
    raise ValueError(f"{file} has none of {', '.join(names)}: say {argument}= one of {', '.join(sorted(arrays))}.")
