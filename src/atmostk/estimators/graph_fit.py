"""From standardised variables to a graph: the lean search, or `minimize` where kicks or a clock are asked for."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from atmostk.certificate import Certificate
from atmostk.constraints.at_most_edges import AtMostEdges
from atmostk.estimators.search_file import best_graph_from
from atmostk.graphs.best_graph import best_graph
from atmostk.graphs.gram_certificate import Proof, proof
from atmostk.graphs.graph import Graph
from atmostk.graphs.on_columns import OnColumns
from atmostk.graphs.on_gram import OnGram
from atmostk.graphs.worth import Worth
from atmostk.minimize import Result, minimize
from atmostk.objectives.gaussian_graph import GaussianGraph
from atmostk.objectives.graph_landscape import GraphLandscape
from atmostk.problem import Problem
from atmostk.run import History
from atmostk.solvers.exchange import Exchange
from atmostk.stopping import Stop, after_seconds

TOLERANCE = 1e-3  # of the gradient on the support, per root of the number of entries there


class Fit(NamedTuple):
    """A result whose x is a `Graph`, and its certificate where the Gram matrix makes that cheap."""

    result: Result
    certificate: Certificate | None


class Look(NamedTuple):
    """What the lean search tells of itself."""

    phase: str
    value: float
    units: int


def fitted(
    edges: int, rows: int, *, gram: np.ndarray | None = None, columns: Any = None, ridge: float = 0.0,
    l1: float = 0.0, worth: Worth | None = None, kicks: int = 0, max_seconds: float | None = None, seed: Any = None,
    start: Graph | None = None, checkpoint: str | Path | None = None, threads: int = 1,
) -> Fit:  # fmt: skip
    """The best graph with at most `edges` edges, from X'X / rows or from the variables themselves, one a row."""
    penalty = {"ridge": ridge, "l1": l1, "worth": worth}
    phases = OnGram(gram, **penalty) if gram is not None else OnColumns(columns, **penalty, threads=threads)
    if kicks or max_seconds is not None:
        result = _searched(phases, edges, rows, kicks, max_seconds, seed, start)
    else:
        begun = time.perf_counter()
        if checkpoint is None:
            found = best_graph(phases, edges, start=start)
        else:
            found = best_graph_from(checkpoint, phases, edges, columns if gram is None else gram)
        seconds = time.perf_counter() - begun
        history = History([Look("exchange", found.value, found.graph.rows.size)], [seconds])
        stop = Stop(f"no exchange among all pairs lowers the objective, after {found.passes} looks at them.", True)
        result = Result(found.graph, found.graph.support, found.value, stop, history, None, seconds)
    return Fit(result, certified(phases, result.x, result.value, rows) if isinstance(phases, OnGram) else None)


def certified(phases: OnGram, graph: Graph, value: float, rows: int) -> Certificate:
    """How good a graph is, on the whole Gram matrix."""
    found = Proof(*proof(phases.exact, graph.diagonal, graph.weights, graph.rows, graph.columns, phases.penalty))
    outside = found.slope_outside
    l_bar = outside / found.smallest if found.smallest > 0 else np.inf
    return Certificate(
        value=value,
        slope=float(found.slope),
        slope_outside=float(outside),
        l_bar=float(l_bar) if outside > 0 else 0.0,
        basic_feasible=bool(found.slope <= TOLERANCE * (graph.size + 2 * graph.rows.size) ** 0.5),
        best_exchange=float(found.gain - found.cost) if np.isfinite(found.cost) else float(found.gain),
        rows=rows,
        whole=True,
    )


@dataclass(frozen=True)
class Summed:
    """Rows that were added up: how many there were is all that is left of them."""

    size: int

    def draw(self, count: int, rng: np.random.Generator, /) -> Any:
        """None can be drawn."""
        raise TypeError("These rows were added up into a Gram matrix: none can be drawn from it.")

    def blocks(self) -> Any:
        """None can be read."""
        raise TypeError("These rows were added up into a Gram matrix: none can be read from it.")


@dataclass(frozen=True)
class Prepared(GaussianGraph):
    """The loss on data that is standardised and summed already."""

    phases: Any = None

    def check(self, x: Any, sample: Any, /) -> None:
        """The estimator has checked its data."""

    def landscape(self, problem: Any, x0: Any, /) -> GraphLandscape:
        """What `Exchange` asks."""
        known = np.empty(0, np.int64) if self.worth is None else self.worth.known
        return GraphLandscape(self.phases, problem.constraint.edges, known, problem.sampler.size, x0)


@dataclass(frozen=True)
class PreparedProblem(Problem):
    """A problem whose data has been looked at."""

    def check(self, x: Any) -> None:
        """The budget must fit the graph."""
        self.constraint.check(x)


def _searched(
    phases: OnGram | OnColumns, edges: int, rows: int, kicks: int, max_seconds: float | None, seed: Any,
    start: Graph | None,
) -> Result:  # fmt: skip
    """By the library's loop, with kicks, history and a clock."""
    known = 0 if phases.worth is None else phases.worth.known.size
    l1 = phases.penalty.l1 if isinstance(phases, OnGram) else phases.l1
    ridge = phases.penalty.ridge if isinstance(phases, OnGram) else phases.ridge
    objective = Prepared(ridge, l1, phases.worth, phases)
    problem = PreparedProblem(objective, Summed(rows), AtMostEdges(edges - known))
    stop = () if max_seconds is None else (after_seconds(max_seconds),)
    rng = check_random_state(seed)
    number = seed if isinstance(seed, int | np.integer) else int(rng.randint(2**31 - 1)) if seed is not None else 0
    result = minimize(problem, Exchange(kicks=kicks), start or phases.start(), stop=stop, seed=int(number))
    # What the next step would need holds the whole workspace.
    return replace(result, state=None)
