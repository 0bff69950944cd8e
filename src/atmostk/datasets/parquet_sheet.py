"""A Parquet file as a table with a target."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from atmostk.samplers.files import pyarrow_for, told


class ParquetSheet:
    """Its names are in the footer; only the columns that are asked for are read."""

    notes: tuple[str, ...] = ()

    def __init__(self, content: io.BufferedReader, where: str) -> None:
        pyarrow_for("Parquet")
        import pyarrow
        from pyarrow import parquet

        self.where = where
        try:
            self._file = parquet.ParquetFile(content)
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"{where} is not a readable Parquet file, or was cut short ({told(error)}).") from None
        schema = self._file.schema_arrow
        self.names = list(schema.names)
        # What pandas writes as the index of a frame.
        self.unnamed = frozenset(name for name in self.names if name.startswith("__index_level_"))
        first = self.names[0] if self.names else None
        words = first is not None and pyarrow.types.is_string(schema.types[0])
        self.row_names = next(iter(self.unnamed), first if words else None)

    def read(self, numbers: Sequence[str], words: Sequence[str], /) -> tuple[Any, dict[str, Any]]:
        """A matrix of the columns that are numbers, NaN where a cell is null, and the others as they are."""
        import pyarrow

        try:
            table = self._file.read(columns=[*numbers, *words])
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"{self.where} is damaged or cut short ({told(error)}): write it anew.") from None
        kinds = {table.schema.field(name).type for name in numbers}
        small = kinds and all(kind in (pyarrow.float32(), pyarrow.int16(), pyarrow.int8()) for kind in kinds)
        matrix = np.empty((table.num_rows, len(numbers)), np.float32 if small else np.float64, order="F")
        for place, name in enumerate(numbers):
            matrix[:, place] = self._numbers(table.column(name), name)
        return matrix, {name: _words(table.column(name)) for name in words}

    def _numbers(self, column: Any, name: str) -> np.ndarray:
        import pyarrow

        kind = column.type
        if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_boolean(kind)):
            raise ValueError(
                f"{self.where}: column {name!r} holds {kind}, not numbers: turn it into numbers, or leave it out "
                f"(--drop {name})."
            )
        return column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)


def _words(column: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type):
        return column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False)
    return ["" if value is None else str(value) for value in column.to_pylist()]
