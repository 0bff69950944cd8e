"""Stored rows that several processes read at once, each a part: local ones, or those of a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from atmostk.passes import Answer, Question, added
from atmostk.sample import Sample

ATTEMPTS = 4  # at a pass whose worker dies
PARTS = 2  # of the rows for each worker, so that none waits long for another


@dataclass(frozen=True, repr=False)
class SpreadRows:
    """The rows of files, asked by `n_jobs` processes.

    joblib starts the processes: in `with joblib.parallel_config("dask"):` they are those of the Dask cluster that this
    process is connected to, each of which must see the files under the same path. Samples are drawn here.

    >>> import tempfile, pathlib
    >>> from atmostk.samplers import MappedRows
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "X.npy"
    >>> np.save(file, np.ones((10, 2)))
    >>> SpreadRows(MappedRows(file), n_jobs=2)
    SpreadRows(MappedRows(10 x 2) over 2 processes)
    """

    source: Any
    n_jobs: int = 2

    def __post_init__(self) -> None:
        if not hasattr(self.source, "parts"):
            raise TypeError(f"SpreadRows needs rows from open_rows, not a {type(self.source).__name__}.")
        if isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, int | np.integer) or self.n_jobs == 0:
            raise ValueError(f"SpreadRows(n_jobs={self.n_jobs!r}): it must be a number of processes, or -1 for all.")

    def __repr__(self) -> str:
        return f"SpreadRows({self.source!r} over {self.n_jobs} processes)"

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
    def supervised(self) -> bool:
        """Whether the rows have a target."""
        return self.source.supervised

    @property
    def by_column(self) -> bool:
        """As the files have it."""
        return self.source.by_column

    @property
    def sample_rows(self) -> int:
        """As the files have it."""
        return self.source.sample_rows

    def only(self, columns: np.ndarray, /) -> SpreadRows:
        """The same rows with these columns alone."""
        return replace(self, source=self.source.only(columns))

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """Drawn in this process."""
        return self.source.draw(count, rng)

    def blocks(self) -> Iterator[Sample]:
        """Read in this process."""
        return self.source.blocks()

    def ask(self, question: Question, /) -> Answer:
        """One pass, each process its parts; where one dies, the pass is made again."""
        from joblib import Parallel, delayed, effective_n_jobs
        from joblib.externals.loky.process_executor import TerminatedWorkerError

        parts = self.source.parts(PARTS * effective_n_jobs(self.n_jobs))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answers: Any = Parallel(n_jobs=self.n_jobs)(delayed(_answer)(part, question) for part in parts)
                return added(answers)
            except TerminatedWorkerError:
                if attempt == ATTEMPTS:
                    raise RuntimeError(
                        f"processes died in {ATTEMPTS} passes on end: is there memory for {self.n_jobs} of them?"
                    ) from None
        raise AssertionError


def _answer(part: Any, question: Question) -> Answer:
    return part.ask(question)
