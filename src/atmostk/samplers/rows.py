"""Rows in memory: dense arrays, tensors and scipy's sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.sample import Sample
from atmostk.samplers.door import checked_features, checked_target, checked_weights

Array = Any


@dataclass(frozen=True, repr=False)
class Rows:
    """The rows of X, each with its entry of y and its weight where there are such.

    X may be a NumPy array, a scipy CSR or CSC array, a PyTorch tensor, or another array; it is neither copied nor
    written to. A batch is drawn without repetition; a batch as large as the data is the data.

    >>> import numpy as np
    >>> rows = Rows(np.arange(8.0).reshape(4, 2), np.array([0.0, 1.0, 0.0, 1.0]))
    >>> X, y = rows.draw(2, np.random.default_rng(0)).data
    >>> X.shape, rows.draw(4, np.random.default_rng(0)).whole
    ((2, 2), True)
    """

    X: Array
    y: Array = None
    weights: Array = None

    def __post_init__(self) -> None:
        X = checked_features(self.X)
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "y", None if self.y is None else checked_target(self.y, X))
        object.__setattr__(self, "weights", None if self.weights is None else checked_weights(self.weights, X))

    def __repr__(self) -> str:
        n, p = self.X.shape
        more = ", with a target" * (self.y is not None) + ", weighted" * (self.weights is not None)
        return f"Rows({n} x {p}{more})"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` rows without repetition, in the order they stand in."""
        if count >= self.size:
            return self._whole()
        chosen = arrays.as_index(np.sort(rng.choice(self.size, count, replace=False, shuffle=False)), self.X)
        return self._sample(chosen, count)

    def blocks(self) -> Iterator[Sample]:
        """All rows: they are in memory already."""
        yield self._whole()

    def _whole(self) -> Sample:
        return Sample(self.X if self.y is None else (self.X, self.y), self.size, self.weights, whole=True)

    def _sample(self, chosen: Array, count: int) -> Sample:
        data = self.X[chosen] if self.y is None else (self.X[chosen], self.y[chosen])
        return Sample(data, count, None if self.weights is None else self.weights[chosen])
