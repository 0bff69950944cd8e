"""What the losses of a linear predictor z = X x share: everything but the loss of one row.

A base class, against the house rule, because the five losses differ in three one-line formulas only; as free
functions the same eight methods would stand in every file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.sample import Sample

Array = Any


class LinearPredictorLoss(ABC):
    """F(x) = mean of loss(z_i, y_i) over the rows of a sample, with z = X x."""

    @abstractmethod
    def loss(self, z: Array, y: Array, /) -> Array:
        """One loss for each row."""

    @abstractmethod
    def slope(self, z: Array, y: Array, /) -> Array:
        """The derivative of `loss` in z."""

    @abstractmethod
    def bend(self, z: Array, y: Array, /) -> Array:
        """The second derivative of `loss` in z."""

    def mean(self, z: Array, /) -> Array:
        """What is expected of y where the predictor is z."""
        return z

    @property
    def quadratic(self) -> bool:
        """Whether `bend` is 1 in every row and everywhere."""
        return False

    def couplings(self, z: Array, y: Array, /) -> Array:
        """The second derivatives of a row's loss: `bend`, or where z has several columns a matrix for each row."""
        return self.bend(z, y)

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """What `Exchange` asks of this loss; None where the rows are not NumPy's or scipy's."""
        from atmostk.objectives.linear_landscape import linear_landscape

        return linear_landscape(problem, x0)

    def check(self, x: Array, sample: Sample, /) -> None:
        """Raise ValueError with one sentence where these rows cannot have this loss."""
        X, y = features_and_target(self, sample)
        self.check_point(x)
        if x.shape[0] != X.shape[1]:
            raise ValueError(f"x has {x.shape[0]} entries but X has {X.shape[1]} columns: they must be as many.")
        if isinstance(y, np.ndarray) != isinstance(x, np.ndarray):
            raise TypeError(
                f"x is a {type(x).__name__} but the rows hold a {type(y).__name__}: give both as arrays of one library."
            )
        self.check_target(y, sample.whole)

    def check_point(self, x: Array, /) -> None:
        """Raise ValueError with one sentence where x has the wrong shape."""
        if x.ndim != 1:
            raise ValueError(f"{type(self).__name__} needs x of shape (features,), but x has shape {tuple(x.shape)}.")

    def check_target(self, y: Array, whole: bool, /) -> None:  # noqa: B027 (any finite number will do, by default)
        """Raise ValueError with one sentence where y is no target of this loss; `whole` if these are all there are."""

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row of the sample."""
        X, y = sample.data
        return self.loss(predict(X, x), y)

    def value(self, x: Array, sample: Sample, /) -> float:
        """The weighted mean loss of the sample."""
        return arrays.mean(self.losses(x, sample), sample.weights)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """X^T slope / rows, weighted."""
        X, y = sample.data
        return X.T @ scaled(self.slope(predict(X, x), y), sample)

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """The diagonal of the Hessian: sum of bend_i X_ij^2 / rows, weighted."""
        X, y = sample.data
        return columns_squared(X, scaled(self.bend(predict(X, x), y), sample))


def features_and_target(objective: object, sample: Sample) -> tuple[Array, Array]:
    """The sample's (X, y), or one sentence when it holds something else."""
    if not (isinstance(sample.data, tuple) and len(sample.data) == 2):
        raise TypeError(
            f"{type(objective).__name__} reads samples of (X, y), but the sampler draws {type(sample.data).__name__}: "
            "give the sampler a target, as in Rows(X, y)."
        )
    return sample.data


def predict(X: Array, x: Array) -> Array:
    """X x, reading only the columns that x uses when x is sparse enough for that to pay.

    x comes to the precision of X, because otherwise all of X would be copied to that of x.
    """
    if x.dtype != X.dtype and arrays.is_floating(X):
        x = x.astype(X.dtype) if isinstance(x, np.ndarray) else arrays.like(x, X)
    if type(X) is np.ndarray and x.ndim == 1 and X.size > 100_000:
        support = np.flatnonzero(x)
        if 16 * support.size < x.size:
            return X[:, support] @ x[support]
    return X @ x


def scaled(by_row: Array, sample: Sample) -> Array:
    """Each row's number times its share of the sample's weight, so that a sum over rows is the weighted mean."""
    if sample.weights is None:
        return by_row / sample.size
    share = sample.weights / sample.weight
    return by_row * (share if by_row.ndim == 1 else share[:, None])


def columns_squared(X: Array, by_row: Array) -> Array:
    """sum_i by_row_i X_ij^2 for every column j, without a squared copy of all of X."""
    if hasattr(X, "columns_squared"):
        return X.columns_squared(by_row)
    if arrays.is_scipy_sparse(X):
        squared = X.copy() if X.nnz < 1 else type(X)((X.data * X.data, X.indices, X.indptr), shape=X.shape)
        return squared.T @ by_row
    total = None
    for first in range(0, X.shape[0], 4096):
        block = X[first : first + 4096]
        part = (block * block).T @ by_row[first : first + 4096]
        total = part if total is None else total + part
    return total
