"""The best pairs of all by the kernel that multiplies and tests at once: about twice the speed of BLAS and a scan."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.graphs.fused_products import available, screened
from atmostk.graphs.in_turn import in_turn
from atmostk.graphs.kept_pairs import KeptPairs, Pairs
from atmostk.graphs.pair_scores import Prices, exact_scores

__all__ = ["above", "available"]

CHUNK = 2048  # variables that the kernel meets at a time


def above(left: Any, right: Any, prices: Prices, count: int, least: np.float32, threads: int) -> Pairs:
    """The `count` pairs of the largest score above the least.

    The kernel knows one threshold for all pairs: because square_j inverse_i + square_i inverse_j is at least twice the
    geometric mean of its terms, b^2 / 2 of rows divided by the fourth root of square times inverse bounds the score.
    """
    size = len(left)
    root = (prices.square * prices.inverse) ** np.float32(-0.25)
    rooted = np.empty((size, left[:1].shape[1]), np.float32)
    for begin in range(0, size, CHUNK):
        part = slice(begin, begin + CHUNK)
        rooted[part] = left[part] * root[part, None]
    kept = KeptPairs(count, least)
    room = max(1 << 16, 64 * size, 8 * count * CHUNK // size)

    def look(span: tuple[int, int]) -> Pairs:
        begin, end = span
        part = np.multiply(right[begin:end], root[begin:end, None])
        rows, columns = np.empty(room, np.int32), np.empty(room, np.int32)
        threshold = kept.least
        met = screened(rooted, part, begin, np.sqrt(2 * threshold) * np.float32(1 - 1e-5), rows, columns)
        if met > room:  # fewer columns at a time, until their pairs have room
            best = KeptPairs(count, threshold)
            for half in ((begin, (begin + end) // 2), ((begin + end) // 2, end)):
                best.add(*look(half))
            return best.pairs()
        rows, columns = rows[:met], columns[:met]
        scores = exact_scores(left, right, prices, rows, columns)
        better = scores > threshold
        return Pairs(rows[better], columns[better], scores[better])

    for found in in_turn(look, [(begin, min(size, begin + CHUNK)) for begin in range(0, size, CHUNK)], threads):
        kept.add(*found)
    return kept.pairs()
