"""Every constraint with an independent truth: all its supports, and the nearest point on each by a closed form.

To add a constraint, add a case: how it is made for a budget, the units that the budget counts, and what else binds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.constraints import AlwaysKept, AtMost, AtMostEdges, AtMostGroups, OnSimplex, WithinBox

INFINITY = float("inf")


@dataclass(frozen=True)
class Case:
    """A constraint as a set of points, told in another way than the library tells it."""

    name: str
    make: Callable[[int], Any]
    units: tuple[tuple[int, ...], ...]  # what the budget counts: each the entries that stay or go together
    free: tuple[tuple[int, ...], ...] = ()  # units that cost nothing
    shape: tuple[int, ...] = (6,)
    lower: Any = -INFINITY
    upper: Any = INFINITY
    equal: bool = False  # entries of a unit must be equal
    total: float | None = None  # not negative, and of this sum

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def smallest(self) -> int:
        """The smallest budget with which there is a point."""
        return 0 if self.total is None else 1

    def nearest_distance(self, v: np.ndarray, budget: int) -> float:
        """The square of the distance from v to the set, by trying all supports."""
        count = min(budget, len(self.units))
        return min(self._distance(v, units) for units in itertools.combinations(self.units, count))

    def contains(self, x: np.ndarray, budget: int) -> bool:
        """Whether x is allowed, by the definition of the set."""
        flat = x.ravel()
        used = [unit for unit in self.units if any(flat[entry] != 0 for entry in unit)]
        inside = [entry for unit in [*used, *self.free] for entry in unit]
        return bool(
            len(used) <= budget
            and not np.delete(flat, inside).any()
            and (flat[inside] >= self._bound(self.lower)[inside]).all()
            and (flat[inside] <= self._bound(self.upper)[inside]).all()
            and (not self.equal or all(np.ptp(flat[list(unit)]) == 0 for unit in [*used, *self.free]))
            and (self.total is None or (abs(flat.sum() - self.total) < 1e-9 and flat.min() >= 0))
        )

    def _bound(self, bound: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(bound, float), self.shape).ravel()

    def _distance(self, v: np.ndarray, units: tuple[tuple[int, ...], ...]) -> float:
        flat = v.ravel().astype(float)
        x = np.zeros(self.size)
        for unit in [*units, *self.free]:
            entries = list(unit)
            wanted = np.full(len(unit), flat[entries].mean()) if self.equal else flat[entries]
            x[entries] = np.clip(wanted, self._bound(self.lower)[entries], self._bound(self.upper)[entries])
        if self.total is not None:
            entries = [entry for unit in units for entry in unit]
            x[entries] = simplex_by_bisection(flat[entries], self.total)
        return float(np.sum((flat - x) ** 2))


def simplex_by_bisection(values: np.ndarray, total: float) -> np.ndarray:
    low, high = values.min() - total, values.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(values - middle, 0).sum() > total else (low, middle)
    return np.maximum(values - low, 0)


SINGLES = tuple((entry,) for entry in range(6))
GROUPS = [5, 2, 2, 9, 9, 9]
GROUP_UNITS = ((1, 2), (0,), (3, 4, 5))  # by the order of their labels
PAIRS = tuple((4 * i + j, 4 * j + i) for i in range(4) for j in range(i + 1, 4))
DIAGONAL = ((0,), (5,), (10,), (15,))
LOWER = np.array([-1.0, -0.5, 0.0, -np.inf, -2.0, 0.0])
UPPER = np.array([1.0, 3.0, 1.0, 0.0, 0.25, 0.0])
POSITIVE_DIAGONAL = np.where(np.eye(4) > 0, 0.5, -1.5)

CASES = [
    Case("AtMost", AtMost, SINGLES),
    Case("AtMost on a matrix", AtMost, SINGLES, shape=(2, 3)),
    Case("AtMostGroups", lambda k: AtMostGroups(k, GROUPS), GROUP_UNITS),
    Case("AtMostGroups on a matrix", lambda k: AtMostGroups(k, np.reshape(GROUPS, (3, 2))), GROUP_UNITS, shape=(3, 2)),
    Case("AtMostEdges", AtMostEdges, PAIRS, DIAGONAL, (4, 4), equal=True),
    Case("AlwaysKept(AtMost)", lambda k: AlwaysKept(AtMost(k), [4, 0]), SINGLES[1:4] + SINGLES[5:], ((0,), (4,))),
    Case(
        "AlwaysKept(AlwaysKept)",
        lambda k: AlwaysKept(AlwaysKept(AtMost(k), [1]), [1, 2]),
        SINGLES[:1] + SINGLES[3:],
        ((1,), (2,)),
    ),
    Case(
        "AlwaysKept(AtMostGroups)",
        lambda k: AlwaysKept(AtMostGroups(k, GROUPS), [0, 4]),
        ((1, 2), (3, 5)),
        ((0,), (4,)),
    ),
    Case(
        "AlwaysKept(AtMostEdges)",
        lambda k: AlwaysKept(AtMostEdges(k), [1, 4]),
        PAIRS[1:],
        (*DIAGONAL, PAIRS[0]),
        (4, 4),
        equal=True,
    ),
    Case("WithinBox(AtMost)", lambda k: WithinBox(AtMost(k), -1, 0.5), SINGLES, lower=-1, upper=0.5),
    Case("WithinBox(AtMost), non-negative", lambda k: WithinBox(AtMost(k), lower=0), SINGLES, lower=0),
    Case("WithinBox(AtMost), arrays", lambda k: WithinBox(AtMost(k), LOWER, UPPER), SINGLES, lower=LOWER, upper=UPPER),
    Case(
        "WithinBox(AtMostGroups)",
        lambda k: WithinBox(AtMostGroups(k, GROUPS), LOWER, UPPER),
        GROUP_UNITS,
        lower=LOWER,
        upper=UPPER,
    ),
    Case(
        "WithinBox(AtMostEdges)",
        lambda k: WithinBox(AtMostEdges(k), POSITIVE_DIAGONAL, 1.0),
        PAIRS,
        DIAGONAL,
        (4, 4),
        lower=POSITIVE_DIAGONAL,
        upper=1.0,
        equal=True,
    ),
    Case(
        "WithinBox(AlwaysKept(AtMost))",
        lambda k: WithinBox(AlwaysKept(AtMost(k), [3]), [-1, -1, -1, 1, -1, -1], 2),
        SINGLES[:3] + SINGLES[4:],
        ((3,),),
        lower=[-1, -1, -1, 1, -1, -1],
        upper=2,
    ),
    Case(
        "AlwaysKept(WithinBox(AtMost))",
        lambda k: AlwaysKept(WithinBox(AtMost(k), [-1, -1, -1, 1, -1, -1], 2), [3]),
        SINGLES[:3] + SINGLES[4:],
        ((3,),),
        lower=[-1, -1, -1, 1, -1, -1],
        upper=2,
    ),
    Case(
        "WithinBox(AlwaysKept(AtMostGroups))",
        lambda k: WithinBox(AlwaysKept(AtMostGroups(k, GROUPS), [0, 4]), LOWER, UPPER),
        ((1, 2), (3, 5)),
        ((0,), (4,)),
        lower=LOWER,
        upper=UPPER,
    ),
    Case("OnSimplex(AtMost)", lambda k: OnSimplex(AtMost(k), total=2.0), SINGLES, total=2.0),
    Case("OnSimplex(AtMost) on a matrix", lambda k: OnSimplex(AtMost(k)), SINGLES, shape=(2, 3), total=1.0),
]


def pytest_generate_tests(metafunc):
    """A test that takes a `case` runs on each."""
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", CASES, ids=[case.name for case in CASES])
