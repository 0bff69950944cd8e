"""The variance of every column from one pass over rows that cannot be kept, in a file beside the run's checkpoint."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.checkpoint import write_whole
from atmostk.objectives.row_questions import Moments

ENOUGH = 20_000  # rows that tell a variance to about a percent


def sampled_variances(source: Any) -> np.ndarray:
    """The variance of each column as a sample shows it; a column that it does not show is like a rare one."""
    sample = source.draw(min(source.size, source.sample_rows, ENOUGH), np.random.default_rng(0))
    found = _variances(Moments(_origin(sample))(sample))
    return np.maximum(found, found.mean() / sample.size)


def kept_variances(source: Any, checkpoint: Path | None) -> np.ndarray:
    """The (weighted) variance of each column; of sparse rows too, whose zeros count.

    The file is that of the same rows, or it is written anew: what was found on other rows is never used.
    """
    few = source.draw(min(256, source.size), np.random.default_rng(0))
    if checkpoint is None:
        return _variances(source.ask(Moments(_origin(few))))
    of_rows = _told(source, few)
    file = checkpoint.with_name(f"{checkpoint.name}.moments.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            if str(kept["rows"]) == of_rows:
                return kept["variances"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        pass  # there is none yet, or it is damaged: it is written anew
    variances = _variances(source.ask(Moments(_origin(few))))
    write_whole(file, lambda opened: np.savez(opened, variances=variances, rows=np.asarray(of_rows)))
    return variances


def _origin(few: Any) -> np.ndarray | None:
    X = few.data[0] if isinstance(few.data, tuple) else few.data
    return None if arrays.is_scipy_sparse(X) else X[0].astype(np.float64)  # sums about a row do not cancel


def _variances(answer: Any) -> np.ndarray:
    means = answer["sum"] / answer["weight"]
    return np.maximum(answer["squares"] / answer["weight"] - means**2, 0.0)


def _told(source: Any, few: Any) -> str:
    """A word that only the same rows share: how many, and what some of them hold."""
    word = hashlib.sha256(repr((source.size, len(source.names))).encode())
    for part in (*few.data, few.weights) if isinstance(few.data, tuple) else (few.data, few.weights):
        if part is not None:
            word.update(np.ascontiguousarray(part.data if arrays.is_scipy_sparse(part) else part).tobytes())
    return word.hexdigest()[:24]
