"""The loss on rows kept apart, for every budget: one fold of a cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from atmostk.estimators.budget_ladder import climbed
from atmostk.estimators.linear_door import CheckedRows
from atmostk.estimators.linear_search import LinearSearch
from atmostk.objectives.centred import Centred


def cross_validated(
    search: LinearSearch, folds: Sequence[tuple[np.ndarray, np.ndarray]], budgets: Sequence[int], *, kicks: int,
    seed: int, max_seconds: float | None, n_jobs: int | None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The mean loss on the rows of each fold that its models have not seen (budgets by folds), and the folds' weights.

    A fold is a weight of zero for its held-out rows, so that no row is copied. Its models come from one walk over the
    budgets, without the search for each budget alone.
    """
    seconds = None if max_seconds is None else max_seconds / len(folds)
    found = Parallel(n_jobs=n_jobs)(
        delayed(_held_out)(search, train, test, list(budgets), kicks, seed, seconds) for train, test in folds
    )
    losses, weights = zip(*found, strict=True)
    return np.column_stack(losses), np.array(weights)


def _held_out(
    search: LinearSearch, train: np.ndarray, test: np.ndarray, budgets: list[int], kicks: int, seed: int,
    seconds: float | None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    rows = search.sampler
    weights = np.ones(rows.size, search.dtype) if rows.weights is None else rows.weights
    seen = np.zeros_like(weights)
    np.add.at(seen, train, weights[train])
    held = weights[test].astype(np.float64)
    if not seen.any() or not held.any():
        raise ValueError("a fold of the cross-validation has no row of weight above 0 on one side: choose other folds.")
    apart = replace(search, sampler=CheckedRows(rows.X, rows.y, seen))
    found = climbed(apart, budgets, kicks=kicks, seed=seed, alone=False, max_seconds=seconds)
    X = rows.X.X if isinstance(rows.X, Centred) else rows.X
    losses = []
    for one in found:
        coefficients: Any = one.coefficients[:, one.support].T
        z = X[test][:, one.support] @ coefficients + one.intercepts
        by_row = search.loss.loss(z[:, 0] if z.shape[1] == 1 else z, rows.y[test])
        losses.append(float(by_row @ held) / held.sum())
    return np.array(losses), float(held.sum())
