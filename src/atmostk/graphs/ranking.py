"""The m-th largest of many scores, and which entries are at least that: by the bits of the numbers, with no sort."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled


@compiled(nogil=True)
def threshold(scores, size, count):
    """The `count`-th largest of the first `size` scores (float32, none negative): 0 if there are fewer."""
    if count > size:
        return np.float32(0)
    if count <= 0:
        return np.float32(np.inf)
    bits = scores.view(np.int32)
    bins = np.zeros(4096, np.int64)
    for k in range(size):
        bins[bits[k] >> 19] += 1
    above = 0
    bin = 4095
    while bin >= 0 and above + bins[bin] < count:
        above += bins[bin]
        bin -= 1
    inside = np.empty(bins[bin], np.float32)
    found = 0
    for k in range(size):
        if bits[k] >> 19 == bin:
            inside[found] = scores[k]
            found += 1
    return np.sort(inside)[found - (count - above)]


@compiled(nogil=True)
def best_of(scores, count):
    """For each score whether it is among the `count` best and above 0; on a tie those in front win."""
    least = threshold(scores, scores.shape[0], count)
    ties = count
    for c in range(scores.shape[0]):
        ties -= scores[c] > least
    chosen = np.zeros(scores.shape[0], np.bool_)
    for c in range(scores.shape[0]):
        tied = scores[c] == least and ties > 0 and scores[c] > 0
        ties -= tied
        chosen[c] = scores[c] > least or tied
    return chosen


@compiled(nogil=True)
def compact(rows, columns, scores, size, count):
    """Move the `count` best entries to the front, in their order, ties to those in front; how many, and the least."""
    if size <= count:
        return size, np.float32(0)
    least = threshold(scores, size, count)
    clear = 0
    for k in range(size):
        clear += scores[k] > least
    ties = count - clear
    kept = 0
    for k in range(size):
        if scores[k] > least or (scores[k] == least and ties > 0):
            ties -= scores[k] == least
            rows[kept] = rows[k]
            columns[kept] = columns[k]
            scores[kept] = scores[k]
            kept += 1
    return kept, least
