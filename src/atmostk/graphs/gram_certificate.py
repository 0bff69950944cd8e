"""How good a graph provably is, from its Gram matrix: slopes inside and outside, and the best single exchange."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.gram_descent import neighbours, products, shrinkage
from atmostk.graphs.worth import KNOWN


class Proof(NamedTuple):
    """The gradient's length on the support and its largest entry outside, the smallest weight, the best gain of a pair
    outside, and the least cost of one inside."""

    slope: float
    slope_outside: float
    smallest: float
    gain: float
    cost: float


@compiled(nogil=True)
def proof(S, d, w, rows, columns, penalty):
    """What can be said of the graph, by one look at all pairs."""
    size = S.shape[0]
    near = neighbours(size, rows, columns)
    each = shrinkage(penalty, rows, columns)
    H = np.empty_like(S)
    products(S, d, w, near, H)
    weighted = penalty.worth.shape[0] > 0
    squares = 0.0
    for i in range(size):
        quadratic = d[i] * H[i, i]
        for u in range(near.first[i], near.first[i + 1]):
            quadratic += w[near.edge[u]] * H[i, near.other[u]]
        slope = 2 * H[i, i] / d[i] - 1 / d[i] - quadratic / (d[i] * d[i]) + 2 * penalty.ridge * d[i]
        squares += slope * slope
    steepest = 0.0
    gain = 0.0
    cost = np.inf
    smallest = np.inf
    e = 0
    for i in range(size):
        for j in range(i + 1, size):
            half = H[i, j] / d[i] + H[j, i] / d[j]
            a = S[j, j] / d[i] + S[i, i] / d[j] + 2 * penalty.ridge
            worth = penalty.worth[i, j] if weighted else np.float32(1)
            if e < rows.shape[0] and rows[e] == i and columns[e] == j:
                half += 2 * penalty.ridge * w[e]
                if w[e] == 0:
                    half = max(abs(half) - each[e], 0.0)
                else:
                    half += each[e] if w[e] > 0 else -each[e]
                squares += 8 * half * half
                if worth < KNOWN:
                    smallest = min(smallest, abs(w[e]))
                    cost = min(cost, a * w[e] * w[e])
                e += 1
            elif worth > 0:
                excess = max(abs(half) - penalty.l1 / worth, 0.0)
                steepest = max(steepest, 2 * excess)
                gain = max(gain, excess * excess / a)
    return np.sqrt(squares), steepest, smallest, gain, cost
