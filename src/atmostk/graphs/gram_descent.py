"""Coordinate descent on the edges of a support and the diagonal, from the Gram matrix alone.

S is the Gram matrix X'X / rows, and row i of H is S w_i with w_i the i-th column of the graph. During the descent H is
kept where it is read, at (i, i) and (i, j) for each edge: a step costs the degree of two variables, not their number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.worth import KNOWN


class Penalty(NamedTuple):
    """What is added to F: ridge ||W||^2 + l1 sum of |w_ij| / worth_ij over both entries of each edge.

    `worth` is a matrix, or empty where every pair is worth the same. A pair worth nothing never enters; one that is
    worth `KNOWN` or more never leaves, and is not shrunk.
    """

    ridge: float
    l1: float
    worth: np.ndarray


class Neighbours(NamedTuple):
    """For variable i the places first[i] to first[i + 1]: its neighbours and the numbers of the edges to them."""

    first: np.ndarray
    other: np.ndarray
    edge: np.ndarray


@compiled(nogil=True)
def neighbours(size, rows, columns):
    """The neighbours of each variable."""
    edges = rows.shape[0]
    first = np.zeros(size + 1, np.int64)
    for e in range(edges):
        first[rows[e] + 1] += 1
        first[columns[e] + 1] += 1
    for i in range(size):
        first[i + 1] += first[i]
    place = first[:size].copy()
    other = np.empty(2 * edges, np.int64)
    edge = np.empty(2 * edges, np.int64)
    for e in range(edges):
        i = rows[e]
        j = columns[e]
        other[place[i]] = j
        edge[place[i]] = e
        place[i] += 1
        other[place[j]] = i
        edge[place[j]] = e
        place[j] += 1
    return Neighbours(first, other, edge)


@compiled(nogil=True)
def shrinkage(penalty, rows, columns):
    """The l1 of each edge."""
    each = np.full(rows.shape[0], penalty.l1)
    if penalty.worth.shape[0] > 0 and penalty.l1 > 0:
        for e in range(rows.shape[0]):
            worth = penalty.worth[rows[e], columns[e]]
            each[e] = 0.0 if worth >= KNOWN else penalty.l1 / max(worth, np.float32(1e-30))
    return each


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def products(S, d, w, near, H):
    """All of H = S W."""
    for i in range(S.shape[0]):
        target = H[i]
        source = S[i]
        scale = S.dtype.type(d[i])
        for k in range(S.shape[0]):
            target[k] = scale * source[k]
        for u in range(near.first[i], near.first[i + 1]):
            source = S[near.other[u]]
            scale = S.dtype.type(w[near.edge[u]])
            for k in range(S.shape[0]):
                target[k] += scale * source[k]


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def local_products(S, d, w, near, H, chosen):
    """H = S W where the descent reads it, for the chosen variables."""
    for i in range(S.shape[0]):
        if not chosen[i]:
            continue
        begin = near.first[i]
        end = near.first[i + 1]
        total = d[i] * S[i, i]
        for u in range(begin, end):
            total += w[near.edge[u]] * S[i, near.other[u]]
        H[i, i] = total
        for t in range(begin, end):
            k = near.other[t]
            source = S[k]
            total = d[i] * source[i]
            for u in range(begin, end):
                total += w[near.edge[u]] * source[near.other[u]]
            H[i, k] = total


@compiled(nogil=True)
def value(H, d, w, near, penalty, each):
    """F and its penalties, from H at the support."""
    total = 0.0
    for i in range(d.shape[0]):
        quadratic = d[i] * H[i, i]
        for u in range(near.first[i], near.first[i + 1]):
            quadratic += w[near.edge[u]] * H[i, near.other[u]]
        total += quadratic / d[i] - np.log(d[i]) + penalty.ridge * d[i] * d[i]
    for e in range(w.shape[0]):
        total += 2 * penalty.ridge * w[e] * w[e] + 2 * each[e] * abs(w[e])
    return total


@compiled(nogil=True)
def best_diagonal(s, q, ridge):
    """Where -log d + s d + q / d + ridge d^2 is least."""
    d = (1 + np.sqrt(1 + 4 * s * q)) / (2 * s)
    if ridge > 0:
        # The root of a cubic that is convex to the right of it: Newton comes down to it and never passes it.
        for _ in range(60):
            excess = ((2 * ridge * d + s) * d - 1) * d - q
            step = excess / ((6 * ridge * d + 2 * s) * d - 1)
            d -= step
            if abs(step) <= 1e-15 * d:
                break
    return d


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def descend(S, H, d, w, rows, columns, near, penalty, each, active, sweeps, tolerance, stir):
    """Sweep over edges and diagonal until a sweep gains less than the tolerance; `d`, `w` and H are updated.

    Only what touches an active variable is looked at. A variable becomes active where a change gained more than `stir`;
    at the end `active` says whose column has changed.
    """
    size = S.shape[0]
    now = active.copy()
    later = np.zeros(size, np.bool_)
    ridge = penalty.ridge
    for sweep in range(sweeps):
        gained = 0.0
        later[:] = False
        for e in range(rows.shape[0]):
            i = rows[e]
            j = columns[e]
            if not (now[i] or now[j]):
                continue
            a = S[j, j] / d[i] + S[i, i] / d[j] + 2 * ridge
            b = a * w[e] - H[i, j] / d[i] - H[j, i] / d[j] - 2 * ridge * w[e]
            best = max(abs(b) - each[e], 0.0) / a
            step = (best if b > 0 else -best) - w[e]
            if step == 0.0:
                continue
            gain = a * step * step
            w[e] += step
            gained += gain
            if gain > stir:
                later[i] = True
                later[j] = True
            active[i] = True
            active[j] = True
            Si = S[i]
            Sj = S[j]
            Hi = H[i]
            Hj = H[j]
            Hi[i] += step * Sj[i]
            for u in range(near.first[i], near.first[i + 1]):
                Hi[near.other[u]] += step * Sj[near.other[u]]
            Hj[j] += step * Si[j]
            for u in range(near.first[j], near.first[j + 1]):
                Hj[near.other[u]] += step * Si[near.other[u]]
        for i in range(size):
            if not (active[i] and (now[i] or later[i])):
                continue
            s = S[i, i]
            Hi = H[i]
            quadratic = d[i] * Hi[i]
            for u in range(near.first[i], near.first[i + 1]):
                quadratic += w[near.edge[u]] * Hi[near.other[u]]
            q = max(quadratic - 2 * d[i] * Hi[i] + d[i] * d[i] * s, 0.0)
            best = best_diagonal(s, q, ridge)
            step = best - d[i]
            gain = 0.5 * step * step * (1 / (d[i] * best) + 2 * q / (d[i] * d[i] * best))
            gained += gain
            if gain > stir:
                later[i] = True
            d[i] = best
            Si = S[i]
            Hi[i] += step * s
            for u in range(near.first[i], near.first[i + 1]):
                Hi[near.other[u]] += step * Si[near.other[u]]
        if gained < tolerance:
            return sweep + 1
        now[:] = later
    return sweeps
