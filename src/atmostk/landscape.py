"""What `Exchange` asks of an objective: where a point stands, what would help, and what the minimum on a support is.

A landscape is an objective on certain rows, for points of a certain shape, under a certain constraint. It counts in
*units*: what enters and leaves the support as one (a feature, a group, an edge), numbered from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

Array = Any


class Room(NamedTuple):
    """What a constraint leaves to choose: how many units may stay, and the unit (-1: free) and bounds of each entry."""

    limit: int
    units: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def room(constraint: Any, x: np.ndarray) -> Room:
    """What a constraint that counts units leaves to choose for points like x.

    >>> from atmostk.constraints import AtMost, WithinBox
    >>> room(WithinBox(AtMost(1), lower=0.0), np.zeros(2))
    Room(limit=1, units=array([0, 1]), lower=array([0., 0.]), upper=array([inf, inf]))
    """
    if not (hasattr(constraint, "limit") and hasattr(constraint, "units")):
        raise TypeError(
            f"{type(constraint).__name__} has no limit on a number of units to exchange: give AtMost(10), AtMostGroups "
            "or AtMostEdges, or one of these inside AlwaysKept or WithinBox; or take another solver, such as PIHT()."
        )
    far = np.full(x.shape, np.inf)
    # The nearest allowed points to what lies infinitely far out are the bounds themselves.
    lower, upper = constraint.unlimited(-far).ravel(), constraint.unlimited(far).ravel()
    return Room(constraint.limit, constraint.units(x), lower, upper)


@dataclass
class Tally:
    """How many rows were evaluated, by a landscape and by those that stand on some of its rows."""

    rows: int = 0


class Point(Protocol):
    """The minimum on a support. A frozen dataclass, because it is saved; what is only remembered to save time is marked
    `metadata={"saved": False}` and may be None.
    """

    @property
    def units(self) -> np.ndarray:
        """The support, ascending."""
        ...

    @property
    def value(self) -> float:
        """The objective."""
        ...


class Model(Protocol):
    """The objective near a point as a quadratic function of the units of a pool, in which every pair can be priced."""

    def descend(self, units: np.ndarray, moves: int, margin: float, /) -> np.ndarray:
        """The units after at most so many exchanges, each of which gains more than the margin in the model."""
        ...

    def refill(self, units: np.ndarray, limit: int, barred: np.ndarray, /) -> np.ndarray:
        """The units, and as many of the best others, none of them barred, as make `limit`."""
        ...

    def minimum(self, units: np.ndarray, /) -> np.ndarray:
        """The values at its minimum on these units and the free block, entries ascending."""
        ...

    def exchanges(self, units: np.ndarray, count: int, /) -> list[tuple[int, int, float]]:
        """The best single exchanges as (unit that leaves, unit that enters, predicted gain), best first."""
        ...


@runtime_checkable
class Landscape(Protocol):
    """An objective on certain rows under a certain constraint."""

    @property
    def limit(self) -> int:
        """How many units may be in the support."""
        ...

    @property
    def count(self) -> int:
        """How many units there are."""
        ...

    @property
    def rows(self) -> int:
        """How many rows were evaluated so far; only ever grows."""
        ...

    def start(self, x0: Array, /) -> Point:
        """The minimum on the units in which x0 is not zero and the free block (intercept, diagonal, kept entries),
        from x0. The units may be more than the limit."""
        ...

    def refit(self, point: Any, units: np.ndarray, /, model: Any = None) -> Point:
        """The minimum on these units and the free block, from `point` or from where its model has that minimum."""
        ...

    def entering(self, point: Any, count: int, /) -> tuple[np.ndarray, np.ndarray]:
        """The `count` best units outside, best first, with the predicted gain of each.

        With slope g, curvature h and room [lo, hi] the best step of one entry is t = clip(-g/h, lo, hi), its gain
        -(g t + h t^2 / 2).
        """
        ...

    def leaving(self, point: Any, /) -> np.ndarray:
        """What each unit of the support, in order, would cost if it left."""
        ...

    def model(self, point: Any, pool: np.ndarray, /) -> Model | None:
        """The quadratic model at the point over these units and those of the support; None if there is none."""
        ...

    def polish(self, point: Any, /) -> Point:
        """The same support, as exactly as the precision allows."""
        ...

    def dense(self, point: Any, /) -> Array:
        """The point as whoever called `minimize` knows it."""
        ...

    def entries(self, point: Any, /) -> np.ndarray:
        """The flat indices of the point's support in that form, ascending."""
        ...


@runtime_checkable
class OwnPhases(Protocol):
    """A landscape that runs whole phases itself, compiled: on a small graph a phase takes microseconds."""

    def grown(self, point: Any, targets: Sequence[int], /) -> Point:
        """With as many units as the first of these numbers says, or a later one; fewer where no more are of use."""
        ...

    def exchanged(self, point: Any, /) -> Point:
        """After all exchanges that pay among the best candidates."""
        ...


@runtime_checkable
class Ageing(Protocol):
    """A landscape whose models may have been made elsewhere than at the point, because they are dear."""

    def renewed(self, point: Any, /) -> Point | None:
        """The point with a model of its own to come; None where it has that already."""
        ...


@runtime_checkable
class Thinning(Protocol):
    """A landscape that can be had on some of its rows, where a search decides as well and pays less."""

    @property
    def size(self) -> int:
        """How many rows it stands on."""
        ...

    @property
    def sample(self) -> int:
        """As how many rows it was asked for, 0 where it stands on all."""
        ...

    @property
    def first(self) -> int:
        """On how many rows a search should begin; `size` where fewer would not pay."""
        ...

    def on_fewer(self, rows: int, /) -> Landscape:
        """The same on about so many rows, the same ones each time; both count into one tally of rows."""
        ...

    def noise(self, point: Any, /) -> float:
        """The variance of a row's slope over its bend: 1 for a well specified likelihood, the noise's variance for
        squared error. What a useless unit seems to gain by chance is about this, over the number of rows.
        """
        ...

    def chance(self, point: Any, /) -> float:
        """What the best of all useless units seems to gain on these rows: noise log(units) / rows; 0 on all rows."""
        ...

    def hardest(self, point: Any, /) -> float:
        """What the unit that is missed least would cost if it left and the others followed."""
        ...

    def moved(self, point: Any, onto: Any, /) -> Point:
        """The minimum on the same units on other rows, from here."""
        ...
