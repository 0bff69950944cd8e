"""Held-out objectives of graphs by number of edges, rule of selection and strength of the refit; and the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.estimators.graph_folds import Fold
from atmostk.graphs.held_out import surprise
from atmostk.graphs.selection.shrunk_refit import ShrunkRefit
from atmostk.graphs.selection.study import Study
from atmostk.graphs.worth import Worth


@dataclass(frozen=True, eq=False)
class Curves:
    """For each fold, number of edges, rule and strength: minus the sum of log d_i, and the held-out rest of F."""

    edges: tuple[int, ...]
    rules: tuple[Any, ...]
    strengths: tuple[float, ...]
    logs: np.ndarray
    surprises: np.ndarray
    shares: np.ndarray
    size: int

    def means(self, values: np.ndarray) -> np.ndarray:
        """Over the folds, each by its rows."""
        return np.tensordot(self.shares, values, 1)

    @property
    def values(self) -> np.ndarray:
        """The held-out F of each fold."""
        return self.logs + self.surprises

    @property
    def calibrated(self) -> np.ndarray:
        """The mean held-out F once the graph is multiplied by the number that makes it least."""
        return self.means(self.logs) + self.size * (1 + np.log(self.means(self.surprises) / self.size))


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose: the places in the lists, and the number that the graph is multiplied by."""

    edges: int
    rule: int
    strength: int
    scale: float


def curve(
    fold: Fold, rows: int, edges: Sequence[int], rules: Sequence[Any], strengths: Sequence[float],
    penalties: Mapping[int, float], ridge: float, worth: Worth | None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """One fold's numbers: edges are chosen anew in it by each rule, and refitted from the strongest penalty to none."""
    inflation = (rows / fold.rows) ** 0.5  # of noise, and so of the penalty that is as selective
    study = Study(
        fold.learned, ridge=ridge, worth=worth, penalties={count: inflation * penalties[count] for count in edges}
    )
    logs = np.empty((len(edges), len(rules), len(strengths)))
    surprises = np.empty_like(logs)
    order = np.argsort(strengths)[::-1]
    for e, count in enumerate(edges):
        for r, rule in enumerate(rules):
            refit = ShrunkRefit(study.phases, study.chosen(rule, count), study.penalties[count])
            graph = refit.graph
            for s in order:
                graph, _ = refit.at(strengths[s], graph)
                logs[e, r, s] = -np.log(graph.diagonal).sum()
                surprises[e, r, s] = surprise(fold.held, graph.diagonal, graph.rows, graph.columns, graph.weights)
    return logs, surprises


def choice(curves: Curves, *, calibrate: bool, frugal: bool) -> Choice:
    """The rule by its held-out objective at a strength for all, the strength and the number of edges by their own.

    The rules are compared where they are best in the mean, and one strength to either side. Unshrunk, the rule that
    shrinks while it chooses would win with few rows, and each at its own best the luckiest. Where `frugal`, the fewest
    edges within one standard error of the best.
    """
    raw = curves.means(curves.values)
    final = curves.calibrated if calibrate else raw
    rules = np.array([_rule(each) for each in raw])
    own = final[np.arange(len(rules)), rules]
    best, least = own.argmin(axis=1), own.min(axis=1)
    e = int(least.argmin())
    if frugal:
        folds = curves.values[:, e, rules[e], best[e]]
        error = folds.std(ddof=1) / len(folds) ** 0.5 if len(folds) > 1 else 0.0
        e = min(np.flatnonzero(least <= least[e] + error), key=lambda place: curves.edges[place])
    place = int(e), int(rules[e]), int(best[e])
    scale = float(curves.size / curves.means(curves.surprises)[place]) if calibrate else 1.0
    return Choice(*place, scale)


def _rule(values: np.ndarray) -> int:
    """The best of the rules, one a row, with strengths in ascending order."""
    middle = int(values.mean(axis=0).argmin())
    return int(values[:, max(middle - 1, 0) : middle + 2].mean(axis=1).argmin())
