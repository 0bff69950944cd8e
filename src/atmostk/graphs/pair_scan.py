"""The best pairs of all when nothing of size p x p may be stored: products of blocks, filtered as they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.kept_pairs import Pairs, in_order
from atmostk.graphs.pair_scores import Prices
from atmostk.graphs.ranking import compact

BLOCK = 512  # variables: a block's product stays in the cache of one processor core
SEGMENT = 64
FUSED_FROM = 1000  # variables; below this a product is over before the kernel is loaded
BYTES_FROM = 3000  # variables; below this rounding to eight bits costs as much as it saves
SAMPLED = 48  # rows that tell where the threshold will come to lie


def best_pairs(left: Any, right: Any, prices: Prices, count: int, *, threads: int = 1) -> Pairs:
    """The `count` pairs of the largest score. left right' is symmetric, unless all prices are the same.

    >>> left = np.array([[1.0], [2.0], [3.0]], np.float32)
    >>> half = np.full(3, 0.5, np.float32)
    >>> best_pairs(left, left, Prices(half, np.ones(3, np.float32), 0.0), 2)
    Pairs(rows=array([0, 1]), columns=array([2, 2]), scores=array([ 9., 36.], dtype=float32))
    """
    square, inverse = prices.square.astype(np.float32), prices.inverse.astype(np.float32)
    prices = Prices(square, inverse, np.float32(prices.twice))
    guess = _guess(left, right, prices, count)
    # A guess too high costs a second look, never an answer.
    for least in (guess, guess * np.float32(0.8), guess * np.float32(0.5)):
        if least > 0:
            found = _looked(left, right, prices, count, least, threads)
            if len(found.rows) >= count:
                return found
    return _looked(left, right, prices, count, np.float32(0), threads)


def _looked(left: Any, right: Any, prices: Prices, count: int, least: np.float32, threads: int) -> Pairs:
    """The best above the least, by the fastest way that this processor and these rows allow."""
    if len(left) >= FUSED_FROM and left[:1].dtype == np.float32 and threads != 1:
        from atmostk.graphs import spread_scan

        if spread_scan.elsewhere():  # on a cluster, whose workers are as many as `threads` says
            return spread_scan.above(left, right, prices, count, least, threads)
    if len(left) >= FUSED_FROM and left[:1].dtype == np.float32:
        from atmostk.graphs import byte_scan, fused_scan

        if len(left) >= BYTES_FROM and byte_scan.available():
            found = byte_scan.above(left, right, prices, count, least, threads)
            if found is not None:
                return found
        if fused_scan.available():
            return fused_scan.above(left, right, prices, count, least, threads)
    return _above(left, right, prices, count, least)


def _above(left: Any, right: Any, prices: Prices, count: int, least: np.float32) -> Pairs:
    room = 4 * count + 2 * BLOCK * SEGMENT
    rows, columns = np.empty(room, np.int64), np.empty(room, np.int64)
    scores = np.empty(room, np.float32)
    found = 0
    for top, side, product in products(left, right):
        found, least = _filtered(product, top, side, prices, count, rows, columns, scores, found, least)
    found, least = compact(rows, columns, scores, found, count)
    return in_order(rows[:found], columns[:found], scores[:found])


def _guess(left: Any, right: Any, prices: Prices, count: int) -> np.float32:
    """A score that a few more pairs than `count` exceed, judged by a few rows of the product."""
    size = len(left)
    if size < 4 * SAMPLED:
        return np.float32(0)
    few = np.sort(np.random.default_rng(0).choice(size, SAMPLED, replace=False))
    scores = np.empty((SAMPLED, size), np.float32)
    rows, (square, inverse, twice) = left[few], prices
    for side in range(0, size, 8192):
        part = slice(side, side + 8192)
        entries = rows @ right[part].T
        scores[:, part] = entries**2 / (square[part] * inverse[few, None] + square[few, None] * inverse[part] + twice)
    scores[np.arange(SAMPLED), few] = 0.0
    rank = int(2.0 * SAMPLED * count / size * 1.4) + 20  # each pair stands in two rows; two fifths on the safe side
    if rank >= scores.size:
        return np.float32(0)
    return np.float32(np.partition(scores.ravel(), scores.size - rank)[scores.size - rank])


def products(left: Any, right: Any) -> Iterator[tuple[int, int, np.ndarray]]:
    """The blocks of left right' on and above the diagonal, row by row: where each begins, and its entries."""
    size, wide = len(left), BLOCK if len(left) <= 8 * BLOCK else 2 * BLOCK
    space = np.empty(wide * wide, left[:1].dtype)
    for top in range(0, size, wide):
        rows = left[top : top + wide]
        for side in range(top, size, wide):
            columns = right[side : side + wide]
            product = space[: len(rows) * len(columns)].reshape(len(rows), len(columns))
            yield top, side, np.matmul(rows, columns.T, out=product)


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _filtered(product, top, side, prices, count, rows, columns, scores, found, least):
    """Add what scores above the least; when the room is full, only the best so far stay and the least rises."""
    height, width = product.shape
    square, inverse, twice = prices
    excess = np.empty(SEGMENT, np.float32)
    for a in range(height):
        i = top + a
        own = inverse[i]
        s = square[i]
        if found + width > scores.shape[0]:
            found, least = compact(rows, columns, scores, found, count)
        for begin in range(0, width, SEGMENT):
            end = min(width, begin + SEGMENT)
            entries = product[a, begin:end]
            squares = square[side + begin : side + end]
            across = inverse[side + begin : side + end]
            hits = 0
            for k in range(end - begin):
                b = np.float32(entries[k])
                excess[k] = b * b - least * (squares[k] * own + s * across[k] + twice)
                hits += excess[k] > 0
            if hits == 0:
                continue
            for k in range(end - begin):
                j = side + begin + k
                if excess[k] > 0 and j > i:
                    rows[found] = i
                    columns[found] = j
                    b = np.float32(entries[k])
                    scores[found] = b * b / (squares[k] * own + s * across[k] + twice)
                    found += 1
    return found, least


@compiled(nogil=True)
def squares_above(product, begins_on_diagonal):
    """The sum of the squared entries, in double precision; of those above the diagonal where the block begins on it."""
    total = 0.0
    for a in range(product.shape[0]):
        part = 0.0
        for b in range(a + 1 if begins_on_diagonal else 0, product.shape[1]):
            part += product[a, b] * product[a, b]
        total += part
    return total
