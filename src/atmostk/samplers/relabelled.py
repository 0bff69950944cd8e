"""Rows whose target becomes the place of its class, and whose weight that of its class, wherever the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from atmostk.passes import Answer, Question
from atmostk.sample import Sample


@dataclass(frozen=True, eq=False)
class Relabelled:
    """The same rows with labels 0, 1, ... in place of these classes (ascending); perhaps with a weight for each.

    >>> from atmostk.samplers import Rows
    >>> rows = Relabelled(Rows(np.eye(3), np.array([5.0, 7.0, 5.0])), np.array([5.0, 7.0]))
    >>> next(rows.blocks()).data[1]
    array([0., 1., 0.])
    """

    source: Any
    classes: np.ndarray
    by_class: np.ndarray | None = None

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.source.size

    @property
    def names(self) -> Sequence[str]:
        """What the columns are called."""
        return self.source.names

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the features are."""
        return self.source.dtype

    @property
    def by_column(self) -> bool:
        """As the source has it."""
        return self.source.by_column

    @property
    def sample_rows(self) -> int:
        """As the source has it."""
        return self.source.sample_rows

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """What the source draws."""
        return relabelled(self.source.draw(count, rng), self.classes, self.by_class)

    def blocks(self) -> Iterator[Sample]:
        """What the source reads."""
        for block in self.source.blocks():
            yield relabelled(block, self.classes, self.by_class)

    def ask(self, question: Question, /) -> Answer:
        """One pass, in which the labels are changed where the rows are."""
        return self.source.ask(OfLabels(question, self.classes, self.by_class))


@dataclass(frozen=True, eq=False)
class OfLabels:
    """A question that is asked of labels in place of classes."""

    question: Question
    classes: np.ndarray
    by_class: np.ndarray | None

    @property
    def columns(self) -> np.ndarray | None:
        """Those of the question."""
        return self.question.columns

    def __call__(self, block: Sample, /) -> Answer:
        """The question's answer."""
        return self.question(relabelled(block, self.classes, self.by_class))


def relabelled(block: Sample, classes: np.ndarray, by_class: np.ndarray | None) -> Sample:
    """The block with labels in place of classes."""
    X, y = block.data
    labels = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not np.array_equal(classes[labels], y):
        strange = y[classes[labels] != y][0]
        raise ValueError(f"y holds {strange:g}, which was not among its classes before: the data has changed.")
    weights = block.weights
    if by_class is not None:
        weights = by_class[labels] if weights is None else weights * by_class[labels]
    return replace(block, data=(X, labels.astype(X.dtype if X.dtype.kind == "f" else np.float64)), weights=weights)
