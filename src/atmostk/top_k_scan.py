"""Compiled scans over the keys of a large array, for `top_k`.

A block of keys is first reduced to its largest one, which the processor does many at a time; only a block that holds
something of interest is looked at entry by entry.
"""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled

BLOCK = 64


def above(
    raw: np.ndarray, mask: np.unsignedinteger, threshold: np.unsignedinteger, room: int
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """The indices and keys of what lies above the threshold (keys None if more than `room`), and the largest key."""
    indices = np.empty(room + BLOCK, np.int64)
    keys = np.empty(room + BLOCK, raw.dtype)
    found, top = _above(raw, mask, threshold, room, indices, keys)
    if found < 0:
        return indices[:0], None, 0
    return indices[:found], keys[:found], int(top)


def equal(
    raw: np.ndarray, mask: np.unsignedinteger, key: np.unsignedinteger, count: int, skip: np.ndarray
) -> np.ndarray:
    """The first `count` indices with this very key, without those of `skip` (ascending)."""
    indices = np.empty(count, np.int64)
    return indices[: _equal(raw, mask, key, skip, indices)]


@compiled(nogil=True)
def _above(raw, mask, threshold, room, indices, keys):
    unsigned = raw.dtype.type  # without these casts numba widens every key to 64 bits
    found = 0
    highest = threshold
    size = raw.size
    whole = size - size % BLOCK
    for start in range(0, whole, BLOCK):
        top = unsigned(0)
        for i in range(start, start + BLOCK):
            key = unsigned(raw[i] & mask)
            top = key if key > top else top
        if top > threshold:
            highest = max(highest, top)
            for i in range(start, start + BLOCK):
                key = unsigned(raw[i] & mask)
                indices[found] = i
                keys[found] = key
                found += key > threshold
            if found > room:
                return -1, highest
    for i in range(whole, size):
        key = unsigned(raw[i] & mask)
        indices[found] = i
        keys[found] = key
        found += key > threshold
        highest = max(highest, key)
    if found > room:
        return -1, highest
    return found, highest


@compiled(nogil=True)
def _equal(raw, mask, key, skip, indices):
    found = 0
    passed = 0
    for i in range(raw.size):
        if found == indices.size:
            break
        if raw[i] & mask == key:
            if passed < skip.size and skip[passed] == i:
                passed += 1
            else:
                indices[found] = i
                found += 1
    return found
