"""Linear models with at most K nonzeros: ours and the peers, each a function from a problem to coefficients.

None has an intercept, because the problems have none (real data is centred). A peer that chooses by a penalty runs a
warm path of a hundred penalties and gives the last point with at most K nonzeros, refitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.problems.linear import LinearProblem

Array = Any


def exchange(problem: LinearProblem, kicks: int = 3) -> np.ndarray:
    """Ours."""
    from atmostk import AtMost, Exchange, Problem, minimize
    from atmostk.objectives.logistic import Logistic
    from atmostk.objectives.squared_error import SquaredError
    from atmostk.samplers import Rows

    loss = SquaredError() if problem.loss == "squared" else Logistic()
    posed = Problem(loss, Rows(problem.X, problem.y), AtMost(problem.at_most))
    return minimize(posed, Exchange(kicks=kicks), np.zeros(problem.X.shape[1], problem.X.dtype)).x


def thorough(problem: LinearProblem) -> np.ndarray:
    """Ours with forty kicks."""
    return exchange(problem, kicks=40)


def abess(problem: LinearProblem) -> np.ndarray:
    """Best subset by splicing."""
    import abess as peer

    kind = peer.LinearRegression if problem.loss == "squared" else peer.LogisticRegression
    model = kind(support_size=problem.at_most, fit_intercept=False, thread=1)
    model.fit(problem.X, problem.y)
    return np.ravel(model.coef_)


def skscope(problem: LinearProblem) -> np.ndarray:
    """Splicing on a loss and its gradient."""
    from skscope import ScopeSolver

    X, y, rows = problem.X, problem.y, problem.X.shape[0]

    def value(x: np.ndarray) -> float:
        z = X @ x
        return float(0.5 * np.mean((y - z) ** 2) if problem.loss == "squared" else np.mean(np.logaddexp(0, z) - y * z))

    def gradient(x: np.ndarray) -> np.ndarray:
        z = X @ x
        return X.T @ (z - y if problem.loss == "squared" else 1 / (1 + np.exp(-z)) - y) / rows

    return np.asarray(ScopeSolver(X.shape[1], problem.at_most).solve(value, gradient=gradient))


def omp(problem: LinearProblem) -> np.ndarray:
    """Orthogonal matching pursuit."""
    from sklearn.linear_model import OrthogonalMatchingPursuit

    if problem.loss != "squared":
        raise NotImplementedError("only squared error")
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=problem.at_most, fit_intercept=False)
    return np.ravel(model.fit(problem.X, problem.y).coef_)


def skglm(problem: LinearProblem) -> np.ndarray:
    """An L1 path, compiled beforehand on a small problem."""
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import Logistic, Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD

    labels = problem.y if problem.loss == "squared" else 2.0 * problem.y - 1
    datafit = Quadratic if problem.loss == "squared" else Logistic
    solver = AndersonCD(fit_intercept=False, warm_start=True, tol=1e-3)
    model = GeneralizedLinearEstimator(datafit=datafit(), penalty=L1(1.0), solver=solver)

    def fitted(penalty: float) -> np.ndarray:
        model.penalty = L1(penalty)
        return np.ravel(model.fit(problem.X, labels).coef_)

    return _refitted(problem, _down_a_path(problem, fitted))


def celer(problem: LinearProblem) -> np.ndarray:
    """An L1 path by working sets."""
    from celer import Lasso, LogisticRegression

    labels = problem.y if problem.loss == "squared" else np.where(problem.y > 0, 1, -1)
    model: Any = Lasso(fit_intercept=False, warm_start=True, tol=1e-3)
    if problem.loss != "squared":
        model = LogisticRegression(fit_intercept=False, warm_start=True, tol=1e-3)

    def fitted(penalty: float) -> np.ndarray:
        model.set_params(**({"alpha": penalty} if problem.loss == "squared" else {"C": 1 / (penalty * len(labels))}))
        return np.ravel(model.fit(problem.X, labels).coef_).copy()

    return _refitted(problem, _down_a_path(problem, fitted))


def sklearn_l1(problem: LinearProblem) -> np.ndarray:
    """scikit-learn's L1 path."""
    from sklearn.linear_model import Lasso, LogisticRegression

    if problem.loss == "squared":
        model: Any = Lasso(fit_intercept=False, warm_start=True, tol=1e-3)
    else:
        model = LogisticRegression(l1_ratio=1.0, solver="liblinear", fit_intercept=False, tol=1e-3)

    def fitted(penalty: float) -> np.ndarray:
        name, level = ("alpha", penalty) if problem.loss == "squared" else ("C", 1 / (penalty * len(problem.y)))
        return np.ravel(model.set_params(**{name: level}).fit(problem.X, problem.y).coef_).copy()

    return _refitted(problem, _down_a_path(problem, fitted))


SOLVERS: dict[str, Callable[[LinearProblem], np.ndarray]] = {
    "ours": exchange,
    "ours, kicks=40": thorough,
    "abess": abess,
    "skscope": skscope,
    "skglm": skglm,
    "celer": celer,
    "OMP (scikit-learn)": omp,
    "L1 (scikit-learn)": sklearn_l1,
}


def _down_a_path(problem: LinearProblem, fitted: Callable[[float], np.ndarray]) -> np.ndarray:
    """The last support of a path that holds at most K columns."""
    slope = problem.y if problem.loss == "squared" else problem.y - 0.5
    steepest = float(np.abs(problem.X.T @ slope).max()) / len(problem.y)
    kept = np.empty(0, np.int64)
    for share in np.geomspace(1, 1e-3, 100)[1:]:
        support = np.flatnonzero(fitted(steepest * share))
        if support.size > problem.at_most:
            break
        kept = support
    return kept


def _refitted(problem: LinearProblem, support: np.ndarray) -> np.ndarray:
    """The minimum on this support, so that a penalty's shrinkage is not held against it."""
    from atmostk import AtMost, Exchange, Problem, minimize
    from atmostk.objectives.logistic import Logistic
    from atmostk.objectives.squared_error import SquaredError
    from atmostk.samplers import Rows

    x = np.zeros(problem.X.shape[1], problem.X.dtype)
    if support.size:
        loss = SquaredError() if problem.loss == "squared" else Logistic()
        posed = Problem(loss, Rows(problem.X[:, support], problem.y), AtMost(support.size))
        start = np.ones(support.size, problem.X.dtype)
        x[support] = minimize(posed, Exchange(kicks=0, sample=0), start).x
    return x
