"""What a rule of selection must answer, so that anyone can write one."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from atmostk.graphs.selection.study import Study


class Selection(Protocol):
    """A rule of one's own: a class with this one method, given as `selection=` to the graph estimators.

    >>> class Marginal:
    ...     def scores(self, study, edges):
    ...         return np.abs(study.gram)
    >>> Study(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])).chosen(Marginal(), 2).keys
    array([1, 5])
    """

    def scores(self, study: Study, edges: int, /) -> np.ndarray:
        """What each pair is worth when `edges` are wanted, read above the diagonal of a float32 matrix."""
        ...
