"""The best pairs of all by the kernel that multiplies and tests at once: about twice the speed of BLAS and a scan."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.fused_products import available, screened
from atmostk.graphs.pair_scan import Pairs, Prices, in_order
from atmostk.graphs.ranking import compact

__all__ = ["above", "available"]

CHUNK = 2048  # variables that the kernel meets at a time


def above(left: Any, right: Any, prices: Prices, count: int, least: np.float32) -> Pairs:
    """The `count` pairs of the largest score above the least.

    The kernel knows one threshold for all pairs: because square_j inverse_i + square_i inverse_j is at least twice the
    geometric mean of its terms, b^2 / 2 of rows divided by the fourth root of square times inverse bounds the score.
    """
    size = len(left)
    root = (prices.square * prices.inverse) ** np.float32(-0.25)
    rooted = np.multiply(left[:size], root[:, None])
    room = 4 * count + max(1 << 18, 64 * size)
    rows, columns = np.empty(room, np.int64), np.empty(room, np.int64)
    scores = np.empty(room, np.float32)
    some, others = np.empty(room, np.int64), np.empty(room, np.int64)
    found, begin, wide = 0, 0, CHUNK
    while begin < size:
        part = np.multiply(right[begin : begin + wide], root[begin : begin + wide, None])
        seen = screened(rooted, part, begin, np.sqrt(2 * least) * np.float32(1 - 1e-5), some, others)
        if seen > room:  # fewer columns at a time, until their pairs have room
            wide //= 2
            continue
        if found + seen > room:
            found, least = compact(rows, columns, scores, found, count)
            if found + seen > room:
                wide //= 2
                continue
        found = _scored(
            rooted, part, begin, root, prices, some[:seen], others[:seen], rows, columns, scores, found, least
        )
        begin += len(part)
        wide = min(CHUNK, 2 * wide)
    found, least = compact(rows, columns, scores, found, count)
    return in_order(rows[:found], columns[:found], scores[:found])


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _scored(left, right, begin, root, prices, some, others, rows, columns, scores, found, least):
    """Add those of some pairs that score above the least."""
    square, inverse, twice = prices
    for e in range(some.shape[0]):
        i = some[e]
        j = others[e]
        one = left[i]
        two = right[j - begin]
        total = np.float32(0)
        for k in range(left.shape[1]):
            total += one[k] * two[k]
        b = total / (root[i] * root[j])
        score = b * b / (square[j] * inverse[i] + square[i] * inverse[j] + twice)
        if score > least:
            rows[found] = i
            columns[found] = j
            scores[found] = score
            found += 1
    return found
