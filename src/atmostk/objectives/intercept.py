"""An intercept beside the columns of X, without a copy of X that has a column of ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss, features_and_target
from atmostk.sample import Sample

Array = Any


def with_intercept(objective: Any) -> Any:
    """The loss with z = X x[:-1] + x[-1]: the last entry of x (the last row, where x is a matrix) is the intercept.

    Keep it out of the budget: `AlwaysKept(AtMost(10), entries=[features])`.

    >>> import numpy as np
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.sample import Sample
    >>> with_intercept(SquaredError()).value(np.array([1.0, 3.0]), Sample((np.eye(1), np.ones(1)), size=1))
    4.5
    """
    if not isinstance(objective, LinearPredictorLoss):
        raise TypeError(
            f"with_intercept takes a loss of a linear predictor, such as SquaredError(), not {objective!r}; "
            "a ridge goes around it: with_ridge(with_intercept(loss), ...)."
        )
    return WithIntercept(objective)


@dataclass(frozen=True)
class WithIntercept:
    """The loss of X x[:-1] + x[-1]; made by `with_intercept`."""

    objective: LinearPredictorLoss

    def landscape(self, problem: Any, x0: Array, /) -> Any:
        """As the loss has it, with the intercept."""
        return self.objective.landscape(problem, x0)

    def check(self, x: Array, sample: Sample, /) -> None:
        """Whatever the loss checks, with an entry of x more than X has columns."""
        X, _ = features_and_target(self, sample)
        if x.shape[0] != X.shape[1] + 1:
            raise ValueError(
                f"x has {x.shape[0]} entries but X has {X.shape[1]} columns: with an intercept x has one entry more."
            )
        self.objective.check(x[:-1], sample)

    def value(self, x: Array, sample: Sample, /) -> float:
        """The loss's value."""
        return self.objective.value(x, _with_ones(sample))

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """The loss's gradient; the last entry is the mean slope."""
        return self.objective.gradient(x, _with_ones(sample))

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """The loss of each row."""
        return self.objective.losses(x, _with_ones(sample))

    def curvature(self, x: Array, sample: Sample, /) -> Array:
        """The loss's curvature; the last entry is the mean bend."""
        return self.objective.curvature(x, _with_ones(sample))


def _with_ones(sample: Sample) -> Sample:
    X, y = sample.data
    return replace(sample, data=(_WithOnes(X), y))


@dataclass(frozen=True)
class _WithOnes:
    """X with a column of ones, as far as the losses ask for it."""

    X: Array

    @property
    def dtype(self) -> Any:
        return self.X.dtype

    @property
    def size(self) -> int:
        return 0  # too small for reading only some columns to pay

    @property
    def T(self) -> _TransposedWithOnes:
        return _TransposedWithOnes(self.X)

    def __matmul__(self, x: Array) -> Array:
        return self.X @ x[:-1] + x[-1]

    def columns_squared(self, by_row: Array) -> Array:
        """The sums of by_row_i X_ij^2, and of by_row."""
        from atmostk.objectives.linear_predictor import columns_squared

        return _stacked(columns_squared(self.X, by_row), by_row)


@dataclass(frozen=True)
class _TransposedWithOnes:
    X: Array

    def __matmul__(self, by_row: Array) -> Array:
        return _stacked(self.X.T @ by_row, by_row)


def _stacked(rows: Array, by_row: Array) -> Array:
    xp = arrays.namespace(by_row)
    return (
        xp.concat([rows, xp.sum(by_row, axis=0)[None]], axis=0)
        if hasattr(xp, "concat")
        else xp.concatenate([rows, xp.sum(by_row, axis=0)[None]])
    )
