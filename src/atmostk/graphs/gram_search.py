"""The search for the best edges on a Gram matrix: grow in stages, then exchange, each phase one compiled call."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.gram_descent import descend, local_products, neighbours, products, shrinkage, value
from atmostk.graphs.gram_scan import best_pairs, joined, rescore
from atmostk.graphs.ranking import best_of, threshold

SWEEPS = 8  # after a change of the support; more gain nothing before the next change
LISTED = 3  # candidates kept outside, for each edge of the budget
STIR = 1e-10  # of F: a gain that makes a neighbour worth another look
LEAST = 1e-7  # of F: the decrease that makes an exchange a success


@compiled(nogil=True)
def grow(S, H, d, rows, columns, w, edges, penalty, tolerance):
    """The `edges` pairs of the largest score, in and out alike, the descent on them, and F; d is updated."""
    size = S.shape[0]
    near = neighbours(size, rows, columns)
    products(S, d, w, near, H)
    outside, across = best_pairs(S, H, d, penalty.ridge, penalty.worth, edges + rows.shape[0])
    i, j = joined(size, outside, across, rows, columns)
    every = np.ones(size, np.bool_)
    scores = np.empty(i.shape[0], np.float32)
    rescore(S, d, w, near, penalty, i, j, scores, every)
    chosen = best_of(scores, edges)
    new_rows = np.empty(edges, np.int64)
    new_columns = np.empty(edges, np.int64)
    weights = np.empty(edges)
    kept = 0
    old = 0
    for c in range(i.shape[0]):
        inside = old < rows.shape[0] and rows[old] == i[c] and columns[old] == j[c]
        if chosen[c]:
            new_rows[kept] = i[c]
            new_columns[kept] = j[c]
            weights[kept] = w[old] if inside else 0.0
            kept += 1
        old += inside
    new_rows = new_rows[:kept]
    new_columns = new_columns[:kept]
    weights = weights[:kept]
    best = refit(S, H, d, new_rows, new_columns, weights, penalty, SWEEPS, tolerance)
    return new_rows, new_columns, weights, best


@compiled(nogil=True)
def refit(S, H, d, rows, columns, w, penalty, sweeps, tolerance):
    """The descent on a given support; d and w are updated. F there."""
    size = S.shape[0]
    near = neighbours(size, rows, columns)
    each = shrinkage(penalty, rows, columns)
    every = np.ones(size, np.bool_)
    local_products(S, d, w, near, H, every)
    descend(S, H, d, w, rows, columns, near, penalty, each, every, sweeps, tolerance, 0.0)
    return value(H, d, w, near, penalty, each)


@compiled(nogil=True)
def exchanged(size, rows, columns, w, scores_inside, dearest, leaving, keys):
    """The support without the `leaving` cheapest pairs, with those of the keys, which ascend; a new one weighs 0."""
    total = rows.shape[0]
    entering = keys.shape[0]
    new_rows = np.empty(total + entering, np.int64)
    new_columns = np.empty(total + entering, np.int64)
    weights = np.empty(total + entering)
    left = np.zeros(size, np.bool_)
    kept = 0
    k = 0
    gone = 0
    for e in range(total + 1):
        here = rows[e] * size + columns[e] if e < total else size * size
        while k < entering and keys[k] < here:
            new_rows[kept] = keys[k] // size
            new_columns[kept] = keys[k] % size
            weights[kept] = 0.0
            left[new_rows[kept]] = True
            left[new_columns[kept]] = True
            kept += 1
            k += 1
        if e == total:
            break
        if gone < leaving and scores_inside[e] <= dearest:
            gone += 1
            left[rows[e]] = True
            left[columns[e]] = True
        else:
            new_rows[kept] = rows[e]
            new_columns[kept] = columns[e]
            weights[kept] = w[e]
            kept += 1
    return new_rows[:kept], new_columns[:kept], weights[:kept], left


@compiled(nogil=True)
def exchange(S, H, d, rows, columns, w, penalty, edges, tolerance):
    """One list of candidates from a look at all pairs, and exchanges in it until none pays; d is updated.

    The c cheapest inside leave for the c best outside, c a quarter when the trial does not pay. The new support, its
    weights, F, and how many pairs were exchanged.
    """
    size = S.shape[0]
    near = neighbours(size, rows, columns)
    each = shrinkage(penalty, rows, columns)
    products(S, d, w, near, H)
    best = value(H, d, w, near, penalty, each)
    outside, across = best_pairs(S, H, d, penalty.ridge, penalty.worth, LISTED * edges + rows.shape[0])
    i, j = joined(size, outside, across, rows, columns)
    scores = np.empty(i.shape[0], np.float32)
    stale = np.ones(size, np.bool_)
    moved = 0
    while True:
        rescore(S, d, w, near, penalty, i, j, scores, stale)
        least = threshold(scores, i.shape[0], min(edges, i.shape[0]))
        inside = np.empty(rows.shape[0], np.float32)
        losing = np.empty(rows.shape[0], np.float32)
        gaining = np.empty(i.shape[0], np.float32)
        entering = np.empty(i.shape[0], np.int64)
        going = 0
        coming = 0
        old = 0
        for c in range(i.shape[0]):
            if old < rows.shape[0] and rows[old] == i[c] and columns[old] == j[c]:
                inside[old] = scores[c]
                if scores[c] < least:
                    losing[going] = scores[c]
                    going += 1
                old += 1
            elif scores[c] >= least and scores[c] > 0:
                gaining[coming] = scores[c]
                entering[coming] = i[c] * size + j[c]
                coming += 1
        room = edges - rows.shape[0]
        leaving = max(0, min(going, coming - room))
        losing = np.sort(losing[:going])
        order = np.argsort(-gaining[:coming], kind="mergesort")
        paid = False
        while leaving > 0 or min(room, coming) > 0:
            keys = np.sort(entering[order[: leaving + room]])
            dearest = losing[leaving - 1] if leaving > 0 else np.float32(-1)
            trial_rows, trial_columns, weights, active = exchanged(
                size, rows, columns, w, inside, dearest, leaving, keys
            )
            diagonal = d.copy()
            trial_near = neighbours(size, trial_rows, trial_columns)
            trial_each = shrinkage(penalty, trial_rows, trial_columns)
            local_products(S, diagonal, weights, trial_near, H, active)
            descend(
                S, H, diagonal, weights, trial_rows, trial_columns, trial_near, penalty, trial_each, active, SWEEPS,
                tolerance, STIR * abs(best),
            )  # fmt: skip
            trial = value(H, diagonal, weights, trial_near, penalty, trial_each)
            if trial < best - LEAST * abs(best):
                best = trial
                moved += keys.shape[0]
                rows, columns, w, near = trial_rows, trial_columns, weights, trial_near
                d[:] = diagonal
                stale = active
                paid = True
                break
            local_products(S, d, w, near, H, active)
            if leaving == 0:
                break
            leaving //= 4
        if not paid:
            break
    return rows, columns, w, best, moved
