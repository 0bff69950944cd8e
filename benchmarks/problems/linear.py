"""Linear models with planted coefficients, from a seed, and real data.

A neighbour's correlation is `rho` (an AR(1) design). The planted coefficients are uniform in size with random signs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from atmostk.datasets.expression import load_expression


@dataclass(frozen=True)
class LinearProblem:
    """Rows, the loss (squared or logistic), the budget, and the true coefficients where they are known."""

    X: Any
    y: np.ndarray
    loss: str
    at_most: int
    truth: np.ndarray | None = None

    def objective(self, x: np.ndarray) -> float:
        """The mean training loss, in double precision."""
        support = np.flatnonzero(x)
        z = np.asarray(self.X[:, support] @ x[support], np.float64)
        if self.loss == "squared":
            return float(0.5 * np.mean((self.y - z) ** 2))
        return float(np.mean(np.logaddexp(0, z) - self.y * z))

    def recovery(self, x: np.ndarray) -> float:
        """The share of the true support that was found."""
        if self.truth is None:
            return float("nan")
        return np.intersect1d(np.flatnonzero(x), np.flatnonzero(self.truth)).size / self.at_most


@dataclass(frozen=True)
class Planted:
    """How to make a dense problem: `signal` is the signal to noise ratio, of labels the spread of the predictor."""

    loss: str
    rows: int
    columns: int
    at_most: int
    rho: float
    signal: float
    least: float = 1.0  # of the coefficients, before they are scaled; the largest is 2
    single: bool = False

    def make(self, seed: int) -> LinearProblem:
        """The problem of this seed."""
        rng = np.random.default_rng(1000 + seed)
        X = _neighbours(rng, self.rows, self.columns, self.rho, np.float32 if self.single else np.float64)
        truth = _coefficients(rng, self.columns, self.at_most, self.least)
        z = np.asarray(X @ truth.astype(X.dtype), np.float64)
        if self.loss == "squared":
            y = z + rng.standard_normal(self.rows) * np.sqrt(z.var() / self.signal)
        else:
            truth *= self.signal / z.std()
            z *= self.signal / z.std()
            y = (rng.random(self.rows) < 1 / (1 + np.exp(-z))).astype(float)
        return LinearProblem(X, y.astype(X.dtype), self.loss, self.at_most, truth)


PLANTED = {
    "a": Planted("squared", 500, 5000, 50, 0.6, 5.0),
    "b": Planted("logistic", 1000, 5000, 30, 0.6, 5.0),
    "h": Planted("squared", 400, 2000, 40, 0.9, 10.0),
    "c linear": Planted("squared", 200_000, 500, 50, 0.6, 1.0, 0.5, True),
    "c faint": Planted("squared", 200_000, 500, 50, 0.6, 0.05, 0.5, True),
    "c logistic": Planted("logistic", 200_000, 500, 50, 0.6, 1.0, 0.5, True),
    "million": Planted("logistic", 2_000_000, 100, 20, 0.6, 1.0, 0.5, True),
}


def text(seed: int, rows: int = 50_000, columns: int = 100_000, at_most: int = 200, words: int = 100) -> LinearProblem:
    """Labels of texts: rows of `words` words drawn by Zipf's law, tf-idf, each row of length 1; CSR."""
    rng = np.random.default_rng(2000 + seed)
    frequency = 1 / (np.arange(columns) + 20.0) ** 0.9
    drawn = np.searchsorted(np.cumsum(frequency / frequency.sum()), rng.random(rows * words))
    drawn = np.minimum(drawn, columns - 1).astype(np.int32)
    X = csr_array((np.ones(rows * words), drawn, np.arange(0, rows * words + 1, words)), shape=(rows, columns))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    X.data *= (np.log(rows / (1 + np.bincount(X.indices, minlength=columns))) + 1)[X.indices]
    X = csr_array(diags_array(1 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # as some peers want them
    truth = np.zeros(columns)
    truth[:5000] = _coefficients(rng, 5000, at_most, 1.0)
    truth *= 2.0 / (X @ truth).std()
    y = (rng.random(rows) < 1 / (1 + np.exp(-(X @ truth)))).astype(float)
    return LinearProblem(X, y, "logistic", at_most, truth)


def wide(seed: int, rows: int = 100_000, columns: int = 1_000_000, at_most: int = 100, each: int = 50) -> LinearProblem:
    """Labels from very many rare columns: `each` nonzeros a row, by Zipf's law; CSR."""
    rng = np.random.default_rng(3000 + seed)
    frequency = 1 / (np.arange(columns) + 20.0) ** 0.9
    drawn = np.searchsorted(np.cumsum(frequency / frequency.sum()), rng.random(rows * each))
    drawn = np.minimum(drawn, columns - 1).astype(np.int32)
    starts = np.arange(0, rows * each + 1, each, dtype=np.int32)
    X = csr_array((rng.standard_normal(rows * each, dtype=np.float32), drawn, starts), shape=(rows, columns))
    X.sum_duplicates()
    truth = np.zeros(columns, np.float32)
    truth[:2000] = _coefficients(rng, 2000, at_most, 1.0)
    truth *= 2.0 / (X @ truth).std()
    y = (rng.random(rows) < 1 / (1 + np.exp(-(X @ truth)))).astype(np.float32)
    return LinearProblem(X, y, "logistic", at_most, truth)


def breast_cancer(seed: int) -> LinearProblem:
    """569 tumours, 30 measurements that go together closely, standardised; scikit-learn ships them."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return _resampled(X, y.astype(float), "logistic", 5, seed)


def expression(name: str, seed: int) -> LinearProblem:
    """The most variable gene of a sheet of expression levels, told from the thousands of others."""
    folder = os.environ.get("ATMOSTK_DATA")
    if folder is None:
        raise FileNotFoundError("ATMOSTK_DATA names no folder with expression matrices")
    table = load_expression(Path(folder) / "expression" / f"{name}.npz")
    levels = table.X.astype(np.float64)
    if levels.min() > 0:
        levels = np.log2(levels)  # one sheet holds logarithms already, the other counts of light
    chosen = int(levels.var(axis=0).argmax())
    y = levels[:, chosen] - levels[:, chosen].mean()
    return _resampled(np.delete(levels, chosen, axis=1), y / y.std(), "squared", 10, seed)


def _resampled(X: np.ndarray, y: np.ndarray, loss: str, at_most: int, seed: int) -> LinearProblem:
    """Nine rows of ten, others for each seed, standardised."""
    rows = np.sort(np.random.default_rng(seed).choice(len(y), round(0.9 * len(y)), replace=False))
    X, y = X[rows].astype(np.float64), y[rows]
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return LinearProblem(np.ascontiguousarray(X), y, loss, at_most)


MADE: dict[str, Callable[[int], LinearProblem]] = {
    **{name: planted.make for name, planted in PLANTED.items()},
    "e": text,
    "wide": wide,
    "breast cancer": breast_cancer,
    "prostate": lambda seed: expression("prostate", seed),
    "leukaemia": lambda seed: expression("yeoh-2002-v1", seed),
}


def _neighbours(rng: np.random.Generator, rows: int, columns: int, rho: float, precision: Any) -> np.ndarray:
    X = np.empty((rows, columns), precision)
    fresh = precision(np.sqrt(1 - rho * rho))
    for first in range(0, rows, 50_000):  # a piece at a time, so that nothing else of this size is ever in memory
        piece = rng.standard_normal((columns, min(50_000, rows - first)), dtype=precision)
        for column in range(1, columns):
            piece[column] *= fresh
            piece[column] += precision(rho) * piece[column - 1]
        X[first : first + piece.shape[1]] = piece.T
    return X


def _coefficients(rng: np.random.Generator, columns: int, at_most: int, least: float) -> np.ndarray:
    truth = np.zeros(columns)
    chosen = np.sort(rng.choice(columns, at_most, replace=False))
    truth[chosen] = rng.choice([-1.0, 1.0], at_most) * rng.uniform(least, 2.0, at_most)
    return truth
