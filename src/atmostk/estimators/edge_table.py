"""The edges of a graph as a table: who with whom, how strongly, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

SHOWN = 10


class Edge(NamedTuple):
    """One row of the table."""

    i: int
    j: int
    first: str
    second: str
    weight: float
    partial_correlation: float


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTable(Sequence[Any]):
    """One row for each edge, by i, then j: the variables' places i < j, `weight` in the precision matrix, and the
    partial correlation. `names` are those of all variables, so that the unconnected are known too.

    >>> table = EdgeTable(np.array([0]), np.array([2]), np.array([-0.5]), np.array([0.4]), np.array(["a", "b", "c"]))
    >>> table[0]
    Edge(i=0, j=2, first='a', second='c', weight=-0.5, partial_correlation=0.4)
    """

    i: np.ndarray
    j: np.ndarray
    weight: np.ndarray
    partial_correlation: np.ndarray
    names: np.ndarray

    @property
    def first(self) -> np.ndarray:
        """The name of each edge's variable i."""
        return self.names[self.i]

    @property
    def second(self) -> np.ndarray:
        """The name of each edge's variable j."""
        return self.names[self.j]

    @property
    def degrees(self) -> np.ndarray:
        """How many edges each variable has."""
        return np.bincount(self.i, minlength=len(self.names)) + np.bincount(self.j, minlength=len(self.names))

    def strongest(self, count: int | None = None) -> EdgeTable:
        """The edges of the largest partial correlations, the strongest first."""
        order = np.argsort(-np.abs(self.partial_correlation), kind="stable")[:count]
        return self._of(order)

    def columns(self) -> dict[str, np.ndarray]:
        """Column by column, as a frame takes them."""
        return {
            "i": self.i,
            "j": self.j,
            "first": self.first,
            "second": self.second,
            "weight": self.weight,
            "partial_correlation": self.partial_correlation,
        }

    def to_frame(self) -> Any:
        """As a pandas frame."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install 'atmostk[parquet]'") from None
        return pandas.DataFrame(self.columns())

    def _of(self, rows: Any) -> EdgeTable:
        return EdgeTable(self.i[rows], self.j[rows], self.weight[rows], self.partial_correlation[rows], self.names)

    def __len__(self) -> int:
        return len(self.i)

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return self._of(row)
        i, j = int(self.i[row]), int(self.j[row])
        numbers = float(self.weight[row]), float(self.partial_correlation[row])
        return Edge(i, j, str(self.names[i]), str(self.names[j]), *numbers)

    def __iter__(self) -> Iterator[Edge]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        head = f"{len(self):,} edge{'s' * (len(self) != 1)} among {len(self.names):,} variables"
        shown = [f"  {edge.first} -- {edge.second}: {edge.partial_correlation:+.3f}" for edge in self.strongest(SHOWN)]
        more = ["  ..."] * (len(self) > SHOWN)
        return "\n".join([head, *shown, *more])
