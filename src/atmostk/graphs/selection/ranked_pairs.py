"""Scores of all pairs at once: what each is worth to the objective, and which are the best of a matrix of scores."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.ranking import compact
from atmostk.graphs.worth import KNOWN

TILE = 64
CERTAIN = np.float32(3e38)  # the score of what is always an edge


@compiled(nogil=True)
def worths(S, H, d, rows, columns, w, ridge):
    """The root of what each pair is worth, inside the support and outside alike, with H = S W; above the diagonal."""
    size = S.shape[0]
    found = np.zeros((size, size), np.float32)
    for first in range(0, size, TILE):
        for left in range(first, size, TILE):
            for i in range(first, min(size, first + TILE)):
                for j in range(max(left, i + 1), min(size, left + TILE)):
                    bare = S[j, j] / d[i] + S[i, i] / d[j]
                    found[i, j] = abs(H[i, j] / d[i] + H[j, i] / d[j]) / np.sqrt(bare + 2 * ridge)
    for e in range(rows.shape[0]):
        i = rows[e]
        j = columns[e]
        bare = S[j, j] / d[i] + S[i, i] / d[j]
        found[i, j] = abs(bare * w[e] - H[i, j] / d[i] - H[j, i] / d[j]) / np.sqrt(bare + 2 * ridge)
    return found


@compiled(nogil=True)
def strongest(scores, worth, count):
    """The rows, columns and scores of the `count` pairs of the largest score above 0; by row, then column.

    A pair that is worth nothing is never among them, one worth `KNOWN` always.
    """
    size = scores.shape[0]
    room = 4 * count + size
    rows = np.empty(room, np.int64)
    columns = np.empty(room, np.int64)
    found_scores = np.empty(room, np.float32)
    weighted = worth.shape[0] > 0
    least = np.float32(0)
    found = 0
    for i in range(size):
        if found + size > room:
            found, least = compact(rows, columns, found_scores, found, count)
        for j in range(i + 1, size):
            score = scores[i, j]
            if weighted:
                if worth[i, j] >= KNOWN:
                    score = CERTAIN
                elif worth[i, j] == 0:
                    score = np.float32(0)
            if score > least:
                rows[found] = i
                columns[found] = j
                found_scores[found] = score
                found += 1
    found, least = compact(rows, columns, found_scores, found, count)
    return rows[:found], columns[:found], found_scores[:found]
