"""Rows in memory-mapped files: shuffled once, then read in contiguous blocks.

Gathering single rows from a file reads a page for each; a contiguous block is as good a sample once the file's order is
random, and reads at the disk's speed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.passes import Answer, Question, ask_blocks
from atmostk.sample import Sample
from atmostk.samplers.door import checked_target, checked_weights
from atmostk.samplers.numbered import Numbered
from atmostk.samplers.read_ahead import read_ahead
from atmostk.samplers.stored_rows import is_finite

Array = Any


@dataclass(frozen=True, repr=False)
class MappedRows:
    """Rows of `.npy` files (or memory maps) whose order is random already; see `shuffle_rows` for one that is not.

    >>> import numpy as np, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "X.npy", np.arange(20.0).reshape(10, 2))
    >>> rows = MappedRows(folder / "X.npy")
    >>> rows.size, rows.draw(4, np.random.default_rng(0)).data.shape
    (10, (4, 2))
    """

    X: Array
    y: Array = None
    weights: Array = None
    block_bytes: int = 64_000_000
    sample_bytes: int = 256_000_000
    columns: np.ndarray | None = None
    rows: range | None = None  # the only ones that are read; all, where that is None

    def __post_init__(self) -> None:
        X = opened(self.X, "X")
        if X.ndim != 2 or 0 in X.shape:
            raise ValueError(f"X has shape {X.shape}: it must be a matrix with rows and columns.")
        if X.dtype.kind not in "fiub":
            raise TypeError(f"X is of type {X.dtype}: it must be real numbers.")
        object.__setattr__(self, "X", X)
        if self.y is not None:
            object.__setattr__(self, "y", checked_target(np.asarray(opened(self.y, "y")), X))
        if self.weights is not None:
            object.__setattr__(self, "weights", checked_weights(np.asarray(opened(self.weights, "weights")), X))

    def __repr__(self) -> str:
        n, p = self.size, len(self.names)
        more = ", with a target" * (self.y is not None) + ", weighted" * (self.weights is not None)
        return f"MappedRows({n} x {p}{more})"

    @property
    def names(self) -> Sequence[str]:
        """What the columns are called: by their numbers."""
        names = Numbered(self.X.shape[1])
        return names if self.columns is None else [names[column] for column in self.columns]

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the features are."""
        return self.X.dtype

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self._every)

    @property
    def _every(self) -> range:
        return range(self.X.shape[0]) if self.rows is None else self.rows

    @property
    def supervised(self) -> bool:
        """Whether the rows have a target."""
        return self.y is not None

    def parts(self, count: int, /) -> list[MappedRows]:
        """The same rows in about so many parts of neighbours."""
        cuts = np.linspace(self._every.start, self._every.stop, min(count, self.size) + 1).astype(np.int64).tolist()
        return [replace(self, rows=range(first, last)) for first, last in pairwise(cuts)]

    by_column = False  # a page holds whole rows

    @property
    def sample_rows(self) -> int:
        """How many rows a sample may have."""
        return max(1, self.sample_bytes // max(1, len(self.names) * self.X.dtype.itemsize))

    def ask(self, question: Question, /) -> Answer:
        """One pass over all rows."""
        return ask_blocks(self, question)

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` neighbouring rows from a random place; past the end it goes on at the beginning."""
        begin, end = self._every.start, self._every.stop
        if count >= self.size:
            return self._between(begin, end, whole=True)
        first = begin + int(rng.integers(self.size))
        if first + count <= end:
            return self._between(first, first + count)
        rest = begin + first + count - end
        return self._sample(lambda rows: np.concatenate([rows[first:end], rows[begin:rest]]), count)

    def blocks(self) -> Iterator[Sample]:
        """The whole file from its beginning, a block at a time; the next is brought into memory meanwhile."""
        step = max(1, self.block_bytes // max(1, self.X.shape[1] * self.X.dtype.itemsize))
        firsts, end = self._every[::step], self._every.stop
        ahead = (self._between(first, min(first + step, end), whole=step >= self.size) for first in firsts)
        for block in read_ahead(ahead):
            yield block
            self._let_go()

    def _between(self, first: int, last: int, whole: bool = False) -> Sample:
        return self._sample(lambda rows: rows[first:last], last - first, whole)

    def only(self, columns: np.ndarray, /) -> MappedRows:
        """The same rows with these columns alone."""
        return replace(self, columns=columns if self.columns is None else self.columns[columns])

    def __reduce__(self) -> Any:
        # Another process maps the same files; an array in memory is sent.
        arrays_of = [_place(part) for part in (self.X, self.y, self.weights)]
        return MappedRows, (*arrays_of, self.block_bytes, self.sample_bytes, self.columns, self.rows)

    def _let_go(self) -> None:
        """Pages that were read count as this process's memory until it says that it is done with them."""
        mapping = getattr(self.X, "_mmap", None)
        if mapping is not None and hasattr(mapping, "madvise") and not self.X.flags.writeable:
            mapping.madvise(mmap.MADV_DONTNEED)

    def _sample(self, part: Any, count: int, whole: bool = False) -> Sample:
        X = np.ascontiguousarray(part(self.X) if self.columns is None else part(self.X)[:, self.columns])
        if not is_finite(X):
            raise ValueError("a block of X holds NaN or infinity: clean the file first.")
        data = X if self.y is None else (X, part(self.y))
        return Sample(data, count, None if self.weights is None else part(self.weights), whole)


def _place(part: Any) -> Any:
    """The file of a memory map that is all of a `.npy` file; what else there is as it is."""
    mapped = part if isinstance(part, np.memmap) else getattr(part, "base", None)
    if isinstance(mapped, np.memmap) and str(mapped.filename).endswith(".npy") and mapped.shape == part.shape:
        return str(mapped.filename)
    return part


def opened(source: Any, name: str) -> Array:
    """A memory map of a `.npy` file, or the array that was given."""
    if isinstance(source, np.ndarray):
        return source
    if not isinstance(source, str | Path):
        raise TypeError(f"{name} is a {type(source).__name__}: give a memory map or the path of a .npy file.")
    try:
        return np.load(source, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"{source}: there is no such file.") from None
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{source} is not a readable .npy file ({error}).") from None


def shuffle_rows(source: Any, target: str | Path, *, seed: int = 0, block_bytes: int = 256_000_000) -> Path:
    """Write the rows of a `.npy` file in random order to another; the same seed gives X and y the same order.

    >>> import numpy as np, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "y.npy", np.arange(5.0))
    >>> np.load(shuffle_rows(folder / "y.npy", folder / "shuffled.npy"))
    array([2., 4., 3., 0., 1.])
    """
    rows = opened(source, "source")
    target = Path(target)
    if isinstance(source, str | Path) and target.exists() and target.samefile(source):
        raise ValueError(f"{target}: the shuffled rows need a file of their own.")
    order = np.random.default_rng(seed).permutation(rows.shape[0])
    shuffled = np.lib.format.open_memmap(target, mode="w+", dtype=rows.dtype, shape=rows.shape)
    step = max(1, block_bytes // max(1, rows[:1].nbytes))
    for first in range(0, len(order), step):
        shuffled[first : first + step] = rows[order[first : first + step]]
    shuffled.flush()
    return target
