"""What a pair of rows scores: the square of their product over a price, in single precision where the rows are.

For the pair i < j the product is b = left_i . right_j, and its score

    b^2 / (square_j inverse_i + square_i inverse_j + twice).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from atmostk.compiled import compiled


class Prices(NamedTuple):
    """What divides the square of a product into its score."""

    square: np.ndarray
    inverse: np.ndarray
    twice: Any


class Stacked:
    """Two matrices side by side, the second scaled row by row; only what is asked for is put together."""

    def __init__(self, first: np.ndarray, second: np.ndarray, scale: np.ndarray, scaled: int) -> None:
        self.parts, self.scale, self.scaled = (first, second), scale.astype(first.dtype), scaled

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, chosen: Any) -> np.ndarray:
        parts = [part[chosen] for part in self.parts]
        parts[self.scaled] = parts[self.scaled] * self.scale[chosen, None]
        return np.hstack(parts)

    def times(self, right: Stacked, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The product of each pair: that of the one part, scaled on one side, and that of the other, on the other."""
        (one, two), (three, four) = self.parts, right.parts
        assert (self.scaled, right.scaled) == (1, 0)
        return _at_stacked(one, two, self.scale, three, four, right.scale, rows, columns)


def exact_scores(left: Any, right: Any, prices: Prices, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The scores of pairs.

    >>> rows = np.array([[1.0], [2.0]], np.float32)
    >>> half = np.full(2, 0.5, np.float32)
    >>> exact_scores(rows, rows, Prices(half, 2 * half, np.float32(0)), np.array([0]), np.array([1]))
    array([4.], dtype=float32)
    """
    if isinstance(left, Stacked):
        return _priced(left.times(right, rows, columns), rows, columns, *prices)
    return _priced(at_pairs(left, right, rows, columns), rows, columns, *prices)


@compiled(nogil=True)
def _priced(products, rows, columns, square, inverse, twice):
    scores = np.empty(rows.shape[0], np.float32)
    for e in range(rows.shape[0]):
        i = rows[e]
        j = columns[e]
        scores[e] = products[e] * products[e] / (square[j] * inverse[i] + square[i] * inverse[j] + twice)
    return scores


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def at_pairs(left, right, rows, columns):
    """left_i . right_j for each pair."""
    found = np.empty(rows.shape[0], left.dtype)
    for e in range(rows.shape[0]):
        one = left[rows[e]]
        two = right[columns[e]]
        total = left.dtype.type(0)
        for k in range(left.shape[1]):
            total += one[k] * two[k]
        found[e] = total
    return found


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _at_stacked(one, two, two_scale, three, four, three_scale, rows, columns):
    found = np.empty(rows.shape[0], one.dtype)
    for e in range(rows.shape[0]):
        i = rows[e]
        j = columns[e]
        a = one[i]
        b = three[j]
        c = two[i]
        d = four[j]
        first = one.dtype.type(0)
        second = one.dtype.type(0)
        for k in range(one.shape[1]):
            first += a[k] * b[k]
            second += c[k] * d[k]
        found[e] = first * three_scale[j] + second * two_scale[i]
    return found
