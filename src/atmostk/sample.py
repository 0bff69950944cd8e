"""What a sampler hands to an objective: some rows, how many, and whether they are all there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sample:
    """Some rows of the data.

    `data` is what the objective reads: (X, y) for a supervised loss, X for a graph, a batch for a network.

    >>> Sample(("X", "y"), size=100).weight
    100.0
    """

    data: Any
    size: int
    weights: Any = None  # one number a row, or None: all rows count the same
    whole: bool = False  # every row of the data, once: what is computed on it is exact

    @property
    def weight(self) -> float:
        """What the sample counts for when means over several samples are put together."""
        return float(self.size) if self.weights is None else float(self.weights.sum())
