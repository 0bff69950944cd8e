"""Coordinate descent from the data itself, for graphs whose Gram matrix would not fit: one variable a row.

Row i of R is R_i = sum_j w_ij x_j, the residual of variable i; a step on an edge is two products of length `rows`.
"""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.gram_descent import best_diagonal


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _dot(one, two):
    total = one[0] * 0
    for k in range(one.shape[0]):
        total += one[k] * two[k]
    return total


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def refresh(X, R, d, w, near, chosen):
    """R_i of the chosen variables."""
    for i in range(X.shape[0]):
        if not chosen[i]:
            continue
        target = R[i]
        source = X[i]
        scale = X.dtype.type(d[i])
        for k in range(target.shape[0]):
            target[k] = scale * source[k]
        for u in range(near.first[i], near.first[i + 1]):
            source = X[near.other[u]]
            scale = X.dtype.type(w[near.edge[u]])
            for k in range(target.shape[0]):
                target[k] += scale * source[k]


@compiled(nogil=True)
def squares(X):
    """The squared length of each row."""
    found = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        found[i] = _dot(X[i], X[i])
    return found


@compiled(nogil=True)
def total(R, d):
    """sum_i ||R_i||^2 / d_i - log d_i."""
    found = 0.0
    for i in range(R.shape[0]):
        found += np.float64(_dot(R[i], R[i])) / d[i] - np.log(d[i])
    return found


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def descend(X, R, s, d, w, rows, columns, ridge, each, active, sweeps, tolerance, stir):
    """As `gram_descent.descend`, on R in place of H."""
    size = X.shape[0]
    length = X.shape[1]
    now = active.copy()
    later = np.zeros(size, np.bool_)
    for sweep in range(sweeps):
        gained = 0.0
        later[:] = False
        for e in range(rows.shape[0]):
            i = rows[e]
            j = columns[e]
            if not (now[i] or now[j]):
                continue
            a = s[j] / d[i] + s[i] / d[j] + 2 * ridge
            half = _dot(X[j], R[i]) / d[i] + _dot(X[i], R[j]) / d[j] + 2 * ridge * w[e]
            b = a * w[e] - half
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
            narrow = X.dtype.type(step)
            for k in range(length):
                R[i, k] += narrow * X[j, k]
                R[j, k] += narrow * X[i, k]
        for i in range(size):
            if not (active[i] and (now[i] or later[i])):
                continue
            q = max(_dot(R[i], R[i]) - 2 * d[i] * _dot(R[i], X[i]) + d[i] * d[i] * s[i], 0.0)
            best = best_diagonal(s[i], q, ridge)
            step = best - d[i]
            gain = 0.5 * step * step * (1 / (d[i] * best) + 2 * q / (d[i] * d[i] * best))
            gained += gain
            if gain > stir:
                later[i] = True
            d[i] = best
            narrow = X.dtype.type(step)
            for k in range(length):
                R[i, k] += narrow * X[i, k]
        if gained < tolerance:
            return sweep + 1
        now[:] = later
    return sweeps


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def rescore(X, R, s, d, ridge, rows, columns, own, scores, stale):
    """The scores of a list's pairs that touch a stale variable; `own` is a pair's weight, 0 outside the support."""
    for c in range(rows.shape[0]):
        i = rows[c]
        j = columns[c]
        if not (stale[i] or stale[j]):
            continue
        bare = s[j] / d[i] + s[i] / d[j]
        b = bare * own[c] - _dot(X[j], R[i]) / d[i] - _dot(X[i], R[j]) / d[j]
        scores[c] = b * b / (bare + 2 * ridge)
