"""The minimum of a quadratic function on a support, kept up to date while entries leave and enter; compiled."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled

BLOCK = 64  # gains that are compared at once
TOGETHER = 4  # exchanges made on one look at all pairs
WORTH = 0.2  # of the best: what the others of them must gain
ORDERED = 16  # columns asked for at once


@compiled(fastmath={"nnan", "reassoc", "nsz", "contract"})
def best_pairs(shares, inverse, values, slopes, bends, outside, free, found, entering):
    """For each place of the support (after the first `free`) the best entry to take it, and what the pair gains.

    With i leaving, the slope of j becomes s = slopes_j + shares_ij v_i / w_i, w_i the inverse's diagonal, its
    curvature b = bends_j + shares_ij^2 / w_i; j then gains s^2 / (2 b), and that i leaves costs v_i^2 / (2 w_i).
    """
    size = slopes.shape[0]
    gains = np.empty(BLOCK)
    for i in range(free, values.shape[0]):
        weight = 1.0 / inverse[i, i]
        pull = values[i] * weight
        best, where = -1.0, -1
        for first in range(0, size, BLOCK):
            count = min(BLOCK, size - first)
            most = -1.0
            for j in range(count):
                share = shares[i, first + j]
                slope = slopes[first + j] + share * pull
                gain = outside[first + j] * slope * slope / (bends[first + j] + share * share * weight)
                gains[j] = gain
                most = max(most, gain)
            if most > best:
                best = most
                for j in range(count):
                    if gains[j] == most and outside[first + j] > 0:
                        where = first + j
                        break
        found[i - free] = 0.5 * (best - values[i] * pull) if where >= 0 else -np.inf
        entering[i - free] = where


@compiled
def price(place, j, shares, inverse, values, slopes, bends):
    """What it gains that entry j takes this place."""
    weight = 1.0 / inverse[place, place]
    share = shares[place, j]
    slope = slopes[j] + share * values[place] * weight
    return 0.5 * slope * slope / (bends[j] + share * share * weight) - 0.5 * values[place] ** 2 * weight


@compiled
def left(place, shares, inverse, values, slopes, bends):
    """Take the entry at this place out; the place stays empty."""
    size, places = slopes.shape[0], values.shape[0]
    weight = 1.0 / inverse[place, place]
    value = values[place]
    for j in range(size):
        share = shares[place, j] * weight
        bends[j] += share * shares[place, j]
        slopes[j] += share * value
    for r in range(places):
        factor = inverse[r, place] * weight
        if r == place or factor == 0.0:
            continue
        values[r] -= factor * value
        for s in range(places):
            inverse[r, s] -= factor * inverse[place, s]
        for j in range(size):
            shares[r, j] -= factor * shares[place, j]
    for r in range(places):
        inverse[r, place] = inverse[place, r] = 0.0


@compiled
def entered(place, entry, column, columns, shares, inverse, values, slopes, bends, floors):
    """Put an entry, whose column of the Hessian is given, at an empty place."""
    size, places = slopes.shape[0], values.shape[0]
    rest = column.copy()
    for r in range(places):
        factor = shares[r, entry]
        if r == place or factor == 0.0:
            continue
        for j in range(size):
            rest[j] -= factor * columns[r, j]
    bend = max(rest[entry], floors[entry])
    step = slopes[entry] / bend
    for j in range(size):
        columns[place, j] = column[j]
        shares[place, j] = rest[j] / bend
        slopes[j] -= step * rest[j]
        bends[j] = max(bends[j] - rest[j] * shares[place, j], floors[j])
    for r in range(places):
        factor = shares[r, entry]
        if r == place:
            continue
        values[r] -= factor * step
        inverse[r, place] = inverse[place, r] = -factor / bend
    for r in range(places):
        factor = -inverse[r, place] * bend
        if r == place or factor == 0.0:
            continue
        for s in range(places):
            if s != place:
                inverse[r, s] -= factor * inverse[place, s]
        for j in range(size):
            shares[r, j] -= factor * shares[place, j]
    inverse[place, place] = 1.0 / bend
    values[place] = step


@compiled
def exchanged(
    entries, free, columns, shares, inverse, values, slopes, bends, floors, outside, store, known, rounds, margin,
    wanted,
):  # fmt: skip
    """Exchange by the largest gain until none exceeds the margin; how many columns of the Hessian are `wanted` first.

    `store[known[j]]` is the column of entry j where known[j] >= 0. All else is changed in place.
    """
    found, entering = np.empty(values.shape[0] - free), np.empty(values.shape[0] - free, np.int64)
    for _ in range(rounds):
        best_pairs(shares, inverse, values, slopes, bends, outside, free, found, entering)
        order = np.argsort(-found, kind="mergesort")
        best = found[order[0]]
        if not best > margin:
            return 0
        if known[entering[order[0]]] < 0:
            count = 0
            for i in order:
                if count == wanted.shape[0] or not found[i] > margin:
                    break
                asked = known[entering[i]] < 0
                for earlier in range(count):
                    asked = asked and wanted[earlier] != entering[i]
                if asked:
                    wanted[count] = entering[i]
                    count += 1
            return count
        for i in order[:TOGETHER]:
            j, place = entering[i], free + i
            if not found[i] > margin or outside[j] == 0 or known[j] < 0:
                continue
            # What was priced before another exchange is priced anew.
            if not price(place, j, shares, inverse, values, slopes, bends) > max(margin, WORTH * best):
                continue
            outside[entries[place]] = 1.0
            left(place, shares, inverse, values, slopes, bends)
            entered(place, j, store[known[j]], columns, shares, inverse, values, slopes, bends, floors)
            outside[j] = 0.0
            entries[place] = j
    return 0
