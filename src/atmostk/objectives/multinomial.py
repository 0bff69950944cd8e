"""The log loss of a label among several classes: softmax regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from atmostk import arrays
from atmostk.objectives.linear_predictor import LinearPredictorLoss
from atmostk.sample import Sample

Array = Any


@dataclass(frozen=True)
class Multinomial(LinearPredictorLoss):
    """F(x) = mean of log sum_c exp(z_ic) - z_i,y_i, with z = X x, x of shape (features, classes), y of 0, 1, ...,
    classes - 1.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> sample = Sample((np.eye(3), np.array([0, 1, 2])), size=3)
    >>> round(Multinomial().value(np.zeros((3, 3)), sample), 6)
    1.098612
    """

    def check_point(self, x: Array, /) -> None:
        """x is a matrix with a column for each class."""
        if x.ndim != 2 or x.shape[1] < 2:
            raise ValueError(f"Multinomial needs x of shape (features, classes), but x has shape {tuple(x.shape)}.")

    def check(self, x: Array, sample: Sample, /) -> None:
        """Every label has its column of x."""
        super().check(x, sample)
        _, y = sample.data
        labels = arrays.distinct(y)
        if len(labels) == 1 and sample.whole:
            raise ValueError(f"Multinomial needs rows of at least two classes, but y holds only {labels[0]:g}.")
        if any(label not in range(x.shape[1]) for label in labels):
            wrong = next(label for label in labels if label not in range(x.shape[1]))
            raise ValueError(
                f"Multinomial needs labels 0 to {x.shape[1] - 1}, but y holds {wrong:g}: encode them first."
            )

    def loss(self, z: Array, y: Array, /) -> Array:
        """log sum exp(z) - z of the row's own class."""
        xp = arrays.namespace(z)
        top = xp.max(z, axis=1)
        own = xp.sum(xp.where(_own_class(z, y), z, 0 * z), axis=1)
        return xp.log(xp.sum(xp.exp(z - top[:, None]), axis=1)) + top - own

    def slope(self, z: Array, y: Array, /) -> Array:
        """The probability of each class, minus 1 at the row's own."""
        q = probabilities(z)
        return q - arrays.namespace(z).where(_own_class(z, y), 0 * z + 1, 0 * z)

    def bend(self, z: Array, y: Array, /) -> Array:
        """q (1 - q) for each class: the diagonal of the row's Hessian in z."""
        q = probabilities(z)
        return q * (1 - q)

    def couplings(self, z: Array, y: Array, /) -> Array:
        """diag(q) - q q' for each row."""
        xp = arrays.namespace(z)
        q = probabilities(z)
        own = arrays.like(range(z.shape[1]), z)
        same = own[:, None] == own[None, :]
        return xp.where(same[None, :, :], q[:, :, None], 0 * q[:, :, None]) - q[:, :, None] * q[:, None, :]


def probabilities(z: Array) -> Array:
    """The softmax of each row, without overflow."""
    xp = arrays.namespace(z)
    top = xp.max(z, axis=1)
    weights = xp.exp(z - top[:, None])
    return weights / xp.sum(weights, axis=1)[:, None]


def _own_class(z: Array, y: Array) -> Array:
    return arrays.like(range(z.shape[1]), y)[None, :] == y[:, None]
