"""The graph experiment as the authors' program runs it, where that differs from the paper."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from atmostk import PIHT
from atmostk.graphs.gradient import GraphGradient
from atmostk.graphs.graph import Graph
from atmostk.graphs.residuals import residuals
from atmostk.objectives import GaussianGraph
from atmostk.objectives.gaussian_graph import columns_of
from atmostk.sample import Sample
from atmostk.solvers.piht import PIHTState


@dataclass(frozen=True)
class ReleasedGraph(GaussianGraph):
    """The pseudo-likelihood, with the gradient of the released program.

    Of a pair i < j it has the slope of variable j's term alone, and mirrors it: the term of i is left out. That is no
    gradient of the objective, so finite differences do not confirm it. The diagonal is right.
    """

    def _factors(self, x: Graph, sample: Sample) -> GraphGradient:
        right = super()._factors(x, sample)
        columns = columns_of(sample)
        scaled = residuals(columns, x) * (2 / x.diagonal).astype(columns.dtype)[:, None]
        return replace(right, left=columns, right=scaled, symmetric=False)


@dataclass(frozen=True)
class ReleasedPIHT(PIHT):
    """Algorithm 1 with the norm of the whole gradient in its test (paper note 5), from whatever point it is given.

    The released program starts from a matrix with more entries than it may have, because it counts a pair once; the
    first accepted step brings it down.
    """

    whole_slope: bool = True

    def start(self, problem: Any, x0: Any, rng: np.random.Generator, /) -> PIHTState:
        """At x0 itself."""
        return PIHTState(x0, x0.support, self.radius, math.inf, False, 0, None)
