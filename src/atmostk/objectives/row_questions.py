"""What a linear predictor's loss asks of rows that it cannot keep: values, gradients and Hessians that add up.

Every answer is a sum over rows, each row times its weight; dividing by the whole weight is the asker's business.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.objectives import columns
from atmostk.objectives.row_products import add_products, sparse_times
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
    """In double precision, because a search for the minimum ends in noise otherwise; but for the Hessian, which only
    leads it.
    """
    exact = A.astype(np.float64, copy=False)
    z = exact @ support.table(values, np.float64)
    losses = loss.loss(z, y)
    value = float(losses.sum()) if share is None else float(losses @ share)
    gradient = support.of(exact.T @ _weighted(loss.slope(z, y), share))
    return value, gradient, _hessian(loss, support, A, z, y, share) if hessian else None


def _hessian(loss: Any, support: Support, A: np.ndarray, z: np.ndarray, y: Array, share: Any) -> np.ndarray:
    bend = _weighted(loss.couplings(z, y), share).astype(A.dtype, copy=False)
    if support.outputs == 1:
        return np.asarray((A * bend[:, None]).T @ A, np.float64)
    full = np.empty((support.outputs, support.outputs, A.shape[1], A.shape[1]))
    for a in range(support.outputs):
        for b in range(a + 1):
            full[a, b] = (A * bend[:, a, b, None]).T @ A
            full[b, a] = full[a, b].T
    own, places = support.entries % support.outputs, support.places
    return full[own[:, None], own, places[:, None], places]


@dataclass(frozen=True, eq=False)
class Everywhere:
    """Value, gradient and curvature in every entry of a K-sparse point; the Hessian on its support, if asked for."""

    loss: Any
    support: Support
    values: np.ndarray
    intercept: bool
    hessian: bool = False

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """The products of the slopes and bends with X, no copy of which is made."""
        X, y, weights = _arrays(block)
        support, outputs, height = self.support, self.support.outputs, X.shape[1] + self.intercept
        gradient, curvature = np.zeros((height, outputs)), np.zeros((height, outputs))
        value, own, hessian = 0.0, 0.0, 0.0
        for rows in _few_rows(X):
            part, target = X[rows] if rows != slice(0, X.shape[0]) else X, y[rows]
            share = None if weights is None else weights[rows].astype(np.float64)
            A = None if arrays.is_scipy_sparse(X) else columns.taken(part, support.features)
            exact = None if A is None else A.astype(np.float64, copy=False)
            z = self.predictor(part) if exact is None else exact @ support.table(self.values, np.float64)
            losses = self.loss.loss(z, target)
            value += float(losses.sum()) if share is None else float(losses @ share)
            slopes, bends = (_weighted(of(z, target), share) for of in (self.loss.slope, self.loss.bend))
            tall = slopes.reshape(-1, outputs), bends.reshape(-1, outputs)
            add_products(part, *tall, gradient, curvature)
            if self.intercept:
                gradient[-1] += tall[0].sum(axis=0)
                curvature[-1] += tall[1].sum(axis=0)
            if exact is not None:
                own = own + support.of(exact.T @ slopes)
            if self.hessian and A is None and outputs == 1:
                hessian = hessian + sparse_hessian(part, bends, support.features, support.width)
            elif self.hessian:
                A = columns.taken(part, support.features) if A is None else A
                hessian = hessian + _hessian(self.loss, support, A, z, target, share)
        gradient = gradient.ravel()
        if not arrays.is_scipy_sparse(X):  # where the wide product was in single precision
            gradient[support.entries] = own
        found: dict[str, Any] = {"rows": block.size, "weight": block.weight, "value": value}
        found |= {"gradient": gradient, "curvature": curvature.ravel()}
        return found | {"hessian": hessian} if self.hessian else found

    def predictor(self, X: Array) -> np.ndarray:
        """z of each row, in double precision."""
        support = self.support
        table = support.table(self.values, np.float64)
        if not arrays.is_scipy_sparse(X):
            return columns.taken(X, support.features).astype(np.float64, copy=False) @ table
        real = support.features < support.width
        x = np.zeros((X.shape[1], support.outputs))
        x[support.features[real]] = table[real].reshape(-1, support.outputs)
        z = sparse_times(X, x)
        z = z[:, 0] if support.outputs == 1 else z
        return z if real.all() else z + table[~real][0]


def _few_rows(X: Array) -> Iterator[slice]:
    """So few rows of a dense matrix that they stay in the cache; all of a sparse one, whose products are loops."""
    step = max(X.shape[0], 1) if arrays.is_scipy_sparse(X) else max(256, (1 << 18) // max(1, X.shape[1]))
    for first in range(0, X.shape[0], step):
        yield slice(first, min(first + step, X.shape[0]))


def sparse_hessian(X: Array, bend: np.ndarray, features: np.ndarray, width: int) -> np.ndarray:
    """A' bend A over some columns of sparse rows; a feature beyond the last column is a column of ones."""
    from scipy.sparse import csr_array

    real = features < width
    A = csr_array(X[:, features[real]])
    weighted = csr_array((A.data * np.repeat(bend, np.diff(A.indptr)), A.indices, A.indptr), shape=A.shape)
    found = np.empty((features.size, features.size))
    inside = np.flatnonzero(real)
    found[inside[:, None], inside] = (A.T @ weighted).toarray()
    if not real.all():
        sums = np.asarray(weighted.sum(axis=0)).ravel()
        found[-1, :-1], found[:-1, -1], found[-1, -1] = sums, sums, bend.sum()
    return found


@dataclass(frozen=True, eq=False)
class Moments:
    """The sum of each column and of its squares, about `origin` so that little is lost where the mean is large."""

    origin: np.ndarray | None

    columns = None

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """In double precision."""
        X, _, weights = _arrays(block)
        total, squares = np.zeros((X.shape[1], 1)), np.zeros((X.shape[1], 1))
        for rows in _few_rows(X):
            part = X[rows] if rows != slice(0, X.shape[0]) else X
            share = np.ones(part.shape[0]) if weights is None else weights[rows].astype(np.float64)
            if self.origin is not None and not arrays.is_scipy_sparse(part):
                part = part - self.origin.astype(columns.precision(part))
            add_products(part, share[:, None], share[:, None], total, squares)
        return {"rows": block.size, "weight": block.weight, "sum": total[:, 0], "squares": squares[:, 0]}


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
        X, y, weights = _arrays(block)
        z = Everywhere(self.loss, self.support, self.values, False).predictor(X)
        bend = _weighted(self.loss.bend(z, y), None if weights is None else weights.astype(np.float64))
        return {"weight": block.weight, "hessian": sparse_hessian(X, bend, self.pool, self.support.width)}


@dataclass(frozen=True, eq=False)
class Labels:
    """Which values the target takes, as long as they are few, and what each weighs."""

    columns = np.empty(0, np.int64)

    def __call__(self, block: Sample, /) -> dict[str, Any]:
        """The values of these rows."""
        _, y, weights = _arrays(block)
        values, places = np.unique(y, return_inverse=True)
        weighed = np.bincount(places, weights)
        labels = Weighed({}) + Weighed(dict(zip(values.tolist(), weighed.tolist(), strict=True)))
        return {"rows": block.size, "labels": labels}


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


def _weighted(by_row: np.ndarray, share: np.ndarray | None) -> np.ndarray:
    return by_row if share is None else by_row * share.reshape(-1, *(1,) * (by_row.ndim - 1))
