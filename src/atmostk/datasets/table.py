"""A table with a target, from whatever kind of file it is in: what a person at the shell has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from atmostk.datasets.sheets import MISSING, Sheet, open_sheet

Source = str | Path | BinaryIO


@dataclass(frozen=True, repr=False)
class Table:
    """Rows by features, all numbers; `y` holds numbers, or words where the target is one.

    `names` are the features' names, `rows` the rows' names where the file has such, `notes` what a person should know
    of how the file was read.

    >>> Table(np.eye(2), ["a", "b"], y=np.array([1.0, 2.0]))
    Table(2 rows x 2 features, with a target)
    """

    X: Any
    names: list[str]
    y: np.ndarray | None = None
    weights: np.ndarray | None = None
    rows: list[str] | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n, p = self.X.shape
        return f"Table({n} rows x {p} features{', with a target' if self.y is not None else ''})"


def load_table(
    source: Source,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    kind: str | None = None,
    drop_missing: bool = False,
) -> Table:
    """The features, the target and the weights of a CSV, TSV, Parquet, `.npz` or svmlight file, or of a binary stream.

    All columns are features but `target`, `weights` and those in `drop`; or those that `columns` names, in that order.
    A first column that has no name, or a different word in every row, names the rows. Cells that are empty, NA, NaN or
    null are refused, or their rows left out with `drop_missing`. `kind` is what the file is, if its name hides it.

    >>> import io
    >>> table = load_table(io.BytesIO(b"name,height,age\\nAnn,1.7,40\\nBob,1.8,35\\n"), target="age")
    >>> table, table.names, table.y.tolist(), table.rows
    (Table(2 rows x 1 features, with a target), ['height'], [40.0, 35.0], ['Ann', 'Bob'])
    """
    return read_sheet(
        open_sheet(source, kind), target=target, weights=weights, drop=drop, columns=columns, drop_missing=drop_missing
    )


def read_sheet(
    sheet: Sheet,
    *,
    target: str | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    drop_missing: bool = False,
    keep_missing: bool = False,
) -> Table:
    """The same of a file whose names are known already; with `keep_missing` empty cells stay, as NaN."""
    for name in (target, weights, *drop, *(columns or ())):
        if name is not None and name not in sheet.names:
            raise ValueError(f"{sheet.where} has no column {name!r}: it has {_some(sheet.names)}.")
    apart = {name for name in (target, weights, *drop) if name is not None}
    labels = sheet.row_names if sheet.row_names not in apart and sheet.row_names not in (columns or ()) else None
    features = list(columns) if columns is not None else [n for n in sheet.names if n not in apart and n != labels]
    if not features:
        raise ValueError(f"{sheet.where} has no column left for features: it has {_some(sheet.names)}.")
    numbers = features + ([weights] if weights is not None else [])
    matrix, words = sheet.read(numbers, [name for name in (target, labels) if name is not None])
    if matrix.shape[0] == 0:
        raise ValueError(f"{sheet.where} has columns but no rows.")
    notes = list(sheet.notes)
    X, extra = (matrix[:, : len(features)], matrix[:, len(features) :]) if weights is not None else (matrix, None)
    rows = None
    if labels is not None:
        rows = [str(word) for word in words[labels]]
        if labels not in sheet.unnamed and len(set(rows)) < len(rows):
            raise ValueError(
                f"{sheet.where}: column {labels!r} holds words ({rows[0]!r}), and features are numbers: "
                f"leave it out (--drop {labels}), or turn it into numbers first."
            )
        if labels not in sheet.unnamed:
            notes.append(f"the column {labels!r} holds a different word in every row: it is read as the rows' names.")
    y = None if target is None else _target(words[target])
    table = Table(X, features, y, None if extra is None else _column(extra), rows, tuple(notes))
    return table if keep_missing else _complete(table, sheet.where, target, weights, drop_missing)


def _complete(table: Table, where: str, target: str | None, weights: str | None, drop_missing: bool) -> Table:
    """The table without missing values, or one sentence about where they are."""
    gone = _missing_rows(table.X)
    for column in (table.y, table.weights):
        if column is not None:
            gone = gone | _missing(column)
    count = int(gone.sum())
    if not count:
        return table
    if drop_missing:
        if count == len(gone):
            raise ValueError(f"{where}: every row has a missing value, so that none is left.")
        kept = np.flatnonzero(~gone)
        note = f"{count} of {len(gone)} rows have a missing value and are left out."
        return replace(
            table,
            X=table.X[kept],
            y=None if table.y is None else table.y[kept],
            weights=None if table.weights is None else table.weights[kept],
            rows=None if table.rows is None else [table.rows[row] for row in kept],
            notes=(*table.notes, note),
        )
    row = int(np.flatnonzero(gone)[0])
    name = _first_missing(table, row, target, weights)
    raise ValueError(
        f"{where}: column {name!r} has no value in row {row + 1}, and {_count(count)} so: fill them in, "
        f"or leave such rows out (--drop-missing) or the column (--drop {name})."
    )


def _first_missing(table: Table, row: int, target: str | None, weights: str | None) -> str:
    values = table.X[[row]]
    values = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)[0]
    places = np.flatnonzero(np.isnan(values))
    if len(places):
        return table.names[places[0]]
    return str(target if table.y is not None and _missing(table.y)[row] else weights)


def _missing_rows(X: Any) -> np.ndarray:
    if not hasattr(X, "indptr"):
        return np.isnan(X).any(axis=1)
    gone = np.zeros(X.shape[0], dtype=bool)
    gone[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[np.isnan(X.data)]] = True
    return gone


def _missing(column: np.ndarray) -> np.ndarray:
    return np.isnan(column) if column.dtype.kind == "f" else np.asarray(column) == ""


def _target(values: Any) -> np.ndarray:
    """Numbers where every cell is one; words otherwise."""
    column = np.asarray(values)
    if column.dtype.kind in "fiub":
        return column.astype(np.float64) if column.dtype.kind != "b" else column.astype(str)
    words = np.array([str(word).strip() for word in values], dtype=object)
    blank = np.array([word.lower() in MISSING for word in words], dtype=bool)
    try:
        numbers = np.full(len(words), np.nan)
        numbers[~blank] = words[~blank].astype(np.float64)
        return numbers
    except ValueError:
        words[blank] = ""
        return words.astype(str)


def _column(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)[:, 0]


def _some(names: Sequence[str]) -> str:
    """The first names of many."""
    shown = ", ".join(names[:12])
    return shown if len(names) <= 12 else f"{shown} and {len(names) - 12} more"


def _count(rows: int) -> str:
    return f"{rows} rows are" if rows > 1 else "this row alone is"
