"""Where the nodes of a network are drawn: neighbours close, crowds apart, the unconnected below.

Springs along the edges and repulsion between all nodes, cooled down step by step. Each step looks at every pair up to
`CROWD` nodes, and at as many random others beyond, so that a step costs at most p x CROWD.
"""

from __future__ import annotations

import math

import numpy as np

from atmostk.compiled import compiled

STEPS = 300
CROWD = 2_000


def layout(nodes: int, first: np.ndarray, second: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """One point in the plane for each node, within -1 to 1; the same for the same seed.

    >>> points = layout(4, np.array([0, 1]), np.array([1, 2]))
    >>> points.shape, bool(np.abs(points).max() <= 1)
    ((4, 2), True)
    """
    first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
    points = np.zeros((nodes, 2))
    connected = np.zeros(nodes, dtype=bool)
    connected[first] = connected[second] = True
    chosen = np.flatnonzero(connected)
    if len(chosen):
        number = np.cumsum(connected) - 1
        points[chosen] = _spread(len(chosen), number[first], number[second], np.random.default_rng(seed))
    alone = np.flatnonzero(~connected)
    # The unconnected wait in rows below, the same distance apart.
    across = max(1, math.ceil(math.sqrt(6 * len(alone))))
    places = np.arange(len(alone))
    points[alone, 0] = -1 + 2 * (places % across + 0.5) / across
    points[alone, 1] = -1.1 - 2 * (places // across) / across
    middle = (points.min(axis=0, initial=np.inf) + points.max(axis=0, initial=-np.inf)) / 2 if nodes else 0.0
    points = points - middle
    return points / max(np.abs(points).max(initial=0.0), 1e-12)


def _spread(nodes: int, first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The connected nodes, within -1 to 1."""
    points = rng.uniform(-1.0, 1.0, (nodes, 2)) * math.sqrt(nodes)
    degree = np.bincount(first, minlength=nodes) + np.bincount(second, minlength=nodes)
    for step in range(STEPS):
        others = np.arange(nodes) if nodes <= CROWD else rng.choice(nodes, CROWD, replace=False)
        force = _repulsion(points, degree.astype(np.float64), others) * (nodes / len(others))
        pull = points[second] - points[first]
        # Logarithmic springs show communities; hubs share their pull among their neighbours.
        pull *= (4.0 / (1.0 + np.linalg.norm(pull, axis=1)))[:, None]
        for axis in (0, 1):
            force[:, axis] += np.bincount(first, pull[:, axis], nodes) - np.bincount(second, pull[:, axis], nodes)
        # A weak pull to the middle keeps the pieces of a network on one page.
        force -= 0.05 * (degree[:, None] + 1) * points / math.sqrt(nodes)
        length = np.linalg.norm(force, axis=1)
        hottest = 0.3 * math.sqrt(nodes) * (1 - step / STEPS) ** 2
        points = points + force * (np.minimum(length, hottest) / np.maximum(length, 1e-12) * 0.5)[:, None]
    # Farthest nodes would make everything else small: the radius is squeezed beyond most of the nodes.
    radius = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    usual = max(float(np.quantile(radius, 0.98)), 1e-12)
    points = (points - np.median(points, axis=0)) * (np.minimum(1.0, usual / np.maximum(radius, 1e-12)) ** 0.6)[:, None]
    return points / max(np.abs(points).max(), 1e-12)


@compiled(fastmath=True)
def _repulsion(points, degree, others):  # pragma: no cover - compiled
    force = np.zeros_like(points)
    for i in range(len(points)):
        x, y, along, up = points[i, 0], points[i, 1], 0.0, 0.0
        for j in others:
            right, above = x - points[j, 0], y - points[j, 1]
            # A node repels the more, the more neighbours it has to find room for; the .01 also keeps i from itself.
            strength = (1.0 + degree[j]) / (right * right + above * above + 0.01)
            along += strength * right
            up += strength * above
        force[i, 0], force[i, 1] = 0.25 * along, 0.25 * up
    return force
