"""An intercept without a column of ones: x has one row more than X has columns, and no byte of X is copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import (
    LinearPredictorLoss,
    columns_squared,
    features_and_target,
    predict,
    scaled,
)
from atmostk.sample import Sample

Array = Any


@dataclass(frozen=True)
class WithIntercept:
    """F(x) of a linear predictor z = X x[:-1] + x[-1]: the last entry (row, of a matrix) of x is the intercept.

    It costs no budget when the constraint keeps it: `AlwaysKept(AtMost(10), entries=[features])`.

    >>> import numpy as np
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(2), np.array([3.0, 4.0])), size=2)
    >>> WithIntercept(SquaredError()).value(np.array([0.0, 1.0, 3.0]), sample)
    0.0
    """

    objective: LinearPredictorLoss

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """As the loss has it, with the intercept."""
        return self.objective.landscape(problem, x0)

    def check(self, x: Array, sample: Sample, /) -> None:
        """Whatever the loss checks, with one entry more."""
        X, _ = features_and_target(self, sample)
        if x.shape[0] != X.shape[1] + 1:
            raise ValueError(
                f"x has {x.shape[0]} entries but X has {X.shape[1]} columns: with an intercept x has one entry more."
            )
        self.objective.check(x[:-1], sample)

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row."""
        X, y = sample.data
        return self.objective.loss(_predict(X, x), y)

    def value(self, x: Array, sample: Sample, /) -> float:
        """The weighted mean loss of the sample."""
        return arrays.mean(self.losses(x, sample), sample.weights)

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """That of the features, and below it the mean slope."""
        X, y = sample.data
        slope = scaled(self.objective.slope(_predict(X, x), y), sample)
        return _below(X.T @ slope, slope, x)

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """That of the features, and below it the mean bend."""
        X, y = sample.data
        bend = scaled(self.objective.bend(_predict(X, x), y), sample)
        return _below(columns_squared(X, bend), bend, x)


def _predict(X: Array, x: Array) -> Array:
    return predict(X, x[:-1]) + (arrays.like(x[-1:], X) if arrays.is_floating(X) and isinstance(X, type(x)) else x[-1:])


def _below(features: Array, by_row: Array, x: Array) -> Array:
    """The features' part and, as its last row, the sum over rows; in the precision of x."""
    xp = arrays.namespace(by_row)
    whole = xp.concat([features, xp.sum(by_row, axis=0)[None]])
    return whole if whole.dtype == x.dtype else xp.astype(whole, x.dtype)
