"""Which changes are worth an exact look: the most promising by their slopes, and those beside a pixel."""

from __future__ import annotations

import numpy as np

from atmostk.networks.pixels.gains import Gains

Changes = tuple[np.ndarray, np.ndarray]  # pixels, and a row of signs for each
BRIGHT = 0.75  # of a shortlist; first-order gains of darkening are small where most images are dark already


def shortlist(found: Gains, free: np.ndarray, count: int) -> Changes:
    """Up to so many changes of free pixels: the best brightening, the best darkening, of colours the best mixed ones.

    >>> up, down = np.array([[3.0], [1.0], [2.0]]), np.array([[0.0], [4.0], [0.0]])
    >>> shortlist(Gains(up, down, up), np.array([True, True, True]), 4)
    (array([0, 2, 1, 1]), array([[ 1],
           [ 1],
           [ 1],
           [-1]], dtype=int8))
    """
    channels = found.up.shape[1]
    bright = max(1, round(BRIGHT * count))
    dark = max(1, count - bright)
    ones = np.ones((len(free), channels), np.int8)
    parts = [_most(found.up.sum(axis=1), ones, free, bright), _most(found.down.sum(axis=1), -ones, free, dark)]
    if channels > 1:
        half = max(1, count // 2)
        gain, signs = found.best()
        parts = [_most(gain, signs, free, count - half), *(tuple(p[: half // 2 + 1] for p in part) for part in parts)]
    pixels, signs = (np.concatenate(both) for both in zip(*parts, strict=True))
    return unique(pixels, signs)


def beside(pixel: int, height: int, width: int) -> np.ndarray:
    """The pixels around one, at most eight.

    >>> beside(0, 3, 3)
    array([1, 3, 4])
    """
    row, column = divmod(pixel, width)
    rows = range(max(row - 1, 0), min(row + 2, height))
    columns = range(max(column - 1, 0), min(column + 2, width))
    return np.array([r * width + c for r in rows for c in columns if (r, c) != (row, column)], np.int64)


def unique(pixels: np.ndarray, signs: np.ndarray) -> Changes:
    """Every change once, in the order of their first appearance; changes to nothing are left out."""
    whole = np.column_stack([pixels, signs.astype(np.int64)])
    _, first = np.unique(whole, axis=0, return_index=True)
    first = np.sort(first)
    first = first[signs[first].any(axis=1)]
    return pixels[first], signs[first]


def _most(gain: np.ndarray, signs: np.ndarray, free: np.ndarray, count: int) -> Changes:
    ranked = np.where(free, gain, -np.inf)
    chosen = np.argsort(-ranked, kind="stable")[:count]
    chosen = chosen[ranked[chosen] > -np.inf]
    return chosen, signs[chosen]
