"""A graph whose edges a rule of selection chooses, and the minimum of the objective on them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from atmostk.estimators.graph_fit import Fit, Look, certified
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.selection.shrunk_refit import ShrunkRefit
from atmostk.graphs.selection.study import Study
from atmostk.graphs.worth import Worth
from atmostk.minimize import Result
from atmostk.run import History
from atmostk.stopping import Stop


def selected(
    selection: Any, edges: int, rows: int, gram: np.ndarray, *, ridge: float = 0.0, l1: float = 0.0,
    worth: Worth | None = None,
) -> Fit:  # fmt: skip
    """The edges that the rule gives the largest scores, refitted at the precision of the Gram matrix."""
    begun = time.perf_counter()
    phases = OnGram(gram, ridge=ridge, l1=l1, worth=worth)
    graph, value = phases.refitted(Study(gram, ridge=ridge, worth=worth).chosen(selection, edges))
    result = told(graph, value, f"the edges are those of {selection!r}.", time.perf_counter() - begun)
    return Fit(result, certified(phases, graph, value, rows))


def selected_and_shrunk(
    selection: Any, edges: int, rows: int, gram: np.ndarray, study: Study, strength: float
) -> tuple[Fit, np.ndarray]:
    """The same with the uneven penalty of `ShrunkRefit`, and the penalty of each edge."""
    begun = time.perf_counter()
    phases = OnGram(gram, ridge=study.phases.penalty.ridge, worth=study.phases.worth)
    refit = ShrunkRefit(phases, study.chosen(selection, edges), study.penalty(edges))
    graph, value = refit.at(strength, refit.graph, sweeps=500, tolerance=1e-9)
    each = strength * 2 * refit.penalty * refit.factors
    result = told(graph, value, f"the edges are those of {selection!r}.", time.perf_counter() - begun)
    return Fit(result, certified(refit.phases, graph, value, rows)), each


def told(graph: Graph, value: float, reason: str, seconds: float) -> Result:
    """What was found, as a result."""
    history = History([Look("select", value, graph.rows.size)], [seconds])
    return Result(graph, graph.support, value, Stop(reason, True), history, None, seconds)
