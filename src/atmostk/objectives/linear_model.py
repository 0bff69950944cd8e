"""The Hessian of a linear predictor's loss over a pool of columns, from at most 20,000 rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives import columns
from atmostk.objectives.seen_columns import SeenColumns, features_of

Array = Any
LEAST_BEND = 1e-3  # of the mean: a row far out on a logistic curve still resists a little


@dataclass(frozen=True)
class SeenRows:
    """The pool's columns on the rows that are looked at: H = sum over rows of A_i' bend_i A_i, and the ridge.

    Entry e of the pool is the coefficient of column `places[e]` of A for output `own[e]`; `bend` is a number for each
    row, or with several outputs a matrix, times the row's share of the weight.
    """

    A: Array
    bend: np.ndarray
    places: np.ndarray
    own: np.ndarray
    ridge: np.ndarray
    lift: np.ndarray  # curvature that stands in for the rows not looked at

    @staticmethod
    def of(loss: Any, seen: SeenColumns, predictor: np.ndarray, entries: np.ndarray, outputs: int, ridge: Array) -> Any:
        """The columns of these entries, with the loss's bend at the predictor of the rows looked at."""
        features, places = features_of(entries, outputs)
        A = seen.taken(features)
        bend = loss.couplings(predictor, seen.y)
        if outputs == 1:
            bend = np.maximum(bend, LEAST_BEND * bend.mean(dtype=np.float64)) * seen.share
        else:
            bend = bend * seen.share[:, None, None]
        own = entries % outputs
        found = SeenRows(A, bend.astype(A.dtype), places, own, ridge, np.zeros(own.size))
        if seen.whole:
            return found
        average = seen.few * float((found.diagonal() - ridge).mean())
        return SeenRows(A, found.bend, places, own, ridge, np.full(own.size, average))

    def columns(self, asked: np.ndarray) -> np.ndarray:
        """These columns of the Hessian, as rows."""
        if self.bend.ndim == 1:
            found = columns.products(columns.weighed(self.A[:, self.places[asked]], self.bend), self.A)
        else:
            found = np.empty((asked.size, self.own.size))
            for place, entry in enumerate(asked):
                column = self.A[:, [self.places[entry]]]
                column = column.toarray() if arrays.is_scipy_sparse(column) else column
                by_row = column * self.bend[:, :, self.own[entry]]
                found[place] = (self.A.T @ by_row)[self.places, self.own]
        found[np.arange(asked.size), asked] += self.ridge[asked] + self.lift[asked]
        return found

    def diagonal(self) -> np.ndarray:
        """The Hessian's diagonal."""
        if self.bend.ndim == 1:
            found = columns.squares(self.A, self.bend)
        else:
            found = np.empty(self.own.size)
            for output in range(self.bend.shape[1]):
                here = self.own == output
                found[here] = columns.squares(self.A[:, self.places[here]], self.bend[:, output, output])
        return found + self.ridge + self.lift

    def blocks(self, members: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The Hessian within each unit, whose entries are its row of `members`."""
        widest = members.shape[1]
        found = np.zeros((members.shape[0], widest, widest))
        for a in range(widest):
            for b in range(a + 1):
                first, second = members[:, a], members[:, b]
                one, other = self.A[:, self.places[first]], self.A[:, self.places[second]]
                both = one.multiply(other) if arrays.is_scipy_sparse(one) else one * other
                if self.bend.ndim == 1:
                    sums = self.bend @ both
                else:
                    by_row = self.bend[:, self.own[first], self.own[second]]
                    both = both.multiply(by_row) if arrays.is_scipy_sparse(one) else both * by_row
                    sums = np.asarray(both.sum(axis=0)).ravel()
                found[:, a, b] = found[:, b, a] = sums + (self.ridge[first] + self.lift[first] if a == b else 0.0)
        return found
