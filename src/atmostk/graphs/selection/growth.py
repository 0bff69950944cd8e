"""Edges by what they are worth to the objective, grown in stages: the budget itself, with no penalty or a light one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from atmostk.graphs.selection.study import Study


@dataclass(frozen=True)
class Growth:
    """The pairs of the largest gain or cost, after growing to so many edges with coordinate descent between.

    `shrinkage` is a share of the penalty at which an L1 method has as many edges: 0 is the plain budget, the best rule
    with many rows and where neighbouring edges overlap, as in a band; .5 is steadier with fewer rows.

    >>> Study(np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])).chosen(Growth(), 1).keys
    array([1])
    """

    shrinkage: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.shrinkage < math.inf:
            raise ValueError(f"Growth(shrinkage={self.shrinkage!r}): it must be a finite number of 0 or more.")

    def scores(self, study: Study, edges: int, /) -> np.ndarray:
        """The root of what each pair gains by entering, or costs by leaving."""
        # A slope of the objective is that of two regressions.
        l1 = self.shrinkage * 2 * study.penalty(edges) if self.shrinkage else 0.0
        return study.worths(study.grown(edges, l1))
