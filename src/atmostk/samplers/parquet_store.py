"""Parquet: one file or a folder of them, read by row groups and by columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers.files import files_of, pyarrow_for, told
from atmostk.samplers.memory import readable
from atmostk.samplers.stored_rows import Piece
from atmostk.samplers.table_columns import Roles, as_piece, assigned, same_columns


class ParquetStore:
    """The row groups of a Parquet file, or of all in a folder; opening reads their footers and nothing else.

    All columns that are neither target nor weights are features, unless `columns` names them.

    >>> import pyarrow, pyarrow.parquet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rows.parquet"
    >>> pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0], "b": [3.0, 4.0], "y": [0.0, 1.0]}), file)
    >>> store = ParquetStore(file, target="y")
    >>> store.names, store.groups
    (('a', 'b'), (2,))
    """

    by_column = True

    def __init__(
        self,
        path: str | Path,
        *,
        target: str | None = None,
        weights: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        pyarrow_for("Parquet")
        self.files = files_of(path, (".parquet", ".pq"))
        footers = [_footer(file) for file in self.files]
        schemas = [footer.schema.to_arrow_schema() for footer in footers]
        self.roles: Roles = assigned(schemas[0], self.files[0], target=target, weights=weights, columns=columns)
        for file, footer, schema in zip(self.files, footers, schemas, strict=True):
            same_columns(self.roles, schemas[0], schema, file, self.files[0])
            _check_nulls(self.roles, footer, schema, file)
        # (file, row group in it) of every group that has rows.
        places = [(at, group) for at, footer in enumerate(footers) for group in range(footer.num_row_groups)]
        rows = [footers[at].row_group(group).num_rows for at, group in places]
        self.places = tuple(place for place, count in zip(places, rows, strict=True) if count)
        self.groups = tuple(count for count in rows if count)
        if not self.groups:
            raise ValueError(f"{path} holds no rows: there is nothing to learn from.")
        self.names, self.row_bytes = self.roles.features, self.roles.row_bytes
        self.dtype, self.supervised = self.roles.dtype, self.roles.target is not None

    @cached_property
    def decoding_bytes(self) -> int:
        """What a reader holds besides the rows: of each column a page, and its dictionary, one MB each at most."""
        widest = max(self.groups) * self.roles.dtype.itemsize
        return len(self.roles.features) * 2 * min(widest, 1 << 20)

    def read(self, groups: Sequence[int], columns: np.ndarray | None, rows: int, /) -> Iterator[Piece]:
        """The rows of these groups in order."""
        import pyarrow
        from pyarrow import parquet

        roles = self.roles.only(columns)
        names = list(roles.used)
        buffer = int(np.clip(rows * self.roles.row_bytes / 8 / len(names), 1 << 14, 1 << 20))
        for at, places in groupby((self.places[group] for group in groups), key=lambda place: place[0]):
            file = self.files[at]
            try:
                with parquet.ParquetFile(file, buffer_size=buffer, pre_buffer=False) as opened:
                    wanted = [group for _, group in places]
                    for batch in opened.iter_batches(rows, row_groups=wanted, columns=names, use_threads=False):
                        yield as_piece(batch, roles, file)
                # What the decoder is done with would count as this process's memory until it reads again.
                pyarrow.default_memory_pool().release_unused()
            except (pyarrow.ArrowException, OSError) as error:
                raise ValueError(f"{file} is damaged or cut short ({told(error)}): write it anew.") from None

    def check_memory(self, allowed: int) -> None:
        """Raise with one sentence where reading alone would take more than is allowed."""
        if self.decoding_bytes > allowed:
            raise MemoryError(
                f"reading {self.files[0]} by row groups of {max(self.groups)} rows and {len(self.names)} columns takes "
                f"about {readable(self.decoding_bytes)}, more than max_memory leaves ({readable(allowed)}): raise it, "
                "name fewer columns, or write the file with smaller row groups."
            )


def _footer(file: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.read_metadata(file)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file} is not a readable Parquet file, or was cut short ({told(error)}).") from None


def _check_nulls(roles: Roles, footer: Any, schema: Any, file: Path) -> None:
    """Nulls are often counted in the footer: then they are known before a row is read."""
    used = set(roles.used)
    for group in range(footer.num_row_groups):
        about = footer.row_group(group)
        for column in range(about.num_columns):
            name, counted = about.column(column).path_in_schema, about.column(column).statistics
            if name in used and counted is not None and counted.has_null_count and counted.null_count:
                raise ValueError(
                    f"column {name!r} of {file} holds nulls ({counted.null_count} of {about.num_rows} rows in row "
                    f"group {group}): drop those rows or fill them in first."
                )
