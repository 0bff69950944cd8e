"""Which pairs are the edges, when there may be so many: rules that give each pair a score, and the best are chosen.

With many rows all rules agree; with few, which is best depends on the network, and `SparsePrecisionCV` finds out.
"""

from typing import Protocol

import numpy as np

from atmostk.graphs.selection.combined import Combined
from atmostk.graphs.selection.growth import Growth
from atmostk.graphs.selection.neighbourhood import Neighbourhood
from atmostk.graphs.selection.study import Study

__all__ = ["Combined", "Growth", "Neighbourhood", "Selection", "Study"]


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
