"""A run as it goes: what rules, callbacks and checkpoints see of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from atmostk.problem import Problem


class History(Sequence[Any]):
    """What happened in each step: the solver's records in order, and the seconds at which they ended.

    >>> from collections import namedtuple
    >>> Step = namedtuple("Step", "value")
    >>> history = History([Step(3.0), Step(2.5)], [0.1, 0.2])
    >>> history[-1].value, history.column("value"), history.seconds
    (2.5, [3.0, 2.5], [0.1, 0.2])
    """

    def __init__(self, records: list[Any] | None = None, seconds: list[float] | None = None) -> None:
        self._records = records if records is not None else []
        self.seconds = seconds if seconds is not None else []

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._records)

    def __repr__(self) -> str:
        return f"History({len(self)} steps)"

    def column(self, name: str) -> list[Any]:
        """One number of every record, in order."""
        return [getattr(record, name) for record in self._records]

    def add(self, record: Any, seconds: float) -> None:
        """Append what happened in a step."""
        self._records.append(record)
        self.seconds.append(seconds)

    def cut(self, steps: int) -> None:
        """Forget what came after so many steps."""
        del self._records[steps:], self.seconds[steps:]


@dataclass
class Run:
    """The present of a run. Only `minimize` changes it."""

    problem: Problem
    solver: Any
    state: Any
    seconds: float = 0.0
    history: History = field(default_factory=History)

    @property
    def steps(self) -> int:
        """How many steps have been made."""
        return len(self.history)
