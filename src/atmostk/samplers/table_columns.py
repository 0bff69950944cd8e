"""What the columns of a table must be to become a matrix, and how they become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers.stored_rows import Piece


@dataclass(frozen=True)
class Roles:
    """Which columns of a table are features, and which are target and weight."""

    features: tuple[str, ...]
    target: str | None
    weights: str | None
    dtype: np.dtype[Any]

    @property
    def used(self) -> tuple[str, ...]:
        """All columns that are read."""
        return (*self.features, *(name for name in (self.target, self.weights) if name is not None))

    def only(self, columns: np.ndarray | None) -> Roles:
        """The same with these features alone."""
        return self if columns is None else replace(self, features=tuple(self.features[column] for column in columns))

    @property
    def row_bytes(self) -> float:
        """What one row takes in memory."""
        return self.dtype.itemsize * len(self.used)


def assigned(
    schema: Any, where: Path, *, target: str | None, weights: str | None, columns: Sequence[str] | None
) -> Roles:
    """The roles of a table's columns; one sentence where a column is missing or is not numbers."""
    names = list(schema.names)
    for name, role in ((target, "target"), (weights, "weights"), *((name, "columns") for name in columns or ())):
        if name is not None and name not in names:
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise ValueError(f"{where} has no column {name!r}, which {role} names: it has {shown}.")
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ValueError(f"{where} has two columns named {twice!r}: give each a name of its own.")
    known = dict(zip(names, schema.types, strict=True))
    features = tuple(name for name in (columns or names) if name not in (target, weights))
    if not features:
        raise ValueError(f"{where} has no column left for features: {', '.join(names)} is all there is.")
    kinds = []
    roles = Roles(features, target, weights, np.dtype(np.float32))
    for name in roles.used:
        kind = known[name]
        if not _is_number(kind):
            raise TypeError(
                f"column {name!r} of {where} holds {kind}, not numbers: encode it first"
                + (", or leave it out with columns=[...]." if name not in (target, weights) else ".")
            )
        kinds.append(np.dtype(kind.to_pandas_dtype()))
    # Integers of up to 16 bits fit in float32; wider ones, like float64, need double precision.
    dtype = np.result_type(np.float32, *kinds[: len(features)])
    return replace(roles, dtype=dtype)


def same_columns(roles: Roles, first: Any, schema: Any, where: Path, first_file: Path) -> None:
    """One sentence where a file of a set has not the columns of the first."""
    here, there = (dict(zip(table.names, table.types, strict=True)) for table in (schema, first))
    for name in roles.used:
        if name not in here:
            raise ValueError(
                f"{where} has no column {name!r}, which {first_file.name} has: all files of a set need the same."
            )
        if here[name] != there[name]:
            raise ValueError(
                f"column {name!r} holds {here[name]} in {where}, but {there[name]} in {first_file.name}: "
                "all files of a set need the same."
            )


def as_piece(batch: Any, roles: Roles, where: Path) -> Piece:
    """A batch of a table as matrix, target and weights. The matrix lies column by column, as the batch does."""
    X = np.empty((len(roles.features), batch.num_rows), roles.dtype).T
    for place, name in enumerate(roles.features):
        X[:, place] = _numbers(batch, name, where)
    y, weights = (
        None if name is None else np.array(_numbers(batch, name, where), roles.dtype)
        for name in (roles.target, roles.weights)
    )
    return Piece(X, y, weights)


def _numbers(batch: Any, name: str, where: Path) -> np.ndarray:
    values = batch.column(name)
    if values.null_count:
        raise ValueError(
            f"column {name!r} of {where} holds nulls ({values.null_count} in one block of {batch.num_rows} rows): "
            "drop those rows or fill them in first."
        )
    return values.to_numpy(zero_copy_only=False)


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
