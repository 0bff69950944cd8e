"""A sparse precision matrix whose number of edges, way of choosing them and shrinkage are cross-validated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import KFold, check_cv
from sklearn.utils import check_random_state

from atmostk.estimators.edge_counts import edge_counts
from atmostk.estimators.graph_folds import fold
from atmostk.estimators.held_out_curves import Choice, Curves, choice, curve
from atmostk.estimators.learned_graph import LearnedGraph
from atmostk.estimators.selected_fit import selected_and_shrunk
from atmostk.estimators.standardised import gram_and_scales
from atmostk.graphs.graph import Graph
from atmostk.graphs.selection import Growth, Neighbourhood, Study
from atmostk.objectives.graph_landscape import GRAM

EDGES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)  # for each variable, where nothing is said
SHRINKAGE = (1.2, 1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0)
SELECTION = (Neighbourhood(), Growth(0.25), Growth())


class SparsePrecisionCV(LearnedGraph):
    """The graph that rows held out say is best: how many edges, chosen how, shrunk how much.

    In each fold every rule of `selection` chooses its edges anew, and they are refitted under each `shrinkage`: a share
    of the penalty at which an L1 method would have as many edges, so that 1 shrinks as such a method does and 0 not at
    all. Edges between well explained variables with many neighbours are shrunk less than others; `shrinkage_` holds the
    penalty of each. The rule is the one whose edges are best at the strength that suits all rules, its strength and the
    number of edges those of the least held-out objective (`rule="best"`), or the fewest edges within one standard error
    of it (`rule="one_standard_error"`). Then the same once more on all rows. Where `edges` is None, multiples of the
    number of variables are tried. With `calibrate` the graph is multiplied by the one number that makes its held-out
    objective least: few rows leave residuals that are too small.

    `cv` is a number of folds, of shuffled rows, or a splitter of scikit-learn. The other options are those of
    `SparsePrecision`; missing entries are filled and ranks taken once, from all rows.

    >>> from atmostk.datasets import band_graph
    >>> X = band_graph(10).draw(200, seed=0)
    >>> model = SparsePrecisionCV(edges=[5, 10, 20, 40]).fit(X)
    >>> model.best_edges_, len(model.edges_)
    (20, 20)
    """

    def __init__(
        self,
        edges: Sequence[int] | None = None,
        *,
        shrinkage: Sequence[float] = SHRINKAGE,
        selection: Sequence[Any] = SELECTION,
        cv: Any = 5,
        rule: str = "best",
        calibrate: bool = True,
        ridge: float = 0.0,
        edge_weights: Any = None,
        known: Any = None,
        forbidden: Any = None,
        assume_centered: bool = False,
        standardize: bool = True,
        impute: bool = False,
        ranks: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.edges = edges
        self.shrinkage = shrinkage
        self.selection = selection
        self.cv = cv
        self.rule = rule
        self.calibrate = calibrate
        self.ridge = ridge
        self.edge_weights = edge_weights
        self.known = known
        self.forbidden = forbidden
        self.assume_centered = assume_centered
        self.standardize = standardize
        self.impute = impute
        self.ranks = ranks
        self.n_jobs = n_jobs
        self.random_state = random_state

    best_edges_: int
    best_selection_: Any
    best_shrinkage_: float
    shrinkage_: np.ndarray
    calibration_: float
    cv_results_: dict[str, np.ndarray]

    def fit(self, X: Any, y: Any = None) -> SparsePrecisionCV:
        """Choose on folds of the rows of X, then learn from all of them."""
        self._check_parameters()
        X = self._opened(X)
        rows, size = X.shape
        if size > GRAM:
            raise ValueError(
                f"X has {size:,} variables: cross-validation works on the Gram matrix, up to {GRAM:,}. Take the most "
                "variable ones, or SparsePrecision(edges=...), which has no such limit."
            )
        edges = edge_counts(self.edges, size, EDGES, owner="SparsePrecisionCV")
        strengths = sorted({float(share) for share in self.shrinkage})
        names = getattr(self, "feature_names_in_", None)
        scaling = {"centered": self.assume_centered, "standardize": self.standardize, "names": names}
        gram, scales = gram_and_scales(X, **scaling)
        worth = self._worth(size, min(edges))
        study = Study(gram, ridge=self.ridge, worth=worth)
        penalties = {count: study.penalty(count) for count in edges}
        rules = tuple(self.selection)
        if self.calibrate or len(edges) * len(rules) * len(strengths) > 1:
            held = [out for _, out in self._splits(rows).split(X)]

            def judged(out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
                part = fold(X, gram, scales, out, **scaling)
                return curve(part, rows, edges, rules, strengths, penalties, self.ridge, worth)

            # Threads: the compiled parts let go of the interpreter, and no fold copies the rows.
            found: Any = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(judged)(out) for out in held)
            logs, surprises = (np.stack(each) for each in zip(*found, strict=True))
            shares = np.array([out.size for out in held]) / sum(out.size for out in held)
            curves = Curves(tuple(edges), rules, tuple(strengths), logs, surprises, shares, size)
            best = choice(curves, calibrate=self.calibrate, frugal=self.rule == "one_standard_error")
            self.cv_results_ = _table(curves)
        else:
            best, self.cv_results_ = Choice(0, 0, 0, 1.0), {}
        self.best_edges_, self.best_selection_ = edges[best.edges], rules[best.rule]
        self.best_shrinkage_, self.calibration_ = strengths[best.strength], best.scale
        fit, self.shrinkage_ = selected_and_shrunk(
            self.best_selection_, self.best_edges_, rows, gram, study, self.best_shrinkage_
        )
        self._take(scales, fit.result, fit.certificate)
        graph = self.graph_
        self.graph_ = Graph(graph.diagonal * best.scale, graph.rows, graph.columns, graph.weights * best.scale)
        return self

    def _splits(self, rows: int) -> Any:
        if isinstance(self.cv, int | np.integer):
            seed = 0 if self.random_state is None else check_random_state(self.random_state).randint(2**31 - 1)
            return KFold(min(int(self.cv), rows), shuffle=True, random_state=seed)
        return check_cv(self.cv)

    def _check_parameters(self) -> None:
        shares = list(self.shrinkage)
        if not shares or not all(isinstance(share, int | float) and 0 <= share < math.inf for share in shares):
            raise ValueError(f"SparsePrecisionCV(shrinkage={self.shrinkage!r}): give finite numbers of 0 or more.")
        if not list(self.selection):
            raise ValueError("SparsePrecisionCV(selection=[]): give at least one rule, such as Neighbourhood().")
        if self.rule not in ("best", "one_standard_error"):
            raise ValueError(f"SparsePrecisionCV(rule={self.rule!r}): it is 'best' or 'one_standard_error'.")
        if isinstance(self.cv, int | np.integer) and self.cv < 2:
            raise ValueError(f"SparsePrecisionCV(cv={self.cv!r}): it takes at least two folds.")


def _table(curves: Curves) -> dict[str, np.ndarray]:
    """One entry for each number of edges, rule and strength: the held-out objective's mean and standard error."""
    e, r, s = (place.ravel() for place in np.indices(curves.logs.shape[1:]))
    folds = len(curves.shares)
    error = curves.values.std(axis=0, ddof=min(1, folds - 1)) / folds**0.5
    rules = np.empty(len(curves.rules), dtype=object)
    rules[:] = curves.rules
    return {
        "edges": np.array(curves.edges)[e],
        "selection": rules[r],
        "shrinkage": np.array(curves.strengths)[s],
        "mean_objective": curves.means(curves.values).ravel(),
        "standard_error": error.ravel(),
        "calibrated_objective": curves.calibrated.ravel(),
    }
