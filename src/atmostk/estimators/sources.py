"""Rows that are read where they are, as `fit` gets them: from `open_rows`, or a collection of Dask's."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk.passes import Asked
from atmostk.samplers.numbered import Numbered

MOST_NAMED = 100_000  # columns, whose names are worth learning


def is_source(X: Any) -> bool:
    """Whether X is such rows."""
    return isinstance(X, Asked) or hasattr(X, "__dask_graph__")


def only_for_sources(checkpoint: Any, *, never: bool = False) -> None:
    """Raise where a checkpoint is asked for rows in memory, or for a search of many budgets."""
    if checkpoint is not None and never:
        raise ValueError("checkpoint= is for one budget: a path of several has none yet.")
    if checkpoint is not None:
        raise ValueError(
            "checkpoint= is for rows from open_rows or from Dask: a fit in memory is over before it matters."
        )


def source_of(estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, np.ndarray | None]:
    """The rows, however they came, and the names of their columns, which the estimator learns."""
    if isinstance(X, Asked):
        if y is not None or sample_weight is not None:
            raise TypeError("rows on disk hold their target and weights: name them in open_rows(..., target='y').")
        source: Any = X
    else:
        from atmostk.samplers.dask_rows import DaskRows

        source = DaskRows(X, y, sample_weight)
    if source.size < 2:
        raise ValueError(f"{source!r} has {source.size} row: a fit needs two or more.")
    estimator.n_features_in_ = len(source.names)
    named = not isinstance(source.names, Numbered) and len(source.names) <= MOST_NAMED
    names = np.asarray(list(source.names), dtype=object) if named else None
    if names is not None:
        estimator.feature_names_in_ = names
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    return source, names
