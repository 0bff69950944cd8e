"""A learned network as a run to report: its edges, how good it is, the path over the number of edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atmostk.report.made import certified, convergence, made
from atmostk.report.saved_run import Fact, SavedRun, Table


def graph_run(
    model: Any,
    *,
    title: str,
    headline: str,
    asked: Mapping[str, Fact] | None = None,
    quality: Mapping[str, Fact] | None = None,
    path: Table | None = None,
) -> SavedRun:
    """The run of a fitted `SparsePrecision` or its CV form.

    `quality` is what is known beside the certificate, such as a held-out score; `path` a row for each number of edges,
    of the CV form its own where nothing is said.

    >>> import numpy as np
    >>> from atmostk import SparsePrecision
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> X[:, 2] += X[:, 0]
    >>> run = graph_run(SparsePrecision(edges=1).fit(X), title="A toy", headline="1 edge")
    >>> run.tables["nodes"]["name"], run.tables["edges"]["first"], run.tables["edges"]["second"]
    (['x0', 'x1', 'x2'], array([0]), array([2]))
    """
    edges, result = model.edges_, getattr(model, "result_", None)
    tables: dict[str, Table] = {
        "nodes": {"name": [str(name) for name in edges.names]},
        "edges": {
            "first": np.asarray(edges.i),
            "second": np.asarray(edges.j),
            "partial correlation": np.asarray(edges.partial_correlation, dtype=float),
            "weight": np.asarray(edges.weight, dtype=float),
        },
        **convergence(result),
    }
    path = path if path is not None else graph_path(model)
    if path is not None:
        tables["path"] = path
    facts: dict[str, Fact] = {**(quality or {}), **certified(getattr(model, "certificate_", None))}
    return SavedRun("graph", title, headline, dict(asked or {}), facts, made(result), tables)


def graph_path(model: Any) -> dict[str, Any] | None:
    """The path of the CV form: for each number of edges the least held-out objective among the ways to have it."""
    results = getattr(model, "cv_results_", None)
    if not results:
        return None
    edges, means = np.asarray(results["edges"]), np.asarray(results["mean_objective"], dtype=float)
    counts = np.unique(edges)
    best = [int(np.flatnonzero(edges == count)[np.argmin(means[edges == count])]) for count in counts]
    return {
        "edges": counts,
        "objective: held out": means[best],
        "objective: held out spread": np.asarray(results["standard_error"], dtype=float)[best],
    }
