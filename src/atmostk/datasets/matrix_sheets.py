"""Files that hold a matrix with its target beside it: `.npz` archives and svmlight text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NAMES = ("features", "columns", "names", "genes")


@dataclass(frozen=True)
class MatrixSheet:
    """A matrix, dense or CSR, with names for its columns, and vectors beside it."""

    where: str
    matrix: Any
    columns: list[str]
    beside: dict[str, np.ndarray]
    row_names: str | None = None
    unnamed: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The columns of the matrix, and the vectors."""
        return [*self.columns, *self.beside]

    def read(self, numbers: Sequence[str], words: Sequence[str], /) -> tuple[Any, dict[str, Any]]:
        """The columns that are asked for; the matrix itself where all of them are, in order."""
        place = {name: at for at, name in enumerate(self.columns)}
        asked = [name for name in numbers if name in place]
        matrix = self.matrix if asked == self.columns else self.matrix[:, [place[name] for name in asked]]
        for name in numbers:
            if name not in place:
                column = self.beside[name].astype(np.float64)[:, None]
                matrix = _beside(matrix, column)
        return matrix, {name: self.beside[name] if name in self.beside else self._column(place[name]) for name in words}

    def _column(self, at: int) -> np.ndarray:
        column = self.matrix[:, [at]]
        return np.asarray(column.toarray() if hasattr(column, "toarray") else column)[:, 0]


def archive(content: io.BufferedReader, where: str) -> MatrixSheet:
    """An `.npz` archive: X (rows by features), vectors as long as it has rows, names under `features` or the like."""
    try:
        with np.load(io.BytesIO(content.read()), allow_pickle=False) as opened:
            arrays: dict[str, Any] = {name: opened[name] for name in opened.files}
    except (ValueError, OSError, EOFError, KeyError, AttributeError, ImportError) as error:
        raise ValueError(f"{where} is not a readable .npz file of plain arrays ({error}).") from None
    except Exception as error:  # a damaged zip raises errors of several libraries
        raise ValueError(f"{where} is a damaged .npz file ({error}).") from None
    X = arrays.get("X")
    if X is None or X.ndim != 2 or X.dtype.kind not in "fiub":
        held = ", ".join(f"{name} {value.dtype}{list(value.shape)}" for name, value in arrays.items()) or "nothing"
        raise ValueError(f"{where} needs a matrix of numbers named X, rows by features: it holds {held}.")
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    named = next((arrays[name] for name in NAMES if name in arrays and arrays[name].shape == (X.shape[1],)), None)
    columns = [f"x{place}" for place in range(X.shape[1])] if named is None else [str(name) for name in named]
    beside = {
        name: value
        for name, value in arrays.items()
        if value.shape == (X.shape[0],) and name not in (*NAMES, *columns) and value.dtype.kind in "fiubU"
    }
    labels = next((name for name in ("samples", "rows") if name in beside), None)
    return MatrixSheet(where, X, columns, beside, labels, frozenset(() if labels is None else (labels,)))


def svmlight(content: io.BufferedReader, where: str) -> MatrixSheet:
    """Sparse rows as text, the target first and named y; feature 7 of the file is named x7."""
    from sklearn.datasets import load_svmlight_file

    load: Any = load_svmlight_file
    try:
        X, y = load(io.BytesIO(content.read()), zero_based=True)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{where} is not a readable svmlight file ({' '.join(str(error).split())}).") from None
    if not X.nnz:
        raise ValueError(f"{where} holds no features: there is nothing to learn from.")
    first = 0 if (X.indices == 0).any() else 1  # most files count from 1
    return MatrixSheet(where, X[:, first:].tocsr(), [f"x{place}" for place in range(first, X.shape[1])], {"y": y})


def _beside(matrix: Any, column: np.ndarray) -> Any:
    from scipy import sparse

    if hasattr(matrix, "indptr"):
        return sparse.hstack([matrix, sparse.csr_matrix(column)], format="csr")
    return np.hstack([matrix, column])
