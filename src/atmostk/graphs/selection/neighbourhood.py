"""Edges by the lasso of each variable on all others (Meinshausen and Buehlmann 2006), at one penalty for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atmostk.graphs.selection.neighbourhood_lasso import larger
from atmostk.graphs.selection.study import Study


@dataclass(frozen=True)
class Neighbourhood:
    """The pairs of the largest coefficients, either way, where about as many pairs as edges have one.

    The best rule with few rows, on hubs, and where edges are weak and of either sign.

    >>> Study(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])).chosen(Neighbourhood(), 1).keys
    array([1])
    """

    def scores(self, study: Study, edges: int, /) -> np.ndarray:
        """The larger of each pair's two coefficients."""
        return larger(study.lasso(edges))
