"""Names for columns that have none: x0, x1, ..., of which a million take no memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Numbered(Sequence[str]):
    """The names x0, x1, ... of so many columns.

    >>> Numbered(1000)[7], len(Numbered(1000))
    ('x7', 1000)
    """

    def __init__(self, columns: int) -> None:
        self._places = range(columns)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [f"x{number}" for number in self._places[place]]
        return f"x{self._places[place]}"
