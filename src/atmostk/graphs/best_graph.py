"""The best graph with at most so many edges in one call: grow, exchange, refit, as `Exchange` does in steps.

A fit of 100 variables takes less than a millisecond; a history, checkpoints and rules of stopping would take as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


class SoFar(NamedTuple):
    """A search between two looks at all pairs: the graph and F there, what is to come, and the looks that were made."""

    graph: Graph
    value: float
    targets: tuple[int, ...]
    looks: int
    exchanges: int
    settled: bool


def best_graph(
    phases: Any,
    edges: int,
    *,
    start: Graph | SoFar | None = None,
    passes: int = 6,
    after_each: Callable[[SoFar], object] | None = None,
) -> Found:
    """The best graph with at most `edges` edges that growth and exchanges find.

    It grows from `start` (a neighbour on a path) or from no edge, and looks for exchanges among all pairs at most
    `passes` times; with passes = 0 it only grows. `after_each` is told after each look where the search stands; started
    there (`SoFar`), it goes on as if it had not been interrupted.

    >>> import numpy as np
    >>> from atmostk.graphs.on_gram import OnGram
    >>> best_graph(OnGram(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 1.0]])), 1).graph.keys
    array([1])
    """
    if isinstance(start, SoFar):
        now = start
    else:
        graph = phases.start() if start is None else start
        now = SoFar(graph, float("inf"), tuple(stages(edges, graph.rows.size)), 0, 0, False)
    while not _ended(now, edges, passes):
        now = _looked_once(phases, now, edges)
        if after_each is not None:
            after_each(now)
    graph, value = phases.refitted(now.graph)
    return Found(graph, value, now.looks)


def _ended(now: SoFar, edges: int, passes: int) -> bool:
    return not now.targets and (now.settled or now.exchanges >= passes or edges == 0)


def _looked_once(phases: Any, now: SoFar, edges: int) -> SoFar:
    """After one more look at all pairs: some stages of growth, or exchanges."""
    if now.targets:
        count = phases.stages_a_look
        graph, value = phases.grown(now.graph, now.targets[:count], edges)
        return SoFar(graph, value, now.targets[count:], now.looks + 1, 0, False)
    graph, value, moved = phases.exchanged(now.graph, edges)
    settled = moved == 0 or now.value - value < GAIN * abs(value)
    return SoFar(graph, value, (), now.looks + 1, now.exchanges + 1, settled)
