"""Batches of a PyTorch DataLoader, drawn so that the same seed gives the same batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.sample import Sample


@dataclass(frozen=True, repr=False)
class Batches:
    """The data set of a DataLoader: its items, put together by its own `collate_fn`.

    Which items a batch holds is decided by the run's seed and not by the loader's shuffling, so that a run can be
    repeated and resumed; the loader's batch size is used where the whole data is read piece by piece.

        sampler = Batches(torch.utils.data.DataLoader(dataset, batch_size=250))
    """

    loader: Any

    def __post_init__(self) -> None:
        for word in ("dataset", "collate_fn", "batch_size"):
            if not hasattr(self.loader, word):
                raise TypeError(f"Batches needs a PyTorch DataLoader, but {type(self.loader).__name__} has no {word}.")
        dataset = self.loader.dataset
        if not (hasattr(dataset, "__getitem__") and hasattr(dataset, "__len__")):
            raise TypeError(
                f"the DataLoader's {type(dataset).__name__} can only be read from its beginning, so no batch of it can "
                "be drawn again: use a data set with __getitem__ and __len__, or a Simulator for endless data."
            )
        if len(dataset) == 0:
            raise ValueError("the DataLoader's data set is empty: there is nothing to learn from.")

    def __repr__(self) -> str:
        return f"Batches({self.size} items)"

    @property
    def size(self) -> int:
        """How many items the data set has."""
        return len(self.loader.dataset)

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` items without repetition."""
        if count >= self.size:
            return self._sample(range(self.size), whole=True)
        return self._sample(np.sort(rng.choice(self.size, count, replace=False, shuffle=False)).tolist())

    def blocks(self) -> Iterator[Sample]:
        """All items, a batch at a time."""
        step = self.loader.batch_size or 1
        for first in range(0, self.size, step):
            yield self._sample(range(first, min(first + step, self.size)), whole=step >= self.size)

    def _sample(self, chosen: Any, whole: bool = False) -> Sample:
        dataset = self.loader.dataset
        collate = self.loader.collate_fn
        return Sample(collate([dataset[item] for item in chosen]), len(chosen), whole=whole)
