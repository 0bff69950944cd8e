"""How many rows a step reads: fixed, by a schedule in the radius, or as many as the theorem's accuracy needs.

The paper's Assumption 1 asks that the gradient be kappa_g delta accurate with probability theta, and the values
eps_f delta^2 accurate with probability beta (paper note 6). `Fixed`, `Released` and `Polynomial` are schedules that
hope for it; `Measured` looks at the sample's own spread and reads on until it holds, or until the data is exhausted
and the values are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from atmostk import arrays
from atmostk.problem import Problem

Array = Any


class GradientEstimate(NamedTuple):
    """A gradient, the rows that were read for it, and whether it is known to be accurate enough."""

    gradient: Array
    rows: int
    accurate: bool


class PairEstimate(NamedTuple):
    """The values before and after a step on one sample, the rows read, and how well their difference is known."""

    before: float
    after: float
    rows: int
    accurate: bool  # well enough, as far as the rule can tell
    exact: bool  # taken on the whole data


class SampleSize(Protocol):
    """A rule; `start` is the run's first radius, which schedules measure the present one by."""

    def gradient(
        self, problem: Problem, x: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> GradientEstimate:
        """The gradient at x from a fresh sample."""
        ...

    def pair(
        self, problem: Problem, before: Array, after: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> PairEstimate:
        """The values of two points on one fresh sample, so that its noise cancels in their difference."""
        ...


@dataclass(frozen=True)
class Fixed:
    """Always the same number of rows.

    >>> Fixed(1000)
    Fixed(rows=1000)
    """

    rows: int

    def __post_init__(self) -> None:
        _check_rows("Fixed", "rows", self.rows)

    def gradient(
        self, problem: Problem, x: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> GradientEstimate:
        """The gradient over `rows` rows."""
        return sampled_gradient(problem, x, self.rows, rng)

    def pair(
        self, problem: Problem, before: Array, after: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> PairEstimate:
        """Both values over `rows` rows."""
        return sampled_pair(problem, before, after, self.rows, rng)


@dataclass(frozen=True)
class Released:
    """The schedule of the authors' program: first x 2^(start / radius) rows, all of them once start / radius exceeds
    12.

    `largest` caps it where the data is endless or too large to be read whole.

    >>> Released(largest=10_000)
    Released(first=50, largest=10000)
    """

    first: int = 50
    largest: int | None = None

    def __post_init__(self) -> None:
        _check_rows("Released", "first", self.first)
        if self.largest is not None:
            _check_rows("Released", "largest", self.largest)

    def gradient(
        self, problem: Problem, x: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> GradientEstimate:
        """The gradient over as many rows as the schedule says."""
        return sampled_gradient(problem, x, self._rows(problem, radius, start), rng)

    def pair(
        self, problem: Problem, before: Array, after: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> PairEstimate:
        """Both values over as many rows as the schedule says."""
        return sampled_pair(problem, before, after, self._rows(problem, radius, start), rng)

    def _rows(self, problem: Problem, radius: float, start: float) -> int:
        all_rows = _most_rows(self, problem, self.largest)
        if start > 12 * radius:
            return all_rows
        return min(all_rows, math.floor(self.first * 2 ** (start / radius)))


@dataclass(frozen=True)
class Polynomial:
    """first x (start / radius)^power rows, as the theory asks: radius^-2 for gradients, radius^-4 for values.

    >>> Polynomial(first=100, value_power=2.0).value_power
    2.0
    """

    first: int = 50
    gradient_power: float = 2.0
    value_power: float = 4.0
    largest: int | None = None

    def __post_init__(self) -> None:
        _check_rows("Polynomial", "first", self.first)
        if self.largest is not None:
            _check_rows("Polynomial", "largest", self.largest)
        if self.gradient_power < 0 or self.value_power < 0:
            raise ValueError(f"{self}: a power below 0 would read fewer rows as the radius shrinks.")

    def gradient(
        self, problem: Problem, x: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> GradientEstimate:
        """The gradient over first x (start / radius)^gradient_power rows."""
        return sampled_gradient(problem, x, self._rows(problem, radius, start, self.gradient_power), rng)

    def pair(
        self, problem: Problem, before: Array, after: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> PairEstimate:
        """Both values over first x (start / radius)^value_power rows."""
        return sampled_pair(problem, before, after, self._rows(problem, radius, start, self.value_power), rng)

    def _rows(self, problem: Problem, radius: float, start: float, power: float) -> int:
        all_rows = _most_rows(self, problem, self.largest)
        # In logarithms, because a tiny radius to the fourth power is no number any more.
        if power * math.log(start / radius) > math.log(all_rows / self.first):
            return all_rows
        return max(1, math.ceil(self.first * (start / radius) ** power))


@dataclass(frozen=True)
class Measured:
    """Assumption 1 of the paper, checked: read on until the sample's own spread says that it is accurate enough.

    | argument | the paper's | meaning |
    |---|---|---|
    | gradient_accuracy | kappa_g | the sampled gradient is within this times the radius of the true one |
    | value_accuracy | eps_f | the sampled decrease is within this times the squared radius of the true one |
    | gradient_confidence, value_confidence | theta, beta | with at least this probability |

    The gradient is put together from pieces drawn independently: the spread of the pieces bounds the error of their
    mean by Markov's inequality, whatever the distribution. The decrease is the mean of the rows' paired differences,
    judged by the normal quantile with the correction for a finite population. When the sample would be the whole
    data, it is the whole data, and exact.

    Where the radius is longer than the gradient, or than the step that is judged, that length takes its place: the
    accuracy is then higher than the assumption asks, and noise is not taken for progress while a generous radius
    comes down. The accuracies are what the convergence proof leaves open; 1 and 0.1 let a step be judged as soon as
    the noise is smaller than the step.

    >>> from atmostk import PIHT
    >>> PIHT(sample_size=Measured(value_confidence=0.95)).sample_size.value_confidence
    0.95
    """

    gradient_accuracy: float = 1.0
    value_accuracy: float = 0.1
    gradient_confidence: float = 0.9
    value_confidence: float = 0.9
    first: int = 64
    largest: int | None = None

    def __post_init__(self) -> None:
        _check_rows("Measured", "first", self.first)
        if self.largest is not None:
            _check_rows("Measured", "largest", self.largest)
        for name in ("gradient_accuracy", "value_accuracy"):
            if not getattr(self, name) > 0:
                raise ValueError(f"Measured({name}={getattr(self, name)}): an accuracy must be above 0.")
        for name in ("gradient_confidence", "value_confidence"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"Measured({name}={getattr(self, name)}): a confidence lies between 0 and 1.")

    def gradient(
        self, problem: Problem, x: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> GradientEstimate:
        """The gradient from pieces whose spread shows that their mean is accurate, or from all rows."""
        most = _most_rows(self, problem, self.largest)
        rows, read = max(self.first, 2 * _PIECES), 0
        while rows < most:
            mean, squared_error, finite = _mean_of_pieces(problem, x, rows // _PIECES, rng)
            read += rows // _PIECES * _PIECES
            length = min(radius, arrays.norm(mean)) if finite else radius
            allowed = (1 - self.gradient_confidence) * (self.gradient_accuracy * length) ** 2
            if not finite or squared_error <= allowed:
                return GradientEstimate(mean, read, finite)
            rows = _grown(rows, squared_error, allowed, most)
        last = sampled_gradient(problem, x, most, rng)
        return last._replace(rows=read + last.rows)

    def pair(
        self, problem: Problem, before: Array, after: Array, radius: float, start: float, rng: np.random.Generator, /
    ) -> PairEstimate:
        """Both values on a sample whose paired differences show that it is large enough, or on all rows."""
        most = _most_rows(self, problem, self.largest)
        quantile = NormalDist().inv_cdf((1 + self.value_confidence) / 2)
        length = min(radius, arrays.norm(after - before))
        allowed = (self.value_accuracy * length**2 / quantile) ** 2
        rows, read = max(self.first, 2), 0
        while rows < most:
            sample = problem.sampler.draw(rows, rng)
            old = arrays.to_numpy(problem.objective.losses(before, sample)).astype(np.float64)
            new = arrays.to_numpy(problem.objective.losses(after, sample)).astype(np.float64)
            read += sample.size
            weights = None if sample.weights is None else arrays.to_numpy(sample.weights).astype(np.float64)
            values = float(np.average(old, weights=weights)), float(np.average(new, weights=weights))
            if not math.isfinite(values[1]):
                return PairEstimate(*values, read, True, False)
            squared_error = _squared_error(old - new, weights, problem.sampler.size)
            if squared_error <= allowed:
                return PairEstimate(*values, read, True, False)
            rows = _grown(rows, squared_error, allowed, most)
        last = sampled_pair(problem, before, after, most, rng)
        return last._replace(rows=read + last.rows)


# Enough for the spread of the pieces to be known to about a third, few enough to keep the batches long.
_PIECES = 8


def sampled_gradient(problem: Problem, x: Array, rows: int, rng: np.random.Generator) -> GradientEstimate:
    """The gradient over `rows` rows; known to be accurate only when they are all there are."""
    size = problem.sampler.size
    if size is not None and rows >= size:
        return GradientEstimate(problem.gradient(x), size, True)
    sample = problem.sampler.draw(rows, rng)
    return GradientEstimate(problem.objective.gradient(x, sample), sample.size, sample.whole)


def sampled_pair(problem: Problem, before: Array, after: Array, rows: int, rng: np.random.Generator) -> PairEstimate:
    """Two values over the same `rows` rows; known to be accurate only when they are all there are."""
    size = problem.sampler.size
    if size is not None and rows >= size:
        return PairEstimate(problem.value(before), problem.value(after), size, True, True)
    # One sample for both values, so that its noise cancels.
    sample = problem.sampler.draw(rows, rng)
    old, new = problem.objective.value(before, sample), problem.objective.value(after, sample)
    return PairEstimate(float(old), float(new), sample.size, sample.whole, sample.whole)


def _mean_of_pieces(problem: Problem, x: Array, rows: int, rng: np.random.Generator) -> tuple[Array, float, bool]:
    """The mean of the pieces' gradients, the estimated squared error of that mean, and whether all was finite."""
    mean: Array = None
    spread = 0.0
    for count in range(1, _PIECES + 1):
        piece = problem.objective.gradient(x, problem.sampler.draw(rows, rng))
        if mean is None:
            mean = piece
            continue
        step = piece - mean
        mean = mean + step / count
        spread += (count - 1) / count * arrays.norm(step) ** 2
    return mean, spread / (_PIECES * (_PIECES - 1)), math.isfinite(spread)


def _squared_error(differences: np.ndarray, weights: np.ndarray | None, size: int | None) -> float:
    """The estimated squared error of the (weighted) mean of a sample drawn without repetition."""
    rows = len(differences)
    if weights is None:
        squared = float(differences.var(ddof=1)) / rows
    else:
        mean = float(np.average(differences, weights=weights))
        squared = float(np.sum((weights * (differences - mean)) ** 2)) / float(weights.sum()) ** 2 * rows / (rows - 1)
    return squared * (1 - rows / size) if size is not None else squared


def _grown(rows: int, squared_error: float, allowed: float, most: int) -> int:
    """At least twice the rows; straight to what the measured spread asks for where that is more."""
    needed = rows * 1.2 * squared_error / allowed if allowed > 0 else math.inf
    return most if needed >= most else max(2 * rows, math.ceil(needed))


def _most_rows(rule: object, problem: Problem, largest: int | None) -> int:
    size = problem.sampler.size
    if size is None and largest is None:
        raise ValueError(
            f"{type(rule).__name__} on endless data would read for ever: give it largest=, the most rows for one step."
        )
    return min(row for row in (size, largest) if row is not None)


def _check_rows(rule: str, name: str, rows: int) -> None:
    if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 1:
        raise ValueError(f"{rule}({name}={rows!r}): the number of rows must be a whole number of 1 or more.")
