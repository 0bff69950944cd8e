"""What a graph leaves of each variable: R_i = sum_j w_ij x_j, one column of the data after the other."""

from __future__ import annotations

import numpy as np

from atmostk.compiled import compiled
from atmostk.graphs.gram_descent import neighbours
from atmostk.graphs.graph import Graph


def residuals(columns: np.ndarray, graph: Graph) -> np.ndarray:
    """Row i is R_i; `columns` holds one variable a row."""
    space = np.empty_like(columns)
    near = neighbours(graph.size, graph.rows, graph.columns)
    _fill(columns, graph.diagonal, graph.weights, near, space)
    return space


def quadratics(columns: np.ndarray, graph: Graph) -> np.ndarray:
    """||R_i||^2 for each variable, with no more stored than one of them."""
    near = neighbours(graph.size, graph.rows, graph.columns)
    return _quadratics(columns, graph.diagonal, graph.weights, near)


def by_row(columns: np.ndarray, graph: Graph) -> np.ndarray:
    """sum_i R_i^2 / w_ii for each row of the data."""
    near = neighbours(graph.size, graph.rows, graph.columns)
    return _by_row(columns, graph.diagonal, graph.weights, near)


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _residual(columns, i, d, w, near, target):
    scale = columns.dtype.type(d[i])
    source = columns[i]
    for k in range(target.shape[0]):
        target[k] = scale * source[k]
    for u in range(near.first[i], near.first[i + 1]):
        scale = columns.dtype.type(w[near.edge[u]])
        source = columns[near.other[u]]
        for k in range(target.shape[0]):
            target[k] += scale * source[k]


@compiled(nogil=True)
def _fill(columns, d, w, near, space):
    for i in range(columns.shape[0]):
        _residual(columns, i, d, w, near, space[i])


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _quadratics(columns, d, w, near):
    found = np.empty(columns.shape[0])
    space = np.empty(columns.shape[1], columns.dtype)
    for i in range(columns.shape[0]):
        _residual(columns, i, d, w, near, space)
        total = columns.dtype.type(0)
        for k in range(space.shape[0]):
            total += space[k] * space[k]
        found[i] = total
    return found


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _by_row(columns, d, w, near):
    found = np.zeros(columns.shape[1])
    space = np.empty(columns.shape[1], columns.dtype)
    for i in range(columns.shape[0]):
        _residual(columns, i, d, w, near, space)
        for k in range(space.shape[0]):
            found[k] += space[k] * space[k] / d[i]
    return found
