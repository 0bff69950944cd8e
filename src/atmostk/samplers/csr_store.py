"""Sparse rows on disk: the arrays of a CSR matrix, each in a `.npy` file of one folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers.files import told
from atmostk.samplers.memory import readable
from atmostk.samplers.npy_column import NpyColumn, NpyWriter
from atmostk.samplers.numbered import Numbered
from atmostk.samplers.stored_rows import Piece

Array = Any
GROUP_ENTRIES = 1 << 20  # nonzeros in a group: about 10 MB, read in a few milliseconds


class CsrStore:
    """A folder with `indptr.npy`, `indices.npy`, `data.npy` and `about.json`; perhaps `y.npy` and `weights.npy`.

    Made by `store_csr`, or piece by piece by a `CsrWriter`. The arrays are read where they are needed, never whole.

    >>> import numpy as np, tempfile, pathlib
    >>> from scipy.sparse import csr_array
    >>> folder = store_csr(pathlib.Path(tempfile.mkdtemp()) / "eye", csr_array(np.eye(3)))
    >>> store = CsrStore(folder)
    >>> store.shape, store.groups
    ((3, 3), (3,))
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            about = json.loads((self.folder / "about.json").read_text())
            rows, columns, entries = (int(about[word]) for word in ("rows", "columns", "entries"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{folder} holds no sparse rows ({told(error)}): write them with store_csr.") from None
        if rows == 0 or columns == 0:
            raise ValueError(f"{folder} holds {rows} rows by {columns} columns: there is nothing to learn from.")
        self.shape = (rows, columns)
        lengths = {"indptr": rows + 1, "indices": entries, "data": entries, "y": rows, "weights": rows}
        self.arrays = {
            name: NpyColumn.opened(self.folder / f"{name}.npy", length)
            for name, length in lengths.items()
            if name not in ("y", "weights") or (self.folder / f"{name}.npy").exists()
        }
        # 8 bytes a row stay in memory: where each row begins is asked for by every read.
        self._begins = self.arrays["indptr"].between(0, rows + 1)
        if self._begins[0] != 0 or self._begins[-1] != entries or (np.diff(self._begins) < 0).any():
            raise ValueError(
                f"{folder} is damaged: indptr.npy does not count up to {entries}. Write it anew with store_csr."
            )
        self._bounds = self._cut(GROUP_ENTRIES)
        self.groups = tuple(np.diff(self._bounds).tolist())
        self.names: Sequence[str] = Numbered(columns)
        self.dtype = self.arrays["data"].dtype
        self.supervised = "y" in self.arrays
        self.row_bytes = 16.0 + (self.dtype.itemsize + 4) * entries / rows

    def __reduce__(self) -> Any:
        # Another process finds the rows where they are; what is known of them is not sent.
        return CsrStore, (self.folder,)

    def read(self, groups: Sequence[int], columns: np.ndarray | None, rows: int, /) -> Iterator[Piece]:
        """The rows of these groups in order."""
        for group in groups:
            first, last = int(self._bounds[group]), int(self._bounds[group + 1])
            for begin in range(first, last, rows):
                yield self._between(begin, min(begin + rows, last), columns)

    def check_memory(self, allowed: int) -> None:
        """Raise with one sentence where knowing where rows begin would alone take more than is allowed."""
        if (needed := self._begins.nbytes) > allowed:
            raise MemoryError(
                f"the beginnings of {self.shape[0]} sparse rows take {readable(needed)}, more than max_memory leaves "
                f"({readable(allowed)}): raise it."
            )

    def _between(self, first: int, last: int, columns: np.ndarray | None) -> Piece:
        from scipy.sparse import csr_array

        begins = self._begins[first : last + 1]
        data = self.arrays["data"].between(int(begins[0]), int(begins[-1]))
        indices = self.arrays["indices"].between(int(begins[0]), int(begins[-1]))
        if indices.size and not 0 <= indices.min() <= indices.max() < self.shape[1]:
            raise ValueError(
                f"{self.folder} is damaged: rows {first} to {last} name columns outside of 0 to {self.shape[1] - 1}."
            )
        X: Array = csr_array(
            (data, indices, (begins - begins[0]).astype(indices.dtype)), shape=(last - first, self.shape[1])
        )
        if columns is not None:
            X = X[:, columns]
        y, weights = (
            self.arrays[name].between(first, last).astype(data.dtype, copy=False) if name in self.arrays else None
            for name in ("y", "weights")
        )
        return Piece(X, y, weights)

    def _cut(self, entries: int) -> np.ndarray:
        """Where the groups begin: of about so many entries each, and at least one row."""
        rows = self.shape[0]
        pieces = max(1, int(self._begins[-1] // entries))
        cuts = np.searchsorted(self._begins, np.arange(1, pieces) * (self._begins[-1] / pieces))
        # Rows without entries take memory as well.
        even = np.arange(0, rows, entries)
        return np.unique(np.concatenate([[0], cuts, even, [rows]]))


class CsrWriter:
    """Sparse rows, written as they come; used in a `with`, whose end makes the folder complete.

    >>> import tempfile
    >>> from scipy.sparse import eye_array
    >>> with CsrWriter(tempfile.mkdtemp(), columns=3) as writer:
    ...     for _ in range(4):
    ...         writer.write(eye_array(3), np.ones(3))
    >>> CsrStore(writer.folder).shape
    (12, 3)
    """

    def __init__(self, folder: str | Path, columns: int, dtype: Any = np.float32) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "about.json").unlink(missing_ok=True)  # not complete until the end
        self.columns, self.rows, self.entries = columns, 0, 0
        index = np.int32 if columns < 2**31 else np.int64
        kinds = {"indptr": np.int64, "indices": index, "data": dtype, "y": np.float64, "weights": dtype}
        self._writers = {name: NpyWriter(self.folder / f"{name}.npy", kind) for name, kind in kinds.items()}
        self._writers["indptr"].write(np.zeros(1))

    def __enter__(self) -> CsrWriter:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        for name, writer in self._writers.items():
            writer.close()
            if writer.length == 0 and name in ("y", "weights"):
                (self.folder / f"{name}.npy").unlink()
        if kind is None:
            about = {"rows": self.rows, "columns": self.columns, "entries": self.entries}
            (self.folder / "about.json").write_text(json.dumps(about))

    def write(self, X: Array, y: Array = None, weights: Array = None) -> None:
        """Append rows."""
        X = X.tocsr()
        self._writers["indptr"].write(X.indptr[1:].astype(np.int64) + self.entries)
        self._writers["indices"].write(X.indices)
        self._writers["data"].write(X.data)
        for name, values in (("y", y), ("weights", weights)):
            if values is not None:
                self._writers[name].write(np.asarray(values))
        self.rows, self.entries = self.rows + X.shape[0], self.entries + X.nnz


def store_csr(folder: str | Path, X: Array, y: Array = None, weights: Array = None) -> Path:
    """Write a sparse matrix to a folder that `CsrStore` and `open_rows` read.

    >>> import tempfile
    >>> from scipy.sparse import eye_array
    >>> CsrStore(store_csr(tempfile.mkdtemp(), eye_array(5), np.ones(5))).shape
    (5, 5)
    """
    with CsrWriter(folder, X.shape[1], X.dtype) as writer:
        writer.write(X, y, weights)
    return writer.folder
