"""The best pairs of all, from the Gram matrix: a scan in tiles against a running threshold, and scores of a list."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.ranking import compact, threshold
from atmostk.graphs.worth import KNOWN

TILE = 64
GROUP = 16  # neighbouring variables: a cache line
GROUPS = 4  # by which the threshold is guessed
CERTAIN = np.float32(3e38)  # the score of what never leaves


@compiled(nogil=True)
def best_pairs(S, H, d, ridge, worth, count):
    """The rows and columns of the `count` pairs of the largest score, as if all were outside; by row, then column."""
    size = S.shape[0]
    room = 4 * count + TILE * TILE
    rows = np.empty(room, np.int64)
    columns = np.empty(room, np.int64)
    scores = np.empty(room, np.float32)
    inverse = np.empty(size, np.float32)
    square = np.empty(size, np.float32)
    for i in range(size):
        inverse[i] = 1 / d[i]
        square[i] = S[i, i]
    least = np.float32(0)
    if size * (size - 1) // 2 > room:
        least = _guess(H, inverse, square, np.float32(2 * ridge), worth, count)
    found, _ = _above(H, inverse, square, np.float32(2 * ridge), worth, count, least, rows, columns, scores)
    if found < count and least > 0:  # a guess too high costs a second look, never an answer
        least = np.float32(0)
        found, _ = _above(H, inverse, square, np.float32(2 * ridge), worth, count, least, rows, columns, scores)
    found, least = compact(rows, columns, scores, found, count)
    order = np.argsort(rows[:found] * size + columns[:found])
    return rows[order], columns[order]


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _guess(H, inverse, square, twice, worth, count):
    """A score that a few more pairs than `count` exceed, judged by a few groups of neighbouring variables."""
    size = inverse.shape[0]
    scores = np.empty(GROUPS * GROUP * size, np.float32)
    place = 0
    for g in range(GROUPS):
        first = (2 * g + 1) * (size - GROUP) // (2 * GROUPS)
        for j in range(size):
            for i in range(first, first + GROUP):
                b = H[i, j] * inverse[i] + H[j, i] * inverse[j]
                score = b * b / (square[j] * inverse[i] + square[i] * inverse[j] + twice)
                if worth.shape[0] > 0:
                    score *= worth[i, j]
                scores[place] = np.float32(0) if i == j else score
                place += 1
    # Each pair stands in two rows; two fifths on the safe side.
    rank = int(1.4 * 2 * GROUPS * GROUP * count / size) + 20
    return threshold(scores, place, min(rank, place))


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _above(H, inverse, square, twice, worth, count, least, rows, columns, scores):
    """Pairs that score above the least, which rises to what the `count` best so far exceed when the room is full."""
    size = inverse.shape[0]
    room = scores.shape[0]
    mirrored = np.empty((TILE, TILE), np.float32)
    excess = np.empty(TILE, np.float32)
    weighted = worth.shape[0] > 0
    found = 0
    for first in range(0, size, TILE):
        last = min(size, first + TILE)
        for left in range(first, size, TILE):
            right = min(size, left + TILE)
            width = right - left
            if found + TILE * TILE > room:
                found, least = compact(rows, columns, scores, found, count)
            for begin in range(first, last, GROUP):  # transposed by cache lines: four times the speed of whole rows
                for j in range(left, right):
                    source = H[j]
                    scale = inverse[j]
                    for i in range(begin, min(begin + GROUP, last)):
                        mirrored[i - first, j - left] = source[i] * scale
            for i in range(first, last):
                own = inverse[i]
                s = square[i]
                Hi = H[i, left:right]
                other = mirrored[i - first]
                across = inverse[left:right]
                squares = square[left:right]
                hits = np.float32(0)  # a sum in the vector's own type: counting would widen it
                if weighted:
                    priced = worth[i, left:right]
                    for k in range(width):
                        b = np.float32(Hi[k]) * own + other[k]
                        a = squares[k] * own + s * across[k] + twice
                        over = b * b * priced[k] - least * a
                        excess[k] = over
                        hits += over if over > 0 else np.float32(0)
                else:
                    for k in range(width):
                        b = np.float32(Hi[k]) * own + other[k]
                        over = b * b - least * (squares[k] * own + s * across[k] + twice)
                        excess[k] = over
                        hits += over if over > 0 else np.float32(0)
                if hits == 0:
                    continue
                for k in range(width):
                    if excess[k] > 0 and left + k > i:
                        rows[found] = i
                        columns[found] = left + k
                        scores[found] = excess[k] / (squares[k] * own + s * across[k] + twice) + least
                        found += 1
    return found, least


@compiled(nogil=True)
def joined(size, rows, columns, others, across):
    """The union of two lists of pairs, both by row, then column."""
    found = np.empty(rows.shape[0] + others.shape[0], np.int64)
    k = 0
    u = 0
    total = 0
    while k < rows.shape[0] or u < others.shape[0]:
        one = rows[k] * size + columns[k] if k < rows.shape[0] else size * size
        two = others[u] * size + across[u] if u < others.shape[0] else size * size
        found[total] = min(one, two)
        total += 1
        k += one <= two
        u += two <= one
    return found[:total] // size, found[:total] % size


@compiled(nogil=True)
def rescore(S, d, w, near, penalty, rows, columns, scores, stale):
    """The scores of a list's pairs that touch a stale variable, from S and the support alone."""
    weighted = penalty.worth.shape[0] > 0
    for c in range(rows.shape[0]):
        i = rows[c]
        j = columns[c]
        if not (stale[i] or stale[j]):
            continue
        Si = S[i]
        Sj = S[j]
        own = 0.0
        slope = d[i] * Sj[i]
        for u in range(near.first[i], near.first[i + 1]):
            weight = w[near.edge[u]]
            slope += weight * Sj[near.other[u]]
            if near.other[u] == j:
                own = weight
        total = slope / d[i]
        slope = d[j] * Si[j]
        for u in range(near.first[j], near.first[j + 1]):
            slope += w[near.edge[u]] * Si[near.other[u]]
        total += slope / d[j]
        bare = Sj[j] / d[i] + Si[i] / d[j]
        b = bare * own - total
        score = b * b / (bare + 2 * penalty.ridge)
        if weighted:
            worth = penalty.worth[i, j]
            score = CERTAIN if worth >= KNOWN else score * worth
        scores[c] = score
