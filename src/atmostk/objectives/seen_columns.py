"""The columns that a search comes back to, on at most 20,000 rows, taken out of X once, and their products.

It holds a few times the columns of one pool, whatever the width of X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array, hstack, vstack

from atmostk import arrays
from atmostk.objectives import columns

Array = Any
ONE_BY_ONE = 4  # columns, which are multiplied sooner one at a time than together
POOLS = 3  # how many pools' columns are held before all but the last one's are given back


class SeenColumns:
    """Rows of the blocks, evenly spread, and those of their columns that were asked for so far."""

    def __init__(self, blocks: list[Any], features: int) -> None:
        rows = sum(block.size for block in blocks)
        self.sparse = arrays.is_scipy_sparse(blocks[0].data[0])
        # All rows of a sparse X: a sample would miss the rare columns, and there is little to add up.
        self.step = 1 if self.sparse else columns.stride(rows, columns.SEEN_ENOUGH)
        self.whole = self.step == 1
        self._blocks = blocks
        self.y = _joined([block.data[1][:: self.step] for block in blocks])
        weights = [block.weights for block in blocks]
        self.share = np.ones(len(self.y)) if weights[0] is None else _joined([each[:: self.step] for each in weights])
        self.share = self.share.astype(np.float64) / max(float(self.share.sum(dtype=np.float64)), 1e-300)
        self.few = min(columns.PSEUDO_ROWS / len(self.y), 0.1)  # the share of ten rows
        self._where = np.full(features, -1, np.int32)  # the column of A that holds a feature, or -1
        self._forget()

    def _forget(self) -> None:
        self._where[:] = -1
        self._held = 0
        none: Any = csc_array if self.sparse else np.empty
        self._A: Any = none((len(self.y), 0), dtype=columns.precision(self._blocks[0].data[0]))
        self._squares = np.empty(0)
        self._products = np.empty((0, 0))
        self._asked = np.empty(0, np.int64)  # by column of A: its row of the products, or -1
        self._rows = 0
        self._upto = np.empty(0, np.int64)  # by row of the products: with how many columns of A they are known

    def of_rows(self, by_row: Array) -> Array:
        """What is known of each row, for the rows looked at."""
        if self.whole:
            return by_row
        parts, first = [], 0
        for block in self._blocks:
            parts.append(by_row[first : first + block.size : self.step])
            first += block.size
        return _joined(parts)

    def places(self, features: np.ndarray) -> np.ndarray:
        """The columns of `A` that hold these features, each of which is named once."""
        places = self._where[features]
        missing = features[places < 0]
        if missing.size == 0:
            return places
        if self._held + missing.size > POOLS * max(features.size, 64):
            self._forget()
            missing = features
        known, after = self._held, self._held + missing.size
        fresh = [columns.taken_as_stored(block.data[0], missing, self.step) for block in self._blocks]
        if self.sparse:
            self._A = csc_array(hstack((self._A, vstack(fresh)), format="csc"))
        else:
            if after > self._A.shape[1]:
                grown = np.empty((len(self.y), max(after, 2 * known)), self._A.dtype, order="F")
                grown[:, :known] = self._A[:, :known]
                self._A = grown
            self._A[:, known:after] = _joined(fresh)
        self._where[missing] = np.arange(known, after)
        self._held = after
        self._asked = np.concatenate((self._asked, np.full(missing.size, -1)))
        self._squares = np.concatenate((self._squares, columns.squares(self._A[:, known:after], self.share)))
        return self._where[features]

    def taken(self, features: np.ndarray) -> np.ndarray:
        """The columns of these features (ascending, each once)."""
        places = self.places(features)
        if places.size and places[-1] - places[0] == places.size - 1 and (np.diff(places) == 1).all():
            return self._A[:, places[0] : places[-1] + 1]
        return self._A[:, places]

    @property
    def pseudo(self) -> float:
        """The curvature of the rows that were not looked at, as a mean square: ten average rows."""
        return 0.0 if self.whole else self.few * float(self._squares.mean())

    def squares(self, features: np.ndarray) -> np.ndarray:
        """The mean square of each of these features, with those ten rows."""
        places = self.places(features)
        return self._squares[places] + self.pseudo

    def products(self, asked: np.ndarray, with_features: np.ndarray) -> np.ndarray:
        """The mean product over rows of features with features; those asked for are among the others (ascending)."""
        second = self.places(with_features)
        first = second[np.searchsorted(with_features, asked)]
        self._multiply(first)
        return self._products[self._asked[first][:, None], second]

    def _multiply(self, asked: np.ndarray) -> None:
        """The products of these columns of A with all that are held, as far as they are not known."""
        new = asked[self._asked[asked] < 0]
        if self._rows + new.size > self._products.shape[0] or self._held > self._products.shape[1]:
            rows = max(self._rows + new.size, min(2 * self._rows + 64, self._A.shape[1]))
            grown = np.empty((rows, max(self._A.shape[1], self._products.shape[1])))  # untouched memory is not taken
            grown[: self._rows, : self._products.shape[1]] = self._products[: self._rows]
            self._products = grown
            self._upto = np.concatenate((self._upto, np.zeros(rows - self._upto.size, np.int64)))
        if new.size:
            self._asked[new] = np.arange(self._rows, self._rows + new.size)
            self._rows += new.size
        upto = self._upto[self._asked[asked]]
        for some in (asked[upto == 0], asked[(upto > 0) & (upto < self._held)]):
            if some.size:
                rows = self._asked[some]
                first = int(self._upto[rows].min())
                weighed, held = columns.weighed(self._A[:, some], self.share), self._A[:, first : self._held]
                if some.size <= ONE_BY_ONE and not self.sparse:
                    for row, column in zip(rows, weighed.T, strict=True):
                        self._products[row, first : self._held] = column @ held
                else:
                    self._products[rows, first : self._held] = columns.products(weighed, held)
                self._upto[rows] = self._held


def _joined(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def features_of(entries: np.ndarray, outputs: int) -> tuple[np.ndarray, np.ndarray]:
    """The features of these entries (ascending, each once), and where each entry's feature stands among them.

    >>> features_of(np.array([0, 1, 4]), 2)
    (array([0, 2]), array([0, 0, 1]))
    """
    if outputs == 1:
        return entries, np.arange(entries.size)
    return np.unique(entries // outputs, return_inverse=True)
