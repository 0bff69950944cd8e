"""What a graph says about rows that it has not seen, from their Gram matrix and the edges alone."""

from __future__ import annotations

from atmostk.compiled import compiled
from atmostk.graphs.gram_descent import neighbours


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def surprise(V, d, rows, columns, w):
    """The sum over variables of w_i' V w_i / d_i, with V the mean of x x' over the rows: F less its logarithms."""
    size = V.shape[0]
    near = neighbours(size, rows, columns)
    total = 0.0
    for i in range(size):
        begin = near.first[i]
        end = near.first[i + 1]
        quadratic = d[i] * d[i] * V[i, i]
        for t in range(begin, end):
            source = V[near.other[t]]
            inner = 2 * d[i] * source[i]
            for u in range(begin, end):
                inner += w[near.edge[u]] * source[near.other[u]]
            quadratic += w[near.edge[t]] * inner
        total += quadratic / d[i]
    return total
