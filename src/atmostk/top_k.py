"""The K largest entries of a NumPy array, exactly K and the same ones every time.

Entries are compared as unsigned integers: without its sign bit, the bit pattern of a float orders as its magnitude
does, and integers can be compared many at a time. Between equal entries a preferred index wins, then the lower one.
"""

from __future__ import annotations

import functools
import math
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import numpy as np

SCAN_FROM = 1 << 18  # entries; below this np.partition takes less time than loading compiled code is worth
UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Keys(NamedTuple):
    """What is compared: entry i counts for `raw[i] & mask`, and above `ceiling` it is not a number."""

    raw: np.ndarray
    mask: np.unsignedinteger
    ceiling: int

    def at(self, indices: np.ndarray) -> np.ndarray:
        return self.raw[indices] & self.mask


def largest(x: np.ndarray, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """The ascending flat indices of the `count` entries largest in magnitude.

    >>> largest(np.array([1.0, -3.0, 2.0, 3.0]), 2)
    array([1, 3])
    >>> largest(np.array([1.0, 1.0, 1.0]), 1, prefer=np.array([2]))
    array([2])
    """
    return _first(_magnitudes(x), count, prefer)


def highest(x: np.ndarray, count: int, prefer: np.ndarray | None = None) -> np.ndarray:
    """The ascending flat indices of the `count` entries largest in value, sign included.

    >>> highest(np.array([1.0, -3.0, 2.0, -4.0]), 3)
    array([0, 1, 2])
    """
    return _first(_values(x), count, prefer)


def _magnitudes(x: np.ndarray) -> Keys:
    kind, width = x.dtype.kind, x.dtype.itemsize
    if width not in UNSIGNED or kind not in "fiub":
        raise TypeError(f"Entries of type {x.dtype} cannot be ranked: use floats of 16, 32 or 64 bits, or integers.")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    if kind == "i":
        x = np.abs(x)  # the most negative integer stays as it is, and read without sign that is its magnitude
    return Keys(x.ravel().view(UNSIGNED[width]), *_limits(kind, width))


@functools.cache
def _limits(kind: str, width: int) -> tuple[np.unsignedinteger, int]:
    """The mask that takes the sign away, and the key of infinity."""
    unsigned = UNSIGNED[width]
    everything = int(np.iinfo(unsigned).max)
    if kind != "f":
        return unsigned(everything), everything
    return unsigned(everything >> 1), int(np.array(np.inf, f"f{width}").view(unsigned))


def _values(x: np.ndarray) -> Keys:
    magnitudes = _magnitudes(x)
    raw, mask = magnitudes.raw, magnitudes.mask
    sizes = raw & mask
    if sizes.size and sizes.max() > magnitudes.ceiling:
        _refuse(magnitudes)
    half = raw.dtype.type(int(np.iinfo(raw.dtype).max) // 2 + 1)
    everything = _limits("u", raw.dtype.itemsize)
    negative = x.ravel() < 0
    # Above the middle for what is positive, mirrored below it for what is negative; both zeros are the middle.
    return Keys(np.where(negative, half - sizes, half + sizes), *everything)


def _first(keys: Keys, count: int, prefer: np.ndarray | None) -> np.ndarray:
    if count < 0:
        raise ValueError(f"{count} entries cannot be chosen: the count must be at least 0.")
    size = keys.raw.size
    if size >= SCAN_FROM and 0 < count < size:
        chosen = _by_scan(keys, count, prefer)
        if chosen is not None:
            return chosen
    return _by_partition(keys, count, prefer)


def _by_partition(keys: Keys, count: int, prefer: np.ndarray | None) -> np.ndarray:
    """One partition of everything: simple, and never worse than linear in time."""
    size = keys.raw.size
    if size == 0:
        return np.empty(0, np.int64)
    every = keys.raw & keys.mask
    if int(every.max()) > keys.ceiling:
        _refuse(keys)
    if count >= size:
        return np.arange(size, dtype=np.int64)
    if count == 0:
        return np.empty(0, np.int64)
    threshold = np.partition(every, size - count)[size - count]
    chosen = np.flatnonzero(every >= threshold)
    return _settle(keys, chosen, every[chosen], threshold, count, prefer)


def _by_scan(keys: Keys, count: int, prefer: np.ndarray | None) -> np.ndarray | None:
    """A threshold guessed from a sample, one scan for what lies above it, the exact answer among those.

    None when the guess was bad, which takes a rare sample: then somebody has to look at everything.
    """
    scan = _compiled()
    if scan is None:
        return None
    raw, mask = keys.raw, keys.mask
    size = raw.size
    drawn = min(size >> 7, 1 << 16)
    sample = keys.at(np.random.default_rng(size).integers(0, size, drawn))
    rank = drawn * count / size
    rank = math.ceil(rank + 4 * math.sqrt(rank) + 4)  # four standard errors on the safe side
    if rank >= drawn:
        return None
    guess = np.partition(sample, drawn - rank)[drawn - rank]
    room = math.ceil((rank + 4 * math.sqrt(rank) + 4) * size / drawn)
    indices, above, top = scan.above(raw, mask, guess, min(room, size))
    if top > keys.ceiling:
        _refuse(keys)
    if above is None:
        return None
    if indices.size >= count:
        threshold = np.partition(above, above.size - count)[above.size - count]
        at_least = above >= threshold
        return _settle(keys, indices[at_least], above[at_least], threshold, count, prefer)
    # Too few lie above the guess: right if enough entries are equal to it, as when most of them are zero.
    missing = count - indices.size
    preferred = _preferred(keys, guess, prefer)[:missing]
    others = scan.equal(raw, mask, guess, missing - preferred.size, preferred)
    if preferred.size + others.size < missing:
        return None
    return np.sort(np.concatenate((indices, preferred, others)))


@functools.cache
def _compiled() -> ModuleType | None:
    """The compiled scans, loaded on first use; None where numba is not installed."""
    try:
        from atmostk import top_k_scan
    except ImportError:
        return None
    return top_k_scan


def _settle(
    keys: Keys,
    indices: np.ndarray,
    found: np.ndarray,
    threshold: Any,
    count: int,
    prefer: np.ndarray | None,
) -> np.ndarray:
    """Of these indices, whose keys are `found`, `count`: all above the threshold, and the right ones of those at it."""
    if indices.size == count:
        return indices
    equal = found == threshold
    return with_ties(indices[~equal], indices[equal], _preferred(keys, threshold, prefer), count)


def with_ties(clear: np.ndarray, ties: np.ndarray, preferred: np.ndarray, count: int) -> np.ndarray:
    """`count` indices, ascending: the clear ones, then of the ties first the preferred ones, then the lowest.

    >>> with_ties(np.array([7]), np.array([1, 3, 5]), np.array([5]), 3)
    array([1, 5, 7])
    """
    missing = count - clear.size
    preferred = preferred[:missing]
    if preferred.size:
        waiting = np.ones(ties.size, bool)
        waiting[np.searchsorted(ties, preferred)] = False
        ties = ties[waiting]
    return np.sort(np.concatenate((clear, preferred, ties[: missing - preferred.size])))


def _preferred(keys: Keys, threshold: Any, prefer: np.ndarray | None) -> np.ndarray:
    """The preferred indices whose key is the threshold."""
    if prefer is None or len(prefer) == 0:
        return np.empty(0, np.int64)
    prefer = np.asarray(prefer, dtype=np.int64)
    return prefer[keys.at(prefer) == threshold]


def _refuse(keys: Keys) -> NoReturn:
    refuse_nan(int(np.argmax((keys.raw & keys.mask) > keys.ceiling)))


def refuse_nan(position: int) -> NoReturn:
    raise ValueError(f"Entry {position} is nan, and nan cannot be ranked: remove it or find where it comes from.")
