"""Features: a real data set, every budget, the one that cross-validation chooses, and the paper's algorithm beside."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from atmostk.cli.tour.stop import Stop
from atmostk.report import SavedRun, feature_run, loop_run

WHAT = "features: which of 64 measurements, squares and products tell how diabetes goes on"
TEST = 110  # of the 442 patients


def stop(seed: int, quick: bool) -> Stop:
    """Choose, and judge on patients who were kept apart; the lasso as everyone has it beside it."""
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    from atmostk import SparseRegressorCV

    X, y, names = _patients()
    order = np.random.default_rng(seed).permutation(len(y))
    test, train = order[:TEST], order[TEST:]
    centre, spread = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - centre) / spread
    folds = KFold(5, shuffle=True, random_state=seed)
    tried = range(1, 6 if quick else 21)
    model = SparseRegressorCV(at_most=tried, cv=folds, one_standard_error=True, random_state=seed)
    model.fit(X[train], y[train])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the lasso's own, about its convergence
        lasso = LassoCV(cv=folds).fit(X[train], y[train])
    found = [names[place] for place in model.support_]
    ours, theirs = float(model.score(X[test], y[test])), float(lasso.score(X[test], y[test]))
    headline = (
        f"{len(found)} of {len(names)} features ({', '.join(found)}) explain {ours:.0%} of what {TEST} other patients' "
        f"disease does; a cross-validated lasso takes {np.count_nonzero(lasso.coef_)} for {theirs:.0%}."
    )
    run = feature_run(
        model,
        names,
        title="Features: diabetes",
        headline=headline,
        asked={
            "data": "442 diabetes patients, ten measurements with squares and products (scikit-learn)",
            "tried": f"1 to {tried[-1]} features, five folds, the fewest within one standard error of the best",
            "seed": seed,
            "chosen budget": len(found),
        },
        quality={"R^2 on held-out patients": ours, "R^2 of a cross-validated lasso there": theirs},
    )
    numbers = {"features": len(found), "held_out_R2": ours, "lasso_features": float(np.count_nonzero(lasso.coef_))}
    return Stop(
        headline, numbers | {"lasso_held_out_R2": theirs}, (run, _paper(X[train], y[train], names, model, seed))
    )


def _paper(X: np.ndarray, y: np.ndarray, names: list[str], model: Any, seed: int) -> SavedRun:
    """Algorithm 1 of the paper with as many features on the same patients, step by step."""
    from atmostk import PIHT, AtMost, Problem, certify, minimize
    from atmostk.objectives import SquaredError
    from atmostk.samplers import Rows
    from atmostk.solvers import Measured
    from atmostk.stopping import after_steps, radius_below

    budget, scale = len(model.support_), float(y.std())
    problem = Problem(SquaredError(), Rows(X, (y - y.mean()) / scale), AtMost(budget))
    solver = PIHT(sample_size=Measured(), step_size=0.2)
    result = minimize(problem, solver, np.zeros(X.shape[1]), stop=[radius_below(1e-5), after_steps(400)], seed=seed)
    same = len(np.intersect1d(result.support, model.support_))
    value = result.value * scale**2
    headline = (
        f"Algorithm 1 with as many features and samples that grow: objective {value:.0f}, where Exchange has "
        f"{model.certificate_.value:.0f}; {same} of {budget} features the same, {result.steps} steps."
    )
    return loop_run(
        result,
        title="The paper's algorithm on the same patients",
        headline=headline,
        names=names,
        certificate=certify(problem, result.x, tolerance=1e-4),
        asked={"at most": budget, "solver": "PIHT(sample_size=Measured(), step_size=0.2)", "target": "scaled to one"},
    )


def _patients() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Ten measurements, nine squares (sex has none) and 45 products."""
    from sklearn.datasets import load_diabetes

    data: Any = load_diabetes()
    names = [str(name) for name in data.feature_names]
    columns, told = [data.data], list(names)
    for i, one in enumerate(names):
        for j, other in enumerate(names[i:], start=i):
            if i == j == names.index("sex"):
                continue
            columns.append((data.data[:, i] * data.data[:, j])[:, None])
            told.append(f"{one}^2" if i == j else f"{one} x {other}")
    return np.hstack(columns), data.target, told
