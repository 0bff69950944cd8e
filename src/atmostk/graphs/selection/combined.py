"""Edges by two opinions: what a pair is worth to the objective, and what the residuals of a lasso still share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from atmostk.graphs.selection.growth import Growth
from atmostk.graphs.selection.neighbourhood_lasso import residual_correlations
from atmostk.graphs.selection.study import Study


@dataclass(frozen=True)
class Combined:
    """The sum of `Growth`'s score and the residuals' correlation, each over its own E-th largest.

    The best single rule where nothing is cross-validated: `SparsePrecision(selection=Combined())`.

    >>> Study(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])).chosen(Combined(), 1).keys
    array([1])
    """

    def scores(self, study: Study, edges: int, /) -> np.ndarray:
        """Each opinion on its own scale, added."""
        grown = Growth().scores(study, edges)
        shared = residual_correlations(study.gram, study.lasso(edges))
        return grown / study.least(grown, edges) + shared / study.least(shared, edges)
