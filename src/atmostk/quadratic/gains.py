"""The exact gain of every pair of a unit that leaves and one that enters, in a quadratic model; compiled."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled


@compiled
def best_exchanges(shares, inverse_diagonal, values, slopes, bends, outside, lower, upper, found, entering):
    """For each place of the support (after `len(bends)` free ones) the best entry from outside and what the pair gains.

    With i leaving the slope of j becomes s = slopes_j + shares_ji v_i / w_i, w_i the inverse's diagonal, and its
    curvature b = bends_j + shares_ji^2 / w_i. j gains s t - b t^2 / 2 with the step t = s / b cut to its bounds; that
    i leaves costs v_i^2 / (2 w_i). Written to `found` and `entering`.
    """
    places = values.shape[0]
    for i in range(places):
        found[i] = -np.inf
        entering[i] = -1
    for j in range(shares.shape[0]):
        if not outside[j]:
            continue
        free = lower[j] == -np.inf and upper[j] == np.inf
        for i in range(places):
            share = shares[j, i]
            scaled = share * inverse_diagonal[i]
            slope = slopes[j] + scaled * values[i]
            bend = bends[j] + scaled * share
            if free:
                gain = 0.5 * slope * slope / bend
            else:
                step = min(max(slope / bend, lower[j]), upper[j])
                gain = slope * step - 0.5 * bend * step * step
            if gain > found[i]:
                found[i] = gain
                entering[i] = j
    for i in range(places):
        found[i] -= 0.5 * values[i] * values[i] * inverse_diagonal[i]


@compiled
def _solved(matrix, vector, size):
    """The solution of the leading block, by Cholesky; matrix and vector are overwritten. Flat ones get nothing."""
    for a in range(size):
        pivot = matrix[a, a]
        for c in range(a):
            pivot -= matrix[a, c] * matrix[a, c]
        floor = 1e-9 * matrix[a, a]
        matrix[a, a] = np.sqrt(max(pivot, floor, 1e-300))
        for b in range(a + 1, size):
            rest = matrix[b, a]
            for c in range(a):
                rest -= matrix[b, c] * matrix[a, c]
            matrix[b, a] = rest / matrix[a, a]
    for a in range(size):
        for c in range(a):
            vector[a] -= matrix[a, c] * vector[c]
        vector[a] /= matrix[a, a]
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            vector[a] -= matrix[c, a] * vector[c]
        vector[a] /= matrix[a, a]


@compiled
def block_gain(slope, bend, lower, upper, members, size):
    """What a block gains with its best step, each entry cut to its bounds."""
    matrix = bend.copy()
    step = slope.copy()
    _solved(matrix, step, size)
    gain = 0.0
    for a in range(size):
        step[a] = min(max(step[a], lower[members[a]]), upper[members[a]])
    for a in range(size):
        gain += slope[a] * step[a]
        for b in range(size):
            gain -= 0.5 * step[a] * bend[a, b] * step[b]
    return gain


@compiled
def best_block_exchanges(
    shares, blocks, weighted, costs, starts, slopes, bends, members, sizes, outside, lower, upper, found, entering
):
    """`best_exchanges` for units of several entries.

    Unit u has entries members[u, :sizes[u]] and the block bends[u]; the unit at place i of the support has the
    columns starts[i] to starts[i + 1] of `shares`, blocks[i] is the inverse of its block of the inverse, weighted[i]
    that times its values.
    """
    places = starts.shape[0] - 1
    largest = members.shape[1]
    slope = np.empty(largest)
    bend = np.empty((largest, largest))
    for i in range(places):
        found[i] = -np.inf
        entering[i] = -1
    for u in range(members.shape[0]):
        if not outside[u]:
            continue
        size = sizes[u]
        for i in range(places):
            first, width = starts[i], starts[i + 1] - starts[i]
            for a in range(size):
                j = members[u, a]
                slope[a] = slopes[j]
                for c in range(width):
                    slope[a] += shares[j, first + c] * weighted[i, c]
                for b in range(size):
                    other = members[u, b]
                    total = bends[u, a, b]
                    for c in range(width):
                        for e in range(width):
                            total += shares[j, first + c] * blocks[i, c, e] * shares[other, first + e]
                    bend[a, b] = total
            gain = block_gain(slope, bend, lower, upper, members[u], size) - costs[i]
            if gain > found[i]:
                found[i] = gain
                entering[i] = u


@compiled
def block_gains(slopes, bends, members, sizes, outside, lower, upper, found):
    """What each unit outside gains by entering, nobody leaving; written to `found`."""
    largest = members.shape[1]
    slope = np.empty(largest)
    for u in range(members.shape[0]):
        if not outside[u]:
            found[u] = -np.inf
            continue
        for a in range(sizes[u]):
            slope[a] = slopes[members[u, a]]
        found[u] = block_gain(slope, bends[u], lower, upper, members[u], sizes[u])


@compiled
def boxed_minimum(matrix, vector, start, lower, upper):
    """The minimum of v'matrix v / 2 - vector'v with lower <= v <= upper, by coordinate descent from `start`."""
    values = start.copy()
    slope = vector - matrix @ values
    for _ in range(1000):
        largest = 0.0
        for i in range(values.shape[0]):
            if matrix[i, i] <= 0:
                continue
            moved = min(max(values[i] + slope[i] / matrix[i, i], lower[i]), upper[i])
            step = moved - values[i]
            if step != 0.0:
                values[i] = moved
                for k in range(values.shape[0]):
                    slope[k] -= step * matrix[k, i]
                largest = max(largest, step * step * matrix[i, i])
        if largest <= 1e-20 * (1e-300 + np.abs(vector @ values)):
            break
    return values
