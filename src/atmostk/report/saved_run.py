"""A run as it is kept and told: what was asked, what came out, how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Fact = str | float | int | bool | None
Table = Mapping[str, Any]

# What a run can have been about: the word says how its answer is drawn.
KINDS = ("features", "graph", "attack")


@dataclass(frozen=True)
class SavedRun:
    """What a report needs of a run, whatever front-end made it.

    A table is a dictionary of columns of one length, numbers as arrays and words as lists. The report knows these:

    - `answer`: what was chosen.
    - `path`: a row for each budget, the budget first. Columns "objective: train" and "objective: held out" share a
      panel; "objective: held out spread" is an error bar.
    - `convergence`: a row for each step.
    - `nodes` (name) and `edges` (first, second: rows of `nodes`; partial correlation) of a graph.

    An attack has the images `perturbation`, `originals` and `perturbed`.

    >>> run = SavedRun("features", "Diabetes", "2 of 10 features", tables={"answer": {"feature": ["bmi", "s5"]}})
    >>> list(run.tables)
    ['answer']
    """

    kind: str
    title: str
    headline: str
    asked: Mapping[str, Fact] = field(default_factory=dict)
    quality: Mapping[str, Fact] = field(default_factory=dict)
    made: Mapping[str, Fact] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    images: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"SavedRun(kind={self.kind!r}): a run is about one of {', '.join(KINDS)}.")
        for name, table in self.tables.items():
            lengths = {column: len(values) for column, values in table.items()}
            if len(set(lengths.values())) > 1:
                told = ", ".join(f"{column} {length}" for column, length in lengths.items())
                raise ValueError(f"the table {name!r} has columns of different lengths: {told}.")


def is_words(column: Sequence[Any] | np.ndarray) -> bool:
    """Whether a column holds words rather than numbers."""
    return not isinstance(column, np.ndarray) and any(isinstance(value, str) for value in column)
