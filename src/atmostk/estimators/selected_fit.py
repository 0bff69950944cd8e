"""A graph whose edges a rule of selection chooses, and the minimum of the objective on them."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from atmostk.estimators.graph_fit import Fit, Look, certified
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.selection.study import Study
from atmostk.graphs.worth import Worth
from atmostk.minimize import Result
from atmostk.run import History
from atmostk.stopping import Stop


def selected(
    selection: Any, edges: int, rows: int, gram: np.ndarray, *, ridge: float = 0.0, l1: float = 0.0,
    worth: Worth | None = None, study: Study | None = None,
) -> Fit:  # fmt: skip
    """The edges that the rule gives the largest scores, refitted at the precision of the Gram matrix."""
    begun = time.perf_counter()
    study = study or Study(gram, ridge=ridge, worth=worth)
    phases = OnGram(gram, ridge=ridge, l1=l1, worth=worth)
    graph, value = phases.refitted(study.chosen(selection, edges))
    seconds = time.perf_counter() - begun
    stop = Stop(f"the edges are those of {selection!r}, and no sweep over them lowers the objective.", True)
    history = History([Look("select", value, graph.rows.size)], [seconds])
    result = Result(graph, graph.support, value, stop, history, None, seconds)
    return Fit(result, certified(phases, graph, value, rows))
