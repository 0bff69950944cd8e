"""What a linear predictor's loss asks of rows that it cannot keep: values, gradients and Hessians that add up.

Every answer is a sum over rows, each row times its weight; dividing by the whole weight is the asker's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives import columns
from atmostk.sample import Sample

Array = Any
MOST_LABELS = 1000


@dataclass(frozen=True, eq=False)
class Support:
    """Where a K-sparse point has its entries: `entries` are flat, `features` those of X that they need, ascending.

    A feature beyond the last column of X (`width`) is the intercept's column of ones.
    """

    entries: np.ndarray
    outputs: int
    width: int

    @property
    def features(self) -> np.ndarray:
        """The features of the entries."""
        return np.unique(self.entries // self.outputs)

    @property
    def places(self) -> np.ndarray:
        """For each entry the place of its feature among these."""
        return np.searchsorted(self.features, self.entries // self.outputs)

    @property
    def stored(self) -> np.ndarray:
        """The features that are columns of X."""
        features = self.features
        return features[features < self.width]

    def table(self, values: np.ndarray, kind: Any) -> np.ndarray:
        """The values by feature, and by output where there are several."""
        found = np.zeros((self.features.size, self.outputs), kind)
        found[self.places, self.entries % self.outputs] = values
        return found[:, 0] if self.outputs == 1 else found

    def of(self, features_by_output: np.ndarray) -> np.ndarray:
        """The entries' part of something that stands by feature and output."""
        if self.outputs == 1:
            return features_by_output
        return features_by_output[self.places, self.entries % self.outputs]


@dataclass(frozen=True, eq=False)
class OnSupport:
    """Value, gradient and perhaps Hessian at some values on a support; only its columns are read."""

    loss: Any
    support: Support
    values: np.ndarray
    hessian: bool
    projected: bool = True

    @property
    def columns(self) -> np.ndarray | None:
        """Those of the support, unless the store would read the others as well."""
        return self.support.stored if self.projected else None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """Piece by piece, so that the columns stay in the processor's cache."""
        X, y, weights = _arrays(block)
        support = self.support
        found: dict[str, Any] = {"rows": block.size, "weight": block.weight}
        features = support.features
        if self.projected:  # the columns come in the order of the support, the ones behind them
            features = np.where(features < support.width, np.arange(features.size), X.shape[1])
        size = support.entries.size
        value, gradient, bent = 0.0, np.zeros(size), np.zeros((size, size)) if self.hessian else None
        for rows, A in columns.pieces(X, features):
            share = None if weights is None else weights[rows].astype(np.float64)
            part = _on_piece(self.loss, support, self.values, A, y[rows], share, self.hessian)
            value += part[0]
            gradient += part[1]
            if bent is not None:
                bent += part[2]
        found |= {"value": value, "gradient": gradient}
        return found if bent is None else found | {"hessian": bent}


def _on_piece(
    loss: Any, support: Support, values: np.ndarray, A: np.ndarray, y: Array, share: Any, hessian: bool
) -> tuple[float, np.ndarray, Any]:
    z = A @ support.table(values, A.dtype)
    losses = loss.loss(z, y)
    value = float(losses.sum(dtype=np.float64)) if share is None else float(losses @ share)
    gradient = support.of(np.asarray(A.T @ _weighted(loss.slope(z, y), share, A.dtype), np.float64))
    if not hessian:
        return value, gradient, None
    bend = _weighted(loss.couplings(z, y), share, A.dtype)
    if support.outputs == 1:
        return value, gradient, np.asarray((A * bend[:, None]).T @ A, np.float64)
    full = np.empty((support.outputs, support.outputs, A.shape[1], A.shape[1]))
    for a in range(support.outputs):
        for b in range(a + 1):
            full[a, b] = (A * bend[:, a, b, None]).T @ A
            full[b, a] = full[a, b].T
    own, places = support.entries % support.outputs, support.places
    return value, gradient, full[own[:, None], own, places[:, None], places]


@dataclass(frozen=True, eq=False)
class Everywhere:
    """Value, gradient and curvature in every entry of a K-sparse point; and the Hessian on its support, if asked for."""

    loss: Any
    support: Support
    values: np.ndarray
    intercept: bool
    hessian: bool = False

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """The products of the slopes and bends with X, no copy of which is made."""
        X, y, weights = _arrays(block)
        support, outputs = self.support, self.support.outputs
        height = X.shape[1] + self.intercept
        gradient, curvature = np.zeros((height, outputs)), np.zeros((height, outputs))
        found: dict[str, Any] = {"rows": block.size, "weight": block.weight}
        value, hessian = 0.0, 0.0
        for first in range(0, X.shape[0], step := _rows_at_a_time(X)):
            rows = slice(first, first + step)
            part, target = X[rows] if step < X.shape[0] else X, y[rows]
            share = None if weights is None else weights[rows].astype(np.float64)
            z = self.predictor(part)
            losses = self.loss.loss(z, target)
            value += float(losses.sum(dtype=np.float64)) if share is None else float(losses @ share)
            kind = columns.precision(part)
            slopes = _weighted(self.loss.slope(z, target), share, kind)
            bends = _weighted(self.loss.bend(z, target), share, kind)
            gradient[: X.shape[1]] += columns.transposed_times(part, slopes).reshape(-1, outputs)
            curvature[: X.shape[1]] += squares_times(part, bends).reshape(-1, outputs)
            if self.intercept:
                gradient[-1] += slopes.sum(axis=0, dtype=np.float64)
                curvature[-1] += bends.sum(axis=0, dtype=np.float64)
            if self.hessian:
                seen = columns.taken(part, support.features)
                hessian = hessian + _on_piece(self.loss, support, self.values, seen, target, share, True)[2]
        found |= {"value": value, "gradient": gradient.ravel(), "curvature": curvature.ravel()}
        return found | {"hessian": hessian} if self.hessian else found

    def predictor(self, X: Array) -> np.ndarray:
        support, kind = self.support, columns.precision(X)
        table = support.table(self.values, kind)
        real = support.features < support.width
        if arrays.is_scipy_sparse(X):
            x = np.zeros((X.shape[1], *table.shape[1:]), kind)
            x[support.features[real]] = table[real]
            z = X @ x
        else:
            z = X.take(support.features[real], axis=1).astype(kind, copy=False) @ table[real]
        return z if real.all() else z + table[~real][0]


def _rows_at_a_time(X: Array) -> int:
    """Few enough rows of a dense matrix to stay in the cache; all of a sparse one, whose products are single loops."""
    return X.shape[0] if arrays.is_scipy_sparse(X) else max(256, (1 << 19) // max(1, X.shape[1]))


def squares_times(X: Array, by_row: np.ndarray) -> np.ndarray:
    """(X * X)' by_row, for one column of numbers or several."""
    if arrays.is_scipy_sparse(X):
        return np.asarray(type(X)((X.data * X.data, X.indices, X.indptr), shape=X.shape).T @ by_row, np.float64)
    return columns.transposed_times(X * X, by_row)


@dataclass(frozen=True, eq=False)
class Moments:
    """The sum of each column and of its squares, about `origin` so that little is lost where the mean is large."""

    origin: np.ndarray | None

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """In double precision."""
        X, _, weights = _arrays(block)
        step = _rows_at_a_time(X)
        total, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for first in range(0, X.shape[0], step):
            part = X[first : first + step] if step < X.shape[0] else X
            share = np.ones(part.shape[0]) if weights is None else weights[first : first + step].astype(np.float64)
            kind = columns.precision(part)
            if self.origin is not None and not arrays.is_scipy_sparse(part):
                part = part - self.origin.astype(kind)
            total += columns.transposed_times(part, share)
            squares += squares_times(part, share.astype(kind))
        return {"rows": block.size, "weight": block.weight, "sum": total, "squares": squares}


@dataclass(frozen=True, eq=False)
class PoolHessian:
    """The Hessian between the features of a pool, for rows that are sparse: what no sample shows of rare columns."""

    loss: Any
    support: Support
    values: np.ndarray
    pool: np.ndarray  # features, ascending; beyond the last column stands the intercept

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """A' bend A, sparse all the way."""
        from scipy.sparse import csr_array, hstack

        X, y, weights = _arrays(block)
        z = Everywhere(self.loss, self.support, self.values, False).predictor(X)
        share = None if weights is None else weights.astype(np.float64)
        bend = _weighted(self.loss.bend(z, y), share, columns.precision(X))
        A = X[:, self.pool[self.pool < self.support.width]]
        if A.shape[1] < self.pool.size:
            A = csr_array(hstack([A, csr_array(np.ones((A.shape[0], 1), A.dtype))]))
        weighted = csr_array((A.data * np.repeat(bend, np.diff(A.indptr)), A.indices, A.indptr), shape=A.shape)
        return {"weight": block.weight, "hessian": (A.T @ weighted).toarray().astype(np.float64)}


@dataclass(frozen=True, eq=False)
class Labels:
    """Which values the target takes, as long as they are few, and what each weighs."""

    columns = np.empty(0, np.int64)

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """The values of these rows."""
        _, y, weights = _arrays(block)
        values, places = np.unique(y, return_inverse=True)
        weighed = np.bincount(places, weights)
        return {"rows": block.size, "labels": Weighed(dict(zip(values.tolist(), weighed.tolist(), strict=True)))}


@dataclass(frozen=True)
class Weighed:
    """Values and what each weighs; they add up.

    >>> Weighed({0.0: 1, 1.0: 2}) + Weighed({1.0: 2})
    Weighed(by_value={0.0: 1, 1.0: 4})
    """

    by_value: dict[float, float]

    def __add__(self, other: Weighed) -> Weighed:
        both = dict(self.by_value)
        for value, weight in other.by_value.items():
            both[value] = both.get(value, 0) + weight
        if len(both) > MOST_LABELS:
            raise ValueError(f"y takes more than {MOST_LABELS} values, which are no classes: is it an amount?")
        return Weighed(both)


def _arrays(block: Sample) -> tuple[Array, Array, Array]:
    X, y = block.data if isinstance(block.data, tuple) else (block.data, None)
    return X, y, block.weights


def _weighted(by_row: np.ndarray, share: np.ndarray | None, kind: Any) -> np.ndarray:
    if share is not None:
        by_row = by_row * share.reshape(-1, *(1,) * (by_row.ndim - 1))
    return by_row.astype(kind, copy=False)
