"""Which pairs of rows have a large product, when how large is known beforehand: one look, no ranking, nothing kept."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs import fused_products
from atmostk.graphs.pair_scan import FUSED_FROM, products


def pairs_above(left: np.ndarray, right: np.ndarray, least: float, room: int) -> np.ndarray | None:
    """The keys, ascending, of all pairs i < j with |left_i . right_j| of at least `least`, and of a few just below it.

    The look is in single precision, whatever the rows are in; the threshold is lowered by what rounding can do to a
    product. None if there are more than `room`.

    >>> rows = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    >>> pairs_above(rows, rows, 2.5, room=9)
    array([5])
    """
    size, length = left.shape
    longest = float(np.sqrt(np.einsum("ik,ik->i", left, left).max() * np.einsum("ik,ik->i", right, right).max()))
    surely = np.float32(max(least - (length + 3) * 2.0**-24 * longest, 0.0) * (1 - 2.0**-23))
    narrow_left, narrow_right = left.astype(np.float32, copy=False), right.astype(np.float32, copy=False)
    rows, columns = np.empty(room, np.int64), np.empty(room, np.int64)
    if size >= FUSED_FROM and fused_products.available():
        found = fused_products.screened(
            np.ascontiguousarray(narrow_left), np.ascontiguousarray(narrow_right), 0, surely, rows, columns
        )
    else:
        found = 0
        for top, side, block in products(narrow_left, narrow_right):
            found = _screened(block, top, side, surely, rows, columns, found)
    return np.sort(rows[:found] * size + columns[:found]) if found <= room else None


@compiled(nogil=True)
def _screened(block, top, side, least, rows, columns, found):
    """Add the pairs above the diagonal whose product exceeds the least; how many there are, whether they have room."""
    for a in range(block.shape[0]):
        for begin in range(0, block.shape[1], 64):
            entries = block[a, begin : begin + 64]
            hits = 0
            for k in range(entries.shape[0]):
                hits += abs(entries[k]) > least
            if hits == 0:
                continue
            for k in range(entries.shape[0]):
                j = side + begin + k
                if abs(entries[k]) > least and j > top + a:
                    if found < rows.shape[0]:
                        rows[found] = top + a
                        columns[found] = j
                    found += 1
    return found
