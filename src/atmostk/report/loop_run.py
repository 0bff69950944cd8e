"""A run of `minimize` to report: whatever the loss and the solver were, the entries that it chose and its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.certificate import Certificate
from atmostk.report.made import certified, convergence, made
from atmostk.report.saved_run import Fact, SavedRun


def loop_run(
    result: Any,
    *,
    title: str,
    headline: str,
    names: Sequence[str] | None = None,
    certificate: Certificate | None = None,
    asked: Mapping[str, Fact] | None = None,
    quality: Mapping[str, Fact] | None = None,
) -> SavedRun:
    """The run of a `Result`: `names` are those of the entries of x, `certificate` what `certify` says of it.

    >>> from atmostk import AtMost, Exchange, Problem, minimize
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> problem = Problem(SquaredError(), Rows(np.eye(3), np.array([3.0, 1.0, 2.0])), AtMost(1))
    >>> run = loop_run(minimize(problem, Exchange(), np.zeros(3)), title="A toy", headline="1 of 3")
    >>> run.tables["answer"]["feature"], run.tables["answer"]["coefficient"]
    (['x0'], array([3.]))
    """
    support = np.asarray(result.support)
    values = arrays.to_numpy(arrays.take(result.x, support)).astype(float)
    order = np.argsort(-np.abs(values), kind="stable")
    told = [str(names[place]) if names is not None else f"x{place}" for place in support[order]]
    tables = {"answer": {"feature": told, "coefficient": values[order]}, **convergence(result)}
    facts: dict[str, Fact] = {**(quality or {}), "objective": float(result.value), **certified(certificate)}
    return SavedRun("features", title, headline, dict(asked or {}), facts, made(result), tables)
