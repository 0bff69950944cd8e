"""The best graph with at most so many edges in one call: grow, exchange, refit, as `Exchange` does in steps.

A fit of 100 variables takes less than a millisecond; a history, checkpoints and rules of stopping would take as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from atmostk.graphs.graph import Graph

STAGES = (0.3, 0.6, 0.85, 1.0)
GAIN = 1e-5  # of F: a look at all pairs that gains less is the last


class Phases(Protocol):
    """The search's phases on some form of the data; a graph goes in, a graph and F there come out."""

    stages_a_look: int

    def start(self) -> Graph: ...
    def grown(self, graph: Graph, targets: Sequence[int], edges: int, /) -> tuple[Graph, float]: ...
    def exchanged(self, graph: Graph, edges: int, /) -> tuple[Graph, float, int]: ...
    def refitted(self, graph: Graph, /) -> tuple[Graph, float]: ...


def stages(edges: int, held: int) -> list[int]:
    """How many edges there are after each stage of growth, from what is held to the whole budget.

    >>> stages(100, 0), stages(100, 70), stages(100, 100)
    ([30, 60, 85, 100], [85, 100], [100])
    """
    return [target for target in (round(share * edges) for share in STAGES[:-1]) if target > held] + [edges]


class Found(NamedTuple):
    """A graph, F there, and how many times all pairs were looked at."""

    graph: Graph
    value: float
    passes: int


def best_graph(phases: Any, edges: int, *, start: Graph | None = None, passes: int = 6) -> Found:
    """The best graph with at most `edges` edges that growth and exchanges find.

    It grows from `start` (a neighbour on a path) or from no edge, and looks for exchanges among all pairs at most
    `passes` times; with passes = 0 it only grows.

    >>> import numpy as np
    >>> from atmostk.graphs.on_gram import OnGram
    >>> best_graph(OnGram(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 1.0]])), 1).graph.keys
    array([1])
    """
    graph, value, looks = phases.start() if start is None else start, float("inf"), 0
    targets = stages(edges, graph.rows.size)
    while targets:
        now, targets = targets[: phases.stages_a_look], targets[phases.stages_a_look :]
        graph, value = phases.grown(graph, now, edges)
        looks += 1
    for _ in range(passes if edges else 0):
        before = value
        graph, value, moved = phases.exchanged(graph, edges)
        looks += 1
        if moved == 0 or before - value < GAIN * abs(value):
            break
    graph, value = phases.refitted(graph)
    return Found(graph, value, looks)
