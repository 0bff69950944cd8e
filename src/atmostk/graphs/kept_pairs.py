"""The best pairs so far of a look at all of them: as many as are wanted, and what a newcomer must beat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atmostk.graphs.ranking import compact


class Pairs(NamedTuple):
    """Pairs of variables, rows below columns, in ascending order, with their scores."""

    rows: np.ndarray
    columns: np.ndarray
    scores: np.ndarray


class KeptPairs:
    """At most `count` pairs when it matters, and room for some more in between; `least` only ever rises.

    >>> kept = KeptPairs(1, np.float32(0))
    >>> kept.add(np.array([0, 1], np.int32), np.array([2, 2], np.int32), np.array([3, 5], np.float32))
    >>> kept.pairs()
    Pairs(rows=array([1]), columns=array([2]), scores=array([5.], dtype=float32))
    """

    def __init__(self, count: int, least: np.float32) -> None:
        self.count, self.least, self.found = count, np.float32(least), 0
        room = max(2 * count, 1 << 16)
        self.rows, self.columns = np.empty(room, np.int32), np.empty(room, np.int32)
        self.scores = np.empty(room, np.float32)

    def add(self, rows: np.ndarray, columns: np.ndarray, scores: np.ndarray) -> None:
        """Take some more in; when the room is full, only the best stay and the least rises."""
        begin = 0
        while begin < scores.size:
            if self.found == self.scores.size:
                self._compact()
            end = min(scores.size, begin + self.scores.size - self.found)
            here, part = slice(self.found, self.found + end - begin), slice(begin, end)
            self.rows[here], self.columns[here], self.scores[here] = rows[part], columns[part], scores[part]
            self.found += end - begin
            begin = end

    def pairs(self) -> Pairs:
        """The best of all, by row, then column."""
        self._compact()
        found = slice(0, self.found)
        return in_order(self.rows[found], self.columns[found], self.scores[found])

    def _compact(self) -> None:
        if self.found > self.count:
            self.found, least = compact(self.rows, self.columns, self.scores, self.found, self.count)
            self.least = max(self.least, least)


def in_order(rows: np.ndarray, columns: np.ndarray, scores: np.ndarray) -> Pairs:
    """Pairs by row, then column."""
    rows, columns = rows.astype(np.int64), columns.astype(np.int64)
    order = np.argsort(rows * (columns.max(initial=0) + 1) + columns, kind="stable")
    return Pairs(rows[order], columns[order], scores[order])
