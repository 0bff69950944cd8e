"""A pass over rows wherever they are: a question is asked of each block of them, and the answers are added up.

This is all that the rest of the library knows of disks, processes and clusters: a question is small (a loss and K
numbers) and travels to the rows; an answer (a value, a gradient, a Hessian on K entries) is small and travels back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from atmostk.sample import Sample

Answer = dict[str, Any]  # whatever can be added: numbers, arrays, or something with a `+` of its own


class Question(Protocol):
    """What is asked of a block of rows; it must survive a pickle, and answers of blocks must add up."""

    @property
    def columns(self) -> np.ndarray | None:
        """The only columns of X that are read, ascending; a block then comes with these alone. None: all."""
        ...

    def __call__(self, block: Sample, /) -> Answer:
        """The answer of these rows."""
        ...


@runtime_checkable
class Asked(Protocol):
    """A sampler whose rows are too many to be kept: they answer questions where they are."""

    @property
    def size(self) -> int:
        """How many rows there are."""
        ...

    @property
    def by_column(self) -> bool:
        """Whether reading few columns costs less than reading all."""
        ...

    @property
    def sample_rows(self) -> int:
        """How many rows may be drawn into memory at once."""
        ...

    def ask(self, question: Question, /) -> Answer:
        """One pass over all rows."""
        ...


def added(answers: Iterable[Answer]) -> Answer:
    """The sum of the answers, in their order.

    >>> added([{"rows": 2, "sum": np.ones(2)}, {"rows": 3, "sum": np.ones(2)}])
    {'rows': 5, 'sum': array([2., 2.])}
    """
    total: Answer = {}
    for answer in answers:
        for name, part in answer.items():
            if name not in total:
                total[name] = part.copy() if isinstance(part, np.ndarray) else part
            elif isinstance(part, np.ndarray):
                total[name] += part
            else:
                total[name] = total[name] + part
    return total


def ask_blocks(sampler: Any, question: Question) -> Answer:
    """One pass in this process, block after block; of a store by columns only those that are asked for are read."""
    rows = sampler if question.columns is None else sampler.only(question.columns)
    return added(question(block) for block in rows.blocks())
