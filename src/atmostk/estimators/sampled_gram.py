"""Graphs from rows beyond memory: products are added up sample by sample, until more rows would not change much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from atmostk import arrays
from atmostk.estimators.standardised import Scales, checked_scale
from atmostk.graphs.graph import Graph
from atmostk.graphs.held_out import surprise

FIRST = 4  # rows of the first sample, for each variable
LEAST = 1000


class Sums(NamedTuple):
    """Of rows less a fixed shift: how many, their sum, and the sum of their products."""

    rows: int
    total: np.ndarray
    products: np.ndarray

    def joined(self, other: Sums) -> Sums:
        """Both."""
        return Sums(self.rows + other.rows, self.total + other.total, self.products + other.products)


class Sampled(NamedTuple):
    """X'X / rows on the scale of the rows read, that scale, and how many rows were read."""

    gram: np.ndarray
    scales: Scales
    rows: int


def sampled_gram(
    source: Any, fit: Callable[[Sampled], Graph], rng: np.random.Generator, *, tolerance: float, centered: bool,
    standardize: bool, names: Any,
) -> Sampled | None:  # fmt: skip
    """As many rows as are needed: a graph is fitted to those read so far, and one to as many fresh ones.

    Enough is read when what each of the two graphs lacks on the other's rows is at most `tolerance` of what edges
    explain; else the fresh rows join the others, and as many again are drawn. None where half of all rows are not
    enough: then the whole pass is as cheap.
    """
    first = _matrix(source.draw(min(source.size, LEAST), rng))
    shift = np.zeros(first.shape[1]) if centered else first.mean(axis=0, dtype=np.float64)
    count = max(LEAST, FIRST * first.shape[1])
    read = _sums(source.draw(count, rng), shift) if 4 * count <= source.size else None
    while read is not None and 4 * read.rows <= source.size:
        now = _scaled(read, shift, centered, standardize, names)
        fresh = _sums(source.draw(read.rows, rng), shift)
        V = _held(fresh, shift, now.scales)
        one, other = fit(now), fit(Sampled(V, now.scales, fresh.rows))
        # Each graph on its own half and on the other's: how far the halves lie apart drops out.
        lacking = _value(V, one) - _value(V, other) + _value(now.gram, other) - _value(now.gram, one)
        explained = V.diagonal().sum() + np.log(now.gram.diagonal()).sum() - _value(V, one)
        read = read.joined(fresh)
        if lacking / 2 <= tolerance * max(explained, 0.0):
            return _scaled(read, shift, centered, standardize, names)
    return None


def _value(gram: np.ndarray, graph: Graph) -> float:
    """The objective of a graph on rows."""
    return float(
        -np.log(graph.diagonal).sum() + surprise(gram, graph.diagonal, graph.rows, graph.columns, graph.weights)
    )


def _matrix(sample: Any) -> np.ndarray:
    data = sample.data[0] if isinstance(sample.data, tuple) else sample.data
    if sample.weights is not None:
        raise ValueError("The rows are weighted: a graph is learned from rows that count the same.")
    return np.asarray(data.toarray() if hasattr(data, "toarray") else arrays.to_numpy(data))


def _sums(sample: Any, shift: np.ndarray) -> Sums:
    X = _matrix(sample)
    X = X - shift.astype(X.dtype if X.dtype.kind == "f" else np.float64)
    return Sums(len(X), X.sum(axis=0, dtype=np.float64), (X.T @ X).astype(np.float64, copy=False))


def _scaled(sums: Sums, shift: np.ndarray, centered: bool, standardize: bool, names: Any) -> Sampled:
    mean = np.zeros_like(shift) if centered else sums.total / sums.rows
    gram = sums.products / sums.rows - np.outer(mean, mean)
    location = shift + mean
    scale = checked_scale(np.sqrt(np.maximum(gram.diagonal(), 0)), location, names)
    scale = scale if standardize else np.ones_like(scale)
    return Sampled(gram / scale / scale[:, None], Scales(location, scale), sums.rows)


def _held(sums: Sums, shift: np.ndarray, scales: Scales) -> np.ndarray:
    """X'X / rows of fresh rows on the scale of others."""
    off = scales.location - shift
    total = np.outer(off, sums.total / sums.rows)
    found = sums.products / sums.rows - total - total.T + np.outer(off, off)
    return found / scales.scale / scales.scale[:, None]
