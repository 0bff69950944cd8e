"""The formula: minimise E[F(x, xi)] over x in C_K, and what its three parts promise each other.

| part | folder | question it answers |
|---|---|---|
| F | `objectives/` | how bad is x on this sample, and which way is down |
| Xi | `samplers/` | give me rows |
| C_K | `constraints/` | which entries may stay, and what is the nearest allowed point |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from atmostk.sample import Sample

Array = Any  # NumPy, PyTorch, or any array that array-api-compat knows


@runtime_checkable
class Objective(Protocol):
    """F: a mean over the rows of a sample. Lower is better."""

    def value(self, x: Array, sample: Sample, /) -> float:
        """The (weighted) mean loss of the sample's rows, plus what does not depend on them (a ridge)."""
        ...

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """The gradient of `value`, an array like x."""
        ...

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row, so that a paired difference has a measurable variance; their mean is `value`."""
        ...


@runtime_checkable
class Sampler(Protocol):
    """Xi: where rows come from. Drawing is separate from evaluating, so that two points can share a sample."""

    @property
    def size(self) -> int | None:
        """How many rows there are; None for an endless stream."""
        ...

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` rows without repetition; the whole data, every row once, when there are no more than that."""
        ...

    def blocks(self) -> Iterator[Sample]:
        """The whole data, every row once, in pieces that fit in memory."""
        ...


@runtime_checkable
class Constraint(Protocol):
    """C_K: the allowed points."""

    def choose(self, v: Array, current: Array | None = None, /) -> np.ndarray:
        """The flat indices, ascending, of the entries that the nearest allowed point keeps.

        On a tie an entry of `current` (flat indices) wins, then the lower index (paper note 3).
        """
        ...

    def restrict(self, v: Array, support: np.ndarray, /) -> Array:
        """The nearest allowed point to v whose nonzeros lie in `support`; a new array, v is not touched."""
        ...

    def check(self, x: Array, /) -> None:
        """Raise ValueError with one sentence if points shaped like x cannot be constrained this way."""
        ...


@dataclass(frozen=True)
class Problem:
    """What to minimise, on which rows, under which budget.

    >>> import numpy as np
    >>> from atmostk import AtMost, Problem
    >>> from atmostk.objectives import SquaredError
    >>> from atmostk.samplers import Rows
    >>> problem = Problem(SquaredError(), Rows(np.eye(3), np.array([3.0, 1.0, 2.0])), AtMost(1))
    >>> problem.value(np.zeros(3))
    2.3333333333333335
    """

    objective: Objective
    sampler: Sampler
    constraint: Constraint

    def value(self, x: Array) -> float:
        """f(x) on the whole data, one pass."""
        total = weight = 0.0
        for block in self.sampler.blocks():
            total += float(self.objective.value(x, block)) * block.weight
            weight += block.weight
        return total / weight

    def gradient(self, x: Array) -> Array:
        """The gradient of f at x on the whole data, one pass."""
        total: Array = None
        weight = 0.0
        for block in self.sampler.blocks():
            part = self.objective.gradient(x, block) * block.weight
            total = part if total is None else total + part
            weight += block.weight
        return total / weight

    def check(self, x: Array) -> None:
        """Raise with one sentence when a part does not fit the others."""
        for part, protocol, name in (
            (self.objective, Objective, "objective"),
            (self.sampler, Sampler, "sampler"),
            (self.constraint, Constraint, "constraint"),
        ):
            if isinstance(part, type):
                raise TypeError(f"the {name} of this Problem is the class {part.__name__}: write {part.__name__}(...).")
            if not isinstance(part, protocol):
                missing = sorted(
                    word for word in vars(protocol) if not word.startswith("_") and not hasattr(part, word)
                )
                raise TypeError(
                    f"{type(part).__name__} cannot be the {name} of a Problem: it has no {' and no '.join(missing)}."
                )
        self.constraint.check(x)
        if hasattr(self.objective, "check"):
            self.objective.check(x, self._first_rows())  # pyright: ignore[reportAttributeAccessIssue]

    def _first_rows(self) -> Sample:
        """Rows to see by whether objective and sampler fit: all that are in memory, or a few."""
        if self.sampler.size is None:
            return self.sampler.draw(64, np.random.default_rng(0))
        return next(iter(self.sampler.blocks()))
