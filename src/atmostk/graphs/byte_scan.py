"""The best pairs of all by products in eight bits, which find the few that may matter, and exact scores of those.

Nothing is lost: the rounding of every row is measured, and a pair is passed over only if all that rounding can do to
its product does not bring it to the threshold. Where rows are hard to round (a few huge entries) more pairs are
scored exactly; where too many would be, `above` gives up and the kernel in single precision does the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.byte_products import LONGEST, OFFSET, ROWS, Rounded, available, screened
from atmostk.graphs.in_turn import in_turn
from atmostk.graphs.kept_pairs import KeptPairs, Pairs
from atmostk.graphs.pair_scores import Prices, exact_scores

__all__ = ["above", "available"]

CHUNK = 1024  # columns that the kernel meets at a time
AT_ONCE = 8192  # rows that are rounded at a time
SAMPLED = 512  # rows that tell how the two matrices are scaled


def above(left: Any, right: Any, prices: Prices, count: int, least: np.float32, threads: int) -> Pairs | None:
    """The `count` pairs of the largest score above the least; None where this is not the way to find them."""
    size, length = len(left), left[:1].shape[1]
    if not least > 0 or length > LONGEST:
        return None
    # Neighbours in this order have nearly one price, so that a threshold for sixty-four of them is nearly exact.
    order = np.argsort(prices.inverse, kind="stable")
    scale = _balance(left, right, order)
    rounded = _rounded(left, 1 / scale, prices, order, spare=ROWS)
    rounded.numbers[:] ^= OFFSET
    kept, seen, enough = KeptPairs(count, least), 0, 16 * count + 64 * size

    def look(begin: int) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
        part = _rounded(right, scale, prices, order[begin : begin + CHUNK], spare=0)
        rows = np.empty(max(1 << 14, 8 * count * len(part.step) // size), np.int32)
        columns = np.empty_like(rows)
        threshold = kept.least
        met = screened(rounded, part, begin, threshold, prices.twice, rows, columns)
        if met > rows.size:
            if met > enough:
                return met, rows[:0], rows[:0], np.empty(0, np.float32)
            rows, columns = np.empty(met, np.int32), np.empty(met, np.int32)
            screened(rounded, part, begin, threshold, prices.twice, rows, columns)
        one, two = order[rows[:met]], order[columns[:met]]
        rows, columns = np.minimum(one, two), np.maximum(one, two)
        scores = exact_scores(left, right, prices, rows, columns)
        better = scores > threshold
        return met, rows[better], columns[better], scores[better]

    for met, *pairs in in_turn(look, range(0, size, CHUNK), threads):
        seen += met
        if seen > enough:
            return None
        kept.add(*pairs)
    return kept.pairs()


def _balance(left: Any, right: Any, order: np.ndarray) -> np.ndarray:
    """What to multiply the entries of `right` by, and divide those of `left` by, so that both are of one size."""
    some = np.sort(order[:: max(1, len(order) // SAMPLED)])
    squares = [np.einsum("ij,ij->j", part, part) for part in (left[some], right[some])]
    usual = [np.maximum(square, 1e-6 * square.max(initial=1e-30)) for square in squares]
    return ((usual[0] / usual[1]) ** 0.25).astype(np.float32)


def _rounded(matrix: Any, scale: np.ndarray, prices: Prices, order: np.ndarray, spare: int) -> Rounded:
    """These rows in eight bits, each in steps of its own."""
    size, length = len(order), scale.size
    numbers = np.zeros((size + spare, -(-length // 4) * 4), np.int8)
    step, lengths, errors = (np.empty(size, np.float32) for _ in range(3))
    for begin in range(0, size, AT_ONCE):
        part = slice(begin, min(size, begin + AT_ONCE))
        _round(matrix[order[part]] * scale, numbers[part], step[part], lengths[part], errors[part])
    return Rounded(numbers.view(np.uint8) if spare else numbers, step, lengths, errors,
                   prices.square[order], prices.inverse[order])  # fmt: skip


@compiled(nogil=True)
def _round(rows, numbers, step, lengths, errors):
    for i in range(rows.shape[0]):
        largest = np.float32(0)
        for k in range(rows.shape[1]):
            largest = max(largest, abs(rows[i, k]))
        each = largest / np.float32(127)
        if each < np.float32(1e-30):
            each = np.float32(1e-30)
        inverse = np.float32(1) / each
        square = 0.0
        missed = 0.0
        for k in range(rows.shape[1]):
            whole = min(max(np.rint(rows[i, k] * inverse), np.float32(-127)), np.float32(127))
            numbers[i, k] = np.int8(whole)
            missed += (rows[i, k] - whole * each) ** 2
            square += rows[i, k] * rows[i, k]
        step[i] = each
        lengths[i] = np.sqrt(square) * (1 + 1e-6)
        errors[i] = np.sqrt(missed) * (1 + 1e-6) + 1e-6 * np.sqrt(square)
