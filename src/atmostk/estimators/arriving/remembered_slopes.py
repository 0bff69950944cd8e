"""Signed gradients remembered over batches: one batch ranks badly, many rank well."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

DECAY = 0.95  # a batch; measured against 0.5, 0.8, 0.98, resetting, and growing samples
WHOLE_BATCH = 1000  # rows; of a smaller batch the past is forgotten accordingly less


@dataclass(frozen=True)
class RememberedSlopes:
    """A decayed mean of gradients and, with the same weights, of what one row's slope scatters and bends.

    `rows` is how many rows weigh as much: of batches of m rows m (1 + decay) / (1 - decay), once there were many.

    >>> slopes = RememberedSlopes.none(1)
    >>> for _ in range(300):
    ...     slopes = slopes.seen(np.ones(1), 1000.0, scatter=2.0, bend=4.0)
    >>> slopes.mean, round(slopes.rows), round(slopes.dispersion, 6)
    (array([1.]), 39000, 0.5)
    """

    total: np.ndarray
    weight: float
    squares: float
    scatter: float
    bend: float

    @staticmethod
    def none(entries: int) -> RememberedSlopes:
        """Before the first batch."""
        return RememberedSlopes(np.zeros(entries), 0.0, 0.0, 0.0, 0.0)

    def seen(self, gradient: np.ndarray, rows: float, *, scatter: float, bend: float) -> RememberedSlopes:
        """With the gradient of a batch that counts for so many rows."""
        past = DECAY ** min(1.0, rows / WHOLE_BATCH)
        return RememberedSlopes(
            past * self.total + rows * gradient,
            past * self.weight + rows,
            past * past * self.squares + rows,
            past * self.scatter + rows * scatter,
            past * self.bend + rows * bend,
        )

    def moved(self, change: np.ndarray) -> RememberedSlopes:
        """As the gradients would have been at another point, where they differ by so much."""
        return RememberedSlopes(self.total + self.weight * change, self.weight, self.squares, self.scatter, self.bend)

    @property
    def mean(self) -> np.ndarray:
        """The remembered gradient."""
        return self.total / self.weight if self.weight > 0 else self.total

    @property
    def rows(self) -> float:
        """How many rows it is worth."""
        return self.weight**2 / self.squares if self.squares > 0 else 0.0

    @property
    def dispersion(self) -> float:
        """Twice what a coordinate that says nothing gains on a row by chance: 1 for a well specified likelihood, the
        noise's variance for squared error."""
        return self.scatter / self.bend if self.bend > 0 else math.inf

    def chance(self, units: int, entries: int) -> float:
        """What the best of so many units that say nothing, of so many entries each, gains by chance."""
        trials, more = math.log(max(units, 2)), entries - 1
        return self.dispersion * (trials + more / 2 + math.sqrt(more * trials)) / max(self.rows, 1.0)
