"""What can be asked of any objective on the whole data: value with gradient, and products with its Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk import arrays

Array = Any
AT_ONCE = 1 << 16  # rows times directions that are worked on together
STEP = 1e-4  # of a coordinate's natural scale, between two gradients; their noise and the bend of the curve are even


class WholeData:
    """F over all rows at points given as flat float64 arrays; each pass over the data counts its rows.

    An objective needs `value` and `gradient`. One that has `value_and_gradient(x, sample)` is asked for both at once,
    and one with `hessian_times(x, directions, sample)` for products with its Hessian, which otherwise come from
    differences of gradients.
    """

    def __init__(self, problem: Any, x0: Array, lower: np.ndarray, upper: np.ndarray) -> None:
        self.objective, self.sampler, self.x0 = problem.objective, problem.sampler, x0
        self.lower, self.upper = lower, upper
        self.rows = 0
        self._double = "float64" in str(x0.dtype)
        self._kept = list(self.sampler.blocks()) if self.sampler.size is None else None

    def _blocks(self) -> Any:
        for block in self.sampler.blocks() if self._kept is None else self._kept:
            self.rows += block.size
            yield block

    def point(self, flat: np.ndarray) -> Array:
        """As the objective knows it: of the kind, shape and precision of x0."""
        return arrays.like(flat.reshape(tuple(self.x0.shape)), self.x0)

    def evaluate(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient."""
        x, both = self.point(flat), getattr(self.objective, "value_and_gradient", None)
        value, gradient, weight = 0.0, np.zeros(flat.size), 0.0
        for block in self._blocks():
            if both is not None:
                part, slope = both(x, block)
            else:
                part, slope = self.objective.value(x, block), self.objective.gradient(x, block)
            value += float(part) * block.weight
            gradient += _flat(slope) * block.weight
            weight += block.weight
        return value / weight, gradient / weight

    def slope(self, flat: np.ndarray) -> np.ndarray:
        """The gradient alone, from an objective that need not compute the value for it."""
        if hasattr(self.objective, "value_and_gradient"):
            return self.evaluate(flat)[1]
        x, gradient, weight = self.point(flat), np.zeros(flat.size), 0.0
        for block in self._blocks():
            gradient += _flat(self.objective.gradient(x, block)) * block.weight
            weight += block.weight
        return gradient / weight

    def products(self, flat: np.ndarray, value: float, gradient: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """The Hessian at a point (with value and gradient there) times each of these rows."""
        if len(directions) == 0:
            return np.zeros(directions.shape)
        found = self._products_of_loss(flat, directions)
        if found is not None:
            return found
        return np.stack([self._difference(flat, value, gradient, direction) for direction in directions])

    def columns(self, flat: np.ndarray, value: float, gradient: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """These columns of the Hessian at a point, as rows."""
        units = np.zeros((entries.size, flat.size))
        units[np.arange(entries.size), entries] = 1.0
        return self.products(flat, value, gradient, units)

    def _products_of_loss(self, flat: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        times = getattr(self.objective, "hessian_times", None)
        if times is None:
            return None
        x, shape = self.point(flat), tuple(self.x0.shape)
        found, weight = np.zeros(directions.shape), 0.0
        for block in self._blocks():
            at_once = max(1, min(64, AT_ONCE // max(1, block.size)))
            for first in range(0, len(directions), at_once):
                part = directions[first : first + at_once]
                products = times(x, arrays.like(part.reshape(-1, *shape), self.x0), block)
                if products is None:
                    return None
                found[first : first + at_once] += arrays.to_numpy(products).reshape(part.shape) * block.weight
                self.rows += block.size * (len(part) - (first == 0))
            weight += block.weight
        return found / weight

    def _difference(self, flat: np.ndarray, value: float, gradient: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """By a difference of gradients, and by another where the first step was far from the direction's scale."""
        longest = float(np.abs(direction).max(initial=0.0))
        if longest == 0:
            return np.zeros(flat.size)
        length = max(1.0, float(np.abs(flat[direction != 0]).max())) / longest
        found = self._slope_along(flat, gradient, direction, length)
        bent = abs(float(found @ direction))
        natural = float(np.sqrt(abs(value) / bent)) if bent > 0 and value else length  # F doubles on the way
        if 0.03 < natural / length < 1e4 or not np.isfinite(natural):
            return found
        return self._slope_along(flat, gradient, direction, natural)

    def _slope_along(self, flat: np.ndarray, gradient: np.ndarray, direction: np.ndarray, length: float) -> np.ndarray:
        """(gradient(x + t d) - gradient(x)) / t, t a small part of the length and on the side that the bounds allow."""
        move = length * (STEP if self._double else 10 * STEP) * direction
        trial = flat + move
        if ((trial > self.upper) | (trial < self.lower)).any():
            trial = flat - move
        trial = np.clip(trial, self.lower, self.upper)
        moved = _flat(self.point(trial)) - _flat(self.point(flat))  # as they were rounded
        part = float(moved @ direction) / float(direction @ direction)
        return np.zeros(flat.size) if part == 0 else (self.slope(trial) - gradient) / part


def _flat(x: Array) -> np.ndarray:
    return arrays.to_numpy(x).ravel().astype(np.float64)
