"""The Hessian over a pool of entries for rows that cannot be kept: from a sample, matched to what all rows say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.objectives.linear_model import SeenRows
from atmostk.objectives.seen_columns import SeenColumns


@dataclass(frozen=True)
class Matched:
    """A sample's Hessian, rows and columns scaled so that its diagonal is the one that all rows have.

    What the sample says is then only how columns go together; one that it never shows goes with no other.
    """

    seen: SeenRows
    scale: np.ndarray
    curvature: np.ndarray  # with the ridge

    @staticmethod
    def of(
        loss: Any, seen: SeenColumns, predictor: np.ndarray, entries: np.ndarray, outputs: int, curvature: np.ndarray,
        ridge: np.ndarray,
    ) -> Matched:  # fmt: skip
        """With the loss's bend at the predictor of the rows looked at."""
        rows = SeenRows.of(loss, seen, predictor, entries, outputs, np.zeros(entries.size))
        scale = np.sqrt((curvature - ridge) / np.maximum(rows.diagonal(), 1e-300))
        return Matched(rows, scale, curvature)

    def columns(self, asked: np.ndarray) -> np.ndarray:
        """These columns of the Hessian, as rows."""
        found = self.seen.columns(asked) * self.scale[asked, None] * self.scale
        found[np.arange(asked.size), asked] = self.curvature[asked]
        return found

    def diagonal(self) -> np.ndarray:
        """The curvature of each entry."""
        return self.curvature

    def blocks(self, members: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The Hessian within each unit."""
        found = self.seen.blocks(members, sizes) * self.scale[members][:, :, None] * self.scale[members][:, None, :]
        own = np.arange(members.shape[1])
        found[:, own, own] = self.curvature[members]
        return found


@dataclass(frozen=True)
class Whole:
    """The Hessian that all rows have."""

    matrix: np.ndarray

    @staticmethod
    def of(matrix: np.ndarray, curvature: np.ndarray, ridge: np.ndarray) -> Whole:
        """With the curvature of each entry on its diagonal, where few rows count as a little more, and the ridge."""
        matrix = (matrix + matrix.T) / 2
        np.fill_diagonal(matrix, np.maximum(curvature, matrix.diagonal() + ridge))
        return Whole(matrix)

    def columns(self, asked: np.ndarray) -> np.ndarray:
        """These columns of the Hessian, as rows."""
        return self.matrix[asked]

    def diagonal(self) -> np.ndarray:
        """The curvature of each entry."""
        return self.matrix.diagonal().copy()

    def blocks(self, members: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The Hessian within each unit."""
        return self.matrix[members[:, :, None], members[:, None, :]]
