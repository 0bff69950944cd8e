"""Rows on a Dask cluster: questions travel to the partitions, answers are added up where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from atmostk import arrays
from atmostk.passes import Answer, Question, added
from atmostk.sample import Sample
from atmostk.samplers.numbered import Numbered
from atmostk.samplers.stored_rows import Piece, stacked_sample

Array = Any
TOGETHER = 8  # answers that are added in one task
RETRIES = 5  # of a block whose worker died


class DaskRows:
    """The rows of a dask array or data frame, with a target and perhaps weights that are cut in the same way.

    Nothing is moved but questions (K numbers), answers (K or p numbers) and the rows of samples. Without a cluster the
    threads of this process do the work. Data that was not persisted is made anew in every pass: `X = X.persist()` keeps
    it in the workers' memory, if it fits there.

    >>> import dask.array
    >>> X = dask.array.from_array(np.eye(4), chunks=(2, 4))
    >>> rows = DaskRows(X, X.sum(axis=1))
    >>> rows, rows.draw(3, np.random.default_rng(0)).data[0].shape
    (DaskRows(4 x 4 in 2 partitions, with a target), (3, 4))
    """

    by_column = True  # what is in a worker's memory need not be looked at

    def __init__(self, X: Any, y: Any = None, weights: Any = None, *, sample_bytes: int = 256_000_000) -> None:
        self.sample_bytes = sample_bytes
        frame = hasattr(X, "columns")
        self.names: Sequence[str] = [str(name) for name in X.columns] if frame else Numbered(_width(X))
        self.dtype = _precision(X)
        if not frame and X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        known = None if frame or any(np.isnan(count) for count in X.chunks[0]) else tuple(X.chunks[0])
        parts = [X] + [None if part is None else _beside(part, X, known, name) for part, name in _named(y, weights)]
        self._parts = list(zip(*(_partitions(part, len(parts[0].__dask_keys__())) for part in parts), strict=True))
        self.supervised = y is not None
        self._known = known

    def __repr__(self) -> str:
        counted = self._known is not None or "sizes" in self.__dict__  # looking at an object starts no pass
        told = f"{self.size if counted else '?'} x {len(self.names)} in {len(self._parts)} partitions"
        return f"DaskRows({told}{', with a target' * self.supervised})"

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many rows each partition has: known, or found in one pass that also looks whether they fit together."""
        if self._known is not None:
            return self._known
        from dask.delayed import delayed

        counts = [delayed(_rows, pure=False)(*part) for part in self._parts]
        return tuple(_computed(delayed(list)(counts), "the first pass"))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return int(sum(self.sizes))

    @property
    def sample_rows(self) -> int:
        """How many rows a sample may have."""
        return max(1, self.sample_bytes // (len(self.names) * self.dtype.itemsize))

    def ask(self, question: Question, /) -> Answer:
        """One pass: a block whose worker dies is asked again elsewhere."""
        from dask.delayed import delayed

        asked = delayed(question, traverse=False, pure=False)
        answers = [delayed(answered, pure=False)(*part, asked) for part in self._parts]
        # In pairs of neighbours or more, always the same way, so that the sum does not depend on who is first.
        while len(answers) > 1:
            groups = [answers[first : first + TOGETHER] for first in range(0, len(answers), TOGETHER)]
            answers = [delayed(added, pure=False)(group) for group in groups]
        return added([_computed(answers[0], "a pass")])

    def draw(self, count: int, rng: np.random.Generator, /) -> Sample:
        """`count` rows from all partitions, in their order."""
        from dask.delayed import delayed

        whole, count = count >= self.size, min(count, self.size)
        if count > self.sample_rows:
            raise MemoryError(
                f"a sample of {count} rows takes more than the {self.sample_bytes} bytes set aside for samples: take a "
                "solver or sample size that is content with fewer."
            )
        ends = np.cumsum(self.sizes)
        chosen = np.arange(count) if whole else np.sort(rng.choice(self.size, count, replace=False, shuffle=False))
        cuts = np.searchsorted(chosen, np.concatenate([[0], ends]))
        taken = [
            delayed(_taken, pure=False)(*part, chosen[first:last] - (end - size))
            for part, first, last, end, size in zip(self._parts, cuts, cuts[1:], ends, self.sizes, strict=False)
            if last > first
        ]
        return stacked_sample([Piece(*piece) for piece in _computed(delayed(list)(taken), "a draw")], whole=whole)

    def blocks(self) -> Iterator[Sample]:
        """All rows, one partition after the other, in this process: for whoever cannot ask a question."""
        from dask.delayed import delayed

        for part in self._parts:
            piece = _computed(delayed(_piece, pure=False)(*part), "a pass")
            if piece.X.shape[0]:
                yield stacked_sample([piece], whole=len(self._parts) == 1)


def connected(address: str, *, seconds: float = 10.0) -> Any:
    """A client of the cluster whose scheduler listens at an address such as "tcp://host:8786".

    >>> connected("tcp://127.0.0.1:1", seconds=0.5)
    Traceback (most recent call last):
    ...
    ConnectionError: no Dask scheduler answers at tcp://127.0.0.1:1: is one running there?
    """
    from distributed import Client

    try:
        return Client(address, timeout=seconds)
    except (OSError, ValueError):  # distributed's own error is of the first kind, that of a wrong address of the second
        raise ConnectionError(f"no Dask scheduler answers at {address}: is one running there?") from None


def answered(X: Any, y: Any, weights: Any, question: Question) -> Answer:
    """What one partition answers; runs where the partition is."""
    piece = _piece(X, y, weights, question.columns)
    return question(stacked_sample([piece])) if piece.X.shape[0] else {}


def _piece(X: Any, y: Any, weights: Any, columns: np.ndarray | None = None) -> Piece:
    if columns is not None:
        X = X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]
    X = _numbers(X, "X")
    others = [None if part is None else _numbers(part, name).ravel() for part, name in _named(y, weights)]
    for part, name in zip(others, ("y", "weights"), strict=True):
        if part is not None and len(part) != X.shape[0]:
            raise ValueError(
                f"a partition of X has {X.shape[0]} rows, but that of {name} has {len(part)}: cut both alike, "
                f"as {name}.rechunk(X.chunks[0]) or repartition does."
            )
    kind = X.dtype if X.dtype.kind == "f" else np.dtype(np.float64)
    return Piece(X, *(None if part is None else part.astype(kind, copy=False) for part in others))


def _numbers(part: Any, name: str) -> Array:
    """An array of numbers: scipy's sparse ones stay sparse."""
    if arrays.is_scipy_sparse(part):
        return part.tocsr()
    if hasattr(part, "to_numpy"):
        if hasattr(part, "columns"):
            for column, kind in part.dtypes.items():
                if getattr(kind, "kind", "O") not in "fiub":
                    raise TypeError(f"column {column!r} holds {kind}, not numbers: encode it first, or leave it out.")
        part = part.to_numpy()
    part = np.asarray(part)
    if part.dtype.kind not in "fiub":
        raise TypeError(f"{name} holds {part.dtype}, not numbers: encode it first.")
    return part if part.dtype.kind == "f" else part.astype(np.float64)


def _rows(X: Any, y: Any, weights: Any) -> int:
    return int(_piece(X, y, weights).X.shape[0])


def _taken(X: Any, y: Any, weights: Any, rows: np.ndarray) -> Piece:
    return Piece(*(None if part is None else part[rows] for part in _piece(X, y, weights)))


def _named(y: Any, weights: Any) -> tuple[tuple[Any, str], tuple[Any, str]]:
    return (y, "y"), (weights, "weights")


def _width(X: Any) -> int:
    if not hasattr(X, "__dask_graph__") or getattr(X, "ndim", 0) != 2:
        raise TypeError(f"X is a {type(X).__name__}: DaskRows needs a dask array of two dimensions or a data frame.")
    if np.isnan(X.shape[1]) or X.shape[1] == 0:
        raise ValueError(f"X has {X.shape[1]} columns: how many there are must be known, and at least one.")
    return int(X.shape[1])


def _precision(X: Any) -> np.dtype[Any]:
    kinds = [np.dtype(X.dtype)] if hasattr(X, "dtype") else list(X.dtypes)
    for name, kind in zip(getattr(X, "columns", ["X"]), kinds, strict=True):
        if getattr(kind, "kind", "O") not in "fiub":
            raise TypeError(f"column {name!r} holds {kind}, not numbers: encode it first, or leave it out.")
    kind = np.result_type(*kinds)
    return kind if kind.kind == "f" else np.dtype(np.float64)


def _beside(part: Any, X: Any, known: tuple[int, ...] | None, name: str) -> Any:
    """A target or weights, in as many partitions as X."""
    if hasattr(part, "__dask_graph__"):
        if known is not None and hasattr(part, "rechunk") and not np.isnan(part.shape[0]):
            if part.shape[0] != sum(known):
                raise ValueError(f"{name} has {part.shape[0]} rows but X has {sum(known)}: they must be as many.")
            return part.ravel().rechunk((known,)) if part.ndim > 1 else part.rechunk((known,))
        return part
    if known is None:
        raise TypeError(
            f"{name} is a {type(part).__name__} but X is cut into unknown sizes: give {name} to Dask as well."
        )
    from dask.array import from_array

    part = np.asarray(part)
    if part.shape != (sum(known),):
        raise ValueError(f"{name} has shape {part.shape} but X has {sum(known)} rows: they must be as many.")
    return from_array(part, chunks=(known,))  # pyright: ignore[reportArgumentType]


def _partitions(part: Any, count: int) -> list[Any]:
    if part is None:
        return [None] * count
    found = part.to_delayed()
    found = list(found.ravel()) if isinstance(found, np.ndarray) else list(found)
    if len(found) != count:
        raise ValueError(
            f"X is in {count} partitions but its target or weights are in {len(found)}: cut both in the same way."
        )
    return found


def _computed(task: Any, what: str) -> Any:
    """The result of a task, wherever it runs; one sentence where the cluster is gone."""
    client = _client()
    if client is None:
        # By name, because a cluster that has gone may have left its own as the default.
        return task.compute(scheduler="threads")
    from asyncio import CancelledError
    from concurrent.futures import CancelledError as Cancelled

    from distributed import KilledWorker

    address = getattr(client.scheduler, "address", "")
    for _ in range(RETRIES):
        try:
            return client.compute(task, retries=RETRIES).result()
        except KilledWorker:
            continue  # it died more often than the cluster allows for a task; another may not
        except (CancelledError, Cancelled, OSError) as error:
            # distributed's own errors (a closed comm, a cancelled future) are of these kinds.
            raise ConnectionError(
                f"the Dask scheduler at {address} was lost in the middle of {what} ({type(error).__name__}): a "
                "checkpoint holds the last step; connect to a running scheduler and fit again to go on."
            ) from None
    raise RuntimeError(f"workers died in {what} {RETRIES} times over: is there memory enough for a partition?")


def _client() -> Any:
    """The cluster of this process, if there is one."""
    import sys

    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None
