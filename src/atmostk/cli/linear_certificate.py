"""A saved linear model as a point of the problem that it was fitted to, on any data, and its certificate there."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.certificate import Certificate
from atmostk.cli import outputs
from atmostk.cli.model_file import LinearModel
from atmostk.cli.shell import note
from atmostk.datasets.table import Table
from atmostk.problem import Problem
from atmostk.report.made import said_of_exchange

NEGLIGIBLE = 1e-8  # of the objective: what a gradient that counts as zero could still gain


def told(model: LinearModel, table: Table, where: str) -> dict[str, Any]:
    """The certificate in words, and beside it what was known where the model was fitted."""
    missing = [name for name in model.features if name not in table.names]
    if missing:
        some = ", ".join(repr(name) for name in missing[:5])
        raise ValueError(f"{where} has no column {some}, which the model needs{' and more' * (len(missing) > 5)}.")
    if len(table.names) == len(model.features):
        note("the data has no columns but the model's own features: there is nothing to exchange them for.")
    problem, x = placed(model, table, where)
    found = certified(problem, x)
    before = model.quality.get("objective")
    return {
        "rows": table.X.shape[0],
        "features": len(model.features),
        "candidates": len(table.names),
        "objective": found.value,
        "objective where it was fitted": before if isinstance(before, int | float) else None,
        "a minimum on its features": found.basic_feasible,
        "gradient on the support": found.slope,
        "largest gradient outside": found.slope_outside,
        "L-stationary from L": found.l_bar,
        "best exchange": outputs.Said(said_of_exchange(found.best_exchange), found.best_exchange),
    }


def placed(model: LinearModel, table: Table, where: str) -> tuple[Problem, np.ndarray]:
    """The problem on these rows, and the model as a point of it."""
    from atmostk.estimators.coefficient_rules import coefficient_rules
    from atmostk.estimators.column_variances import column_variances
    from atmostk.estimators.linear_search import LinearSearch
    from atmostk.samplers import Rows

    p, outputs_of_model = len(table.names), len(model.coefficients)
    always = [table.names.index(name) for name in model.asked.get("always", ()) if name in table.names]
    rules = coefficient_rules(
        p, outputs_of_model, None, groups=None, always=always or None,
        bounds=(0.0, None) if model.asked.get("non_negative") else None, intercept=True, per_output=False,
    )  # fmt: skip
    x = np.zeros(rules.shape)
    places = [table.names.index(name) for name in model.features]
    values = np.array(model.coefficients, dtype=np.float64)
    x[places] = values[0] if x.ndim == 1 else values.T
    x[-1] = model.intercept[0] if x.ndim == 1 else model.intercept
    ridge = float(model.asked.get("ridge", 0.0))
    levels = ridge * column_variances(table.X, table.weights, True) if ridge else None
    rows = Rows(table.X, _target(model, table, where), table.weights)
    search = LinearSearch(_loss(model), rows, rules, levels, x.dtype)
    return search.problem(max(int(model.asked.get("at_most", 0)), len(model.features))), x


def certified(problem: Problem, x: np.ndarray) -> Certificate:
    """The certificate, with a gradient that counts as zero where it could gain next to nothing."""
    from atmostk.certificate import certify

    whole = next(iter(problem.sampler.blocks()))
    objective: Any = problem.objective
    value = abs(objective.value(x, whole))
    steepest = float(np.max(objective.curvature(x, whole)[x != 0], initial=0.0))
    tolerance = float(np.sqrt(2 * NEGLIGIBLE * max(value, 1e-12) * steepest))
    return certify(problem, x, tolerance=tolerance, sample=whole)


def _target(model: LinearModel, table: Table, where: str) -> np.ndarray:
    """The target as the loss takes it: amounts, or each row's place among the model's classes."""
    y: Any = table.y
    if model.classes is None:
        if y.dtype.kind == "U":
            raise ValueError(f"{where}: the target {model.target!r} holds words, and the model predicts amounts.")
        return y
    known = np.array(model.classes)
    if known.dtype.kind != "U" and y.dtype.kind == "U":
        raise ValueError(f"{where}: the target {model.target!r} holds words, and the model's classes are numbers.")
    told = y if known.dtype.kind != "U" or y.dtype.kind == "U" else np.array([f"{value:g}" for value in y])
    strange = ~np.isin(told, known)
    if strange.any():
        some = ", ".join(str(value) for value in np.unique(told[strange])[:5])
        raise ValueError(f"{where}: the target {model.target!r} holds {some}, which is no class of the model.")
    order = np.argsort(known)
    return order[np.searchsorted(known, told, sorter=order)].astype(np.float64)


def _loss(model: LinearModel) -> Any:
    from atmostk.objectives import Logistic, Multinomial

    if model.kind == "regressor":
        return model.regression_loss()
    return Logistic() if len(model.coefficients) == 1 else Multinomial()
