"""A fitted linear model as a run to report: the features, how good they are, the path over K."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from atmostk.report.made import certified, convergence, made
from atmostk.report.saved_run import Fact, SavedRun, Table


def feature_run(
    model: Any,
    names: Sequence[str],
    *,
    title: str,
    headline: str,
    spread: np.ndarray | None = None,
    asked: Mapping[str, Fact] | None = None,
    quality: Mapping[str, Fact] | None = None,
    path: Table | None = None,
) -> SavedRun:
    """The run of a fitted `SparseRegressor`, `SparseClassifier` or CV form.

    `names` are the features' names, `spread` their standard deviations, by which effects are told that can be compared;
    `quality` is what is known beside the certificate, such as a held-out score; `path` a row for each budget,
    of a CV form its own where nothing is said.

    >>> import numpy as np
    >>> from atmostk import SparseRegressor
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> model = SparseRegressor(at_most=1).fit(X, 2 * X[:, 1])
    >>> run = feature_run(model, ["a", "b", "c"], title="A toy", headline="1 of 3 features")
    >>> run.tables["answer"]["feature"], run.tables["answer"]["coefficient"].round(3)
    (['b'], array([2.]))
    """
    result = getattr(model, "result_", None)
    path = path if path is not None else linear_path(model)
    tables: dict[str, Table] = {"answer": answer(model, names, spread), **convergence(result)}
    if path is not None:
        tables["path"] = path
    facts: dict[str, Fact] = {**(quality or {}), **certified(getattr(model, "certificate_", None))}
    return SavedRun("features", title, headline, dict(asked or {}), facts, made(result), tables)


def answer(model: Any, names: Sequence[str], spread: np.ndarray | None = None) -> dict[str, Any]:
    """The chosen features with their coefficients, the largest effect first; of several classes a column for each."""
    support = np.asarray(model.support_)
    coefficients = np.atleast_2d(model.coef_)[:, support]
    size = np.abs(coefficients).max(axis=0, initial=0.0) * (1.0 if spread is None else np.asarray(spread)[support])
    order = np.argsort(-size, kind="stable")
    table: dict[str, Any] = {"feature": [str(names[place]) for place in support[order]]}
    if len(coefficients) == 1:
        table["coefficient"] = np.asarray(coefficients[0][order], dtype=float)
        if spread is not None:
            table["effect of one standard deviation"] = table["coefficient"] * np.asarray(spread)[support[order]]
        errors = getattr(model, "standard_errors_", None)
        if errors is not None and np.shape(errors) == np.shape(model.coef_):
            table["standard error"] = np.asarray(np.atleast_2d(errors)[0][support[order]], dtype=float)
        return table
    for label, row in zip(model.classes_, coefficients, strict=True):
        table[f"for {label}"] = np.asarray(row[order], dtype=float)
    return table


def linear_path(model: Any) -> dict[str, Any] | None:
    """The path of a CV form: the loss of each budget on its rows and, where there were folds, on rows held out."""
    path = getattr(model, "path_", None)
    if path is None:
        return None
    table: dict[str, Any] = {"features": path.at_most, "loss: these rows": path.losses}
    if getattr(model, "errors_", None) is None:
        return table | {str(model.criterion): np.asarray(model.scores_)}
    return table | {"loss: held out": np.asarray(model.scores_), "loss: held out spread": np.asarray(model.errors_)}
