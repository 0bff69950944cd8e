"""The Hessian at one point between those entries that were ever asked for; what is known is not computed again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


class HessianStore:
    """Grows by the columns of new entries; holds nothing as long as x, but for where each entry stands.

    >>> store = HessianStore(lambda entries: np.diag([1.0, 2.0, 3.0])[entries], 3)
    >>> store.among(np.array([0, 2]))
    array([[1., 0.],
           [0., 3.]])
    """

    def __init__(self, columns: Callable[[np.ndarray], np.ndarray], size: int) -> None:
        self._columns = columns
        self._place = np.full(size, -1)
        self.known = np.empty(0, np.int64)
        self._matrix = np.empty((0, 0))

    def among(self, entries: np.ndarray) -> np.ndarray:
        """The Hessian between these entries."""
        self._take(entries[self._place[entries] < 0])
        places = self._place[entries]
        return self._matrix[places[:, None], places]

    def diagonal(self) -> np.ndarray:
        """The curvature of the entries in `known`."""
        return np.diag(self._matrix)[: self.known.size].copy()

    def _take(self, new: np.ndarray) -> None:
        if new.size == 0:
            return
        columns = self._columns(new)
        before, after = self.known.size, self.known.size + new.size
        if after > len(self._matrix):
            room = max(2 * len(self._matrix), after)
            grown = np.empty((room, room))
            grown[:before, :before] = self._matrix[:before, :before]
            self._matrix = grown
        self.known = np.concatenate((self.known, new))
        self._place[new] = np.arange(before, after)
        self._matrix[before:after, :before] = columns[:, self.known[:before]]
        self._matrix[:before, before:after] = self._matrix[before:after, :before].T
        own = columns[:, new]
        self._matrix[before:after, before:after] = (own + own.T) / 2
