"""Endless data: rows made on demand by a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.sample import Sample


@dataclass(frozen=True)
class Simulator:
    """Rows from `make(count, rng)`, which returns what the objective reads, such as (X, y).

    There is no whole data. Where one is asked for (the value of the answer, a certificate) `evaluation` rows stand for
    it: always the same ones, made from `evaluation_seed`.

    >>> import numpy as np
    >>> endless = Simulator(lambda count, rng: rng.normal(size=(count, 3)))
    >>> endless.size, endless.draw(5, np.random.default_rng(0)).data.shape
    (None, (5, 3))
    """

    make: Callable[[int, np.random.Generator], Any]
    evaluation: int = 100_000
    evaluation_seed: int = 0

    def __post_init__(self) -> None:
        if not callable(self.make):
            raise TypeError(f"Simulator needs a function of (count, rng), not a {type(self.make).__name__}.")
        if self.evaluation < 1:
            raise ValueError(f"Simulator(evaluation={self.evaluation}): at least one row is needed.")

    @property
    def size(self) -> None:
        """There is no end."""
        return None

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` new rows."""
        return Sample(self.make(int(count), rng), int(count))

    def blocks(self) -> Iterator[Sample]:
        """The evaluation rows, which stand for the whole."""
        yield self.draw(self.evaluation, np.random.default_rng(self.evaluation_seed))
