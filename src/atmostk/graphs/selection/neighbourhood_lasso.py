"""The lasso of every variable on all others, at one penalty: coordinate descent on a Gram matrix, warm and screened."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.worth import KNOWN

SWEEPS = 100
TOLERANCE = 1e-4  # of a coefficient between standardised variables
ROUNDS = 20
TRIALS = 12  # penalties tried for a number of edges
WITHIN = 0.01  # of the number of edges that is wanted
MORE = 1.01  # times the edges are looked for, so that the ranking of the last has something to leave out
LEAST = 1e-12
TILE = 64
LESS = 0.97  # times the penalty, where it has too few edges


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def regress(S, B, penalty, worth):
    """Row i of B becomes the lasso of variable i on the others, from the row as it is.

    A variable enters where its slope exceeds the penalty, and the descent goes over those alone until none is left out.
    """
    size = S.shape[0]
    slopes = np.empty(size, S.dtype)
    limits = np.empty(size, S.dtype)
    active = np.empty(size, np.int64)
    listed = np.zeros(size, np.bool_)
    weighted = worth.shape[0] > 0
    for i in range(size):
        row = B[i]
        for j in range(size):
            limits[j] = penalty
            listed[j] = False
        if weighted:
            for j in range(size):
                if worth[i, j] >= KNOWN:
                    limits[j] = 0
                elif worth[i, j] > 0:
                    limits[j] = penalty / worth[i, j]
                else:
                    limits[j] = np.inf
        limits[i] = np.inf
        count = 0
        for j in range(size):
            if row[j] != 0:
                active[count] = j
                listed[j] = True
                count += 1
        for turn in range(ROUNDS):
            source = S[i]
            for j in range(size):
                slopes[j] = source[j]
            for t in range(count):
                weight = row[active[t]]
                if weight != 0:
                    source = S[active[t]]
                    for j in range(size):
                        slopes[j] -= weight * source[j]
            before = count
            for j in range(size):
                if abs(slopes[j]) > limits[j] and not listed[j]:
                    active[count] = j
                    listed[j] = True
                    count += 1
            if count == before and turn > 0:
                break
            for _ in range(SWEEPS):
                largest = 0.0
                for t in range(count):
                    j = active[t]
                    source = S[j]
                    z = slopes[j] + source[j] * row[j]
                    best = max(abs(z) - limits[j], 0) / source[j]
                    step = (best if z > 0 else -best) - row[j]
                    if step == 0:
                        continue
                    row[j] += step
                    largest = max(largest, abs(step))
                    for u in range(count):
                        slopes[active[u]] -= step * source[active[u]]
                if largest < TOLERANCE:
                    break


@compiled(nogil=True)
def linked(B):
    """How many pairs have a coefficient in either direction."""
    size = B.shape[0]
    count = 0
    for first in range(0, size, TILE):
        for left in range(first, size, TILE):
            for i in range(first, min(size, first + TILE)):
                for j in range(max(left, i + 1), min(size, left + TILE)):
                    count += B[i, j] != 0 or B[j, i] != 0
    return count


@compiled(nogil=True)
def larger(B):
    """The larger of each pair's two coefficients, above the diagonal; 0 elsewhere."""
    size = B.shape[0]
    found = np.zeros((size, size), np.float32)
    for first in range(0, size, TILE):
        for left in range(first, size, TILE):
            for i in range(first, min(size, first + TILE)):
                for j in range(max(left, i + 1), min(size, left + TILE)):
                    found[i, j] = max(abs(B[i, j]), abs(B[j, i]))
    return found


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def residual_correlations(S, B):
    """What the residuals of a pair's two regressions still share, its own coefficients given back; above the diagonal.

    With e_i = x_i - sum of b_ij x_j it is |e_i'e_j + |e_i|^2 b_ji + |e_j|^2 b_ij| over |e_i||e_j| (Liu 2013): the
    partial correlation where the coefficients are right; what a lasso shrank away comes back.
    """
    size = S.shape[0]
    half = np.empty_like(S)  # e_i'x_j
    for i in range(size):
        target = half[i]
        source = S[i]
        for j in range(size):
            target[j] = source[j]
        for k in range(size):
            weight = B[i, k]
            if weight != 0:
                source = S[k]
                for j in range(size):
                    target[j] -= weight * source[j]
    norms = np.empty(size, S.dtype)
    first = np.zeros(size + 1, np.int64)
    for i in range(size):
        first[i + 1] = first[i]
        norms[i] = half[i, i]
        for k in range(size):
            if B[i, k] != 0:
                first[i + 1] += 1
                norms[i] -= B[i, k] * half[i, k]
    others = np.empty(first[size], np.int64)
    weights = np.empty(first[size], S.dtype)
    for i in range(size):
        place = first[i]
        for k in range(size):
            if B[i, k] != 0:
                others[place] = k
                weights[place] = B[i, k]
                place += 1
    found = np.zeros((size, size), np.float32)
    for i in range(size):
        source = half[i]
        for j in range(i + 1, size):
            shared = source[j] + norms[j] * B[i, j] + norms[i] * B[j, i]
            for t in range(first[j], first[j + 1]):
                shared -= weights[t] * source[others[t]]
            found[i, j] = abs(shared) / np.sqrt(max(norms[i] * norms[j], LEAST))
    return found


def penalty_for(S: np.ndarray, B: np.ndarray, edges: int, worth: np.ndarray) -> float:
    """The penalty at which about `edges` pairs have a coefficient, never fewer; B holds the regressions there.

    From the correlation that so many pairs exceed; then by false position on the logarithms, which count and penalty
    join nearly by a line. B as it comes in is where the first descent starts.
    """
    size = len(S)
    edges = min(edges, size * (size - 1) // 2)
    if edges == 0:
        B[:] = 0
        return float(np.abs(S - np.diag(S.diagonal())).max())
    wanted = max(edges, round(MORE * edges))
    above = np.abs(S[np.triu_indices(size, 1)])
    penalty = float(np.partition(above, above.size - edges)[above.size - edges])
    below: tuple[float, float] | None = None  # log of penalty and of the count, with too many edges
    over: tuple[float, float] | None = None
    best: tuple[float, np.ndarray] | None = None
    missed = np.inf
    for _ in range(TRIALS):
        regress(S, B, penalty, worth)
        count = int(linked(B))
        if count >= edges and abs(count - wanted) < missed:
            best, missed = (penalty, B.copy()), abs(count - wanted)
        if missed <= max(WITHIN * wanted, 1):
            break
        here = (np.log(penalty), np.log(max(count, 0.5)))
        if count > wanted:
            below = here
        else:
            over = here
        if below is not None and over is not None:
            share = (below[1] - np.log(wanted)) / max(below[1] - over[1], 1e-12)
            penalty = float(np.exp(below[0] + min(max(share, 0.1), 0.9) * (over[0] - below[0])))
        else:
            penalty *= 1.15 if count > wanted else 0.87
    while best is None:
        penalty *= LESS
        regress(S, B, penalty, worth)
        if linked(B) >= edges or penalty < 1e-8:
            best = (penalty, B)
    B[:] = best[1]
    return best[0]
