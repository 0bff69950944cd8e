"""Rows that stay on disk: a few groups are read for a sample, all of them, block after block, for a pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from atmostk import arrays
from atmostk.passes import Answer, Question, ask_blocks
from atmostk.sample import Sample
from atmostk.samplers.memory import readable
from atmostk.samplers.read_ahead import read_ahead

Array = Any


class Piece(NamedTuple):
    """Neighbouring rows, as they came from disk."""

    X: Array
    y: Array = None
    weights: Array = None


class Store(Protocol):
    """A kind of file: groups of rows, each of which is read in one go."""

    @property
    def groups(self) -> Sequence[int]:
        """How many rows each group has, in the order of the data."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """What the columns of X are called."""
        ...

    @property
    def row_bytes(self) -> float:
        """What one row takes in memory, about."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the features are."""
        ...

    @property
    def supervised(self) -> bool:
        """Whether the rows have a target."""
        ...

    def read(self, groups: Sequence[int], columns: np.ndarray | None, rows: int, /) -> Iterator[Piece]:
        """The rows of these groups, in order, at most so many at a time; of `columns` alone where that is not None."""
        ...


@dataclass(frozen=True, repr=False)
class StoredRows:
    """The rows of a store, of which three blocks of `block_bytes` at most are in memory during a pass.

    A sample of m rows is spread over `spread` x m neighbouring rows, counted after the groups have been put in random
    order (one group's worth at least): each row has the same chance, and a file whose order means something is met
    in several places. A pass reads the next block in a thread of its own while this one is worked on.

    >>> import numpy as np, tempfile, pathlib
    >>> from scipy.sparse import csr_array
    >>> from atmostk.samplers import CsrStore, StoredRows, store_csr
    >>> folder = store_csr(pathlib.Path(tempfile.mkdtemp()) / "eye", csr_array(np.eye(6)), np.arange(6.0))
    >>> rows = StoredRows(CsrStore(folder))
    >>> rows, rows.draw(2, np.random.default_rng(0)).data[1].shape
    (StoredRows(6 x 6, with a target), (2,))
    """

    store: Any
    columns: np.ndarray | None = None
    block_bytes: int = 32_000_000
    sample_bytes: int = 256_000_000
    spread: int = 4
    groups: tuple[int, ...] | None = None  # the only ones that are read; all, where that is None

    def __repr__(self) -> str:
        return f"StoredRows({self.size} x {len(self.names)}{', with a target' * self.store.supervised})"

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(self._sizes.sum())

    @property
    def _sizes(self) -> np.ndarray:
        sizes = np.asarray(self.store.groups)
        return sizes if self.groups is None else sizes[list(self.groups)]

    @property
    def supervised(self) -> bool:
        """Whether the rows have a target."""
        return self.store.supervised

    def parts(self, count: int, /) -> list[StoredRows]:
        """The same rows in about so many parts of neighbouring groups, of about as many rows each."""
        groups = np.arange(len(self.store.groups)) if self.groups is None else np.asarray(self.groups)
        ends = np.cumsum(self._sizes)
        cuts = np.searchsorted(ends, np.arange(1, count) * (ends[-1] / count))
        pieces = np.split(groups, np.unique(cuts + 1))
        return [replace(self, groups=tuple(piece.tolist())) for piece in pieces if piece.size]

    @property
    def names(self) -> Sequence[str]:
        """What the columns are called."""
        names = self.store.names
        return names if self.columns is None else [names[column] for column in self.columns]

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the features are."""
        return self.store.dtype

    @property
    def row_bytes(self) -> float:
        """What one row takes in memory, about."""
        return max(8.0, self.store.row_bytes * len(self.names) / len(self.store.names))

    @property
    def sample_rows(self) -> int:
        """How many rows a sample may have at most."""
        return max(1, int(self.sample_bytes / self.row_bytes))

    def only(self, columns: np.ndarray, /) -> StoredRows:
        """The same rows with these columns alone; a store by columns does not read the others."""
        known = np.arange(len(self.store.names)) if self.columns is None else self.columns
        return replace(self, columns=known[columns])

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` rows without repetition, each with the same chance."""
        whole, count = count >= self.size, min(count, self.size)
        if count > self.sample_rows:
            raise MemoryError(
                f"a sample of {count} rows takes about {readable(count * self.row_bytes)}, but "
                f"{readable(self.sample_bytes)} are set aside for samples: raise max_memory, or take a solver or "
                "sample size that is content with fewer."
            )
        if whole:
            return stacked_sample(list(self._read(self._every)), whole=True)
        pieces = [piece for group, rows in self._places(count, rng) for piece in self._chosen(group, rows)]
        return stacked_sample(pieces)

    def blocks(self) -> Iterator[Sample]:
        """All rows in the order of the data, a block at a time, the next one being read meanwhile."""
        pieces = self._read(self._every)
        samples = (stacked_sample([piece], whole=piece.X.shape[0] == self.size) for piece in pieces)
        yield from read_ahead(samples)

    @property
    def by_column(self) -> bool:
        """Whether a store reads few columns in less time than all."""
        return bool(getattr(self.store, "by_column", False))

    def ask(self, question: Question, /) -> Answer:
        """One pass over all rows."""
        return ask_blocks(self, question)

    @property
    def _every(self) -> Sequence[int]:
        return range(len(self.store.groups)) if self.groups is None else self.groups

    def _places(self, count: int, rng: np.random.Generator) -> Iterator[tuple[int, np.ndarray]]:
        """Which rows of which groups a sample takes."""
        groups = self._sizes
        order = rng.permutation(len(groups))
        window = min(self.size, max(self.spread * count, int(groups.max())))
        # Places on a circle of all rows: no row is near an edge, so that none is drawn less often.
        chosen = rng.choice(window, count, replace=False, shuffle=False)
        places = (int(rng.integers(self.size)) + chosen) % self.size
        ends = np.cumsum(groups[order])
        turn = np.searchsorted(ends, places, side="right")
        within = places - (ends - groups[order])[turn]
        for group in np.unique(turn):
            yield int(self._every[int(order[group])]), np.sort(within[turn == group])

    def _chosen(self, group: int, rows: np.ndarray) -> Iterator[Piece]:
        first = 0
        for piece in self._read([group]):
            last = first + int(piece.X.shape[0])
            here = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)] - first
            if here.size:
                yield Piece(*(None if part is None else part[here] for part in piece))
            first = last

    def _read(self, groups: Sequence[int]) -> Iterator[Piece]:
        return self.store.read(groups, self.columns, max(1, int(self.block_bytes / self.row_bytes)))


def stacked_sample(pieces: list[Piece], whole: bool = False) -> Sample:
    """The pieces as one sample of finite numbers."""
    X: Array
    X, y, weights = (None if parts[0] is None else _stacked(parts) for parts in zip(*pieces, strict=True))
    for part, name in ((X, "X"), (y, "y"), (weights, "weights")):
        if part is not None and not is_finite(part.data if arrays.is_scipy_sparse(part) else part):
            raise ValueError(f"a block of {name} holds NaN or infinity: drop those rows or fill them in first.")
    return Sample(X if y is None else (X, y), int(X.shape[0]), weights, whole)


def is_finite(numbers: np.ndarray) -> bool:
    """A sum is finite if all is, and takes a fraction of the time; one that is not may only be too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum())) or arrays.is_finite(numbers)


def _stacked(parts: tuple[Array, ...]) -> Array:
    if len(parts) == 1:
        return parts[0]
    if arrays.is_scipy_sparse(parts[0]):
        from scipy.sparse import vstack

        return vstack(parts, format="csr")
    return np.concatenate(parts)
