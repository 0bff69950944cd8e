"""Arrow files (Feather version 2, IPC): read by their record batches and by columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers.files import files_of, pyarrow_for, told
from atmostk.samplers.memory import readable
from atmostk.samplers.stored_rows import Piece
from atmostk.samplers.table_columns import Roles, as_piece, assigned, same_columns


class ArrowStore:
    """The record batches of an Arrow file, or of all in a folder.

    >>> import pyarrow, pyarrow.feather, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rows.feather"
    >>> pyarrow.feather.write_feather(pyarrow.table({"a": [1.0, 2.0], "y": [0.0, 1.0]}), file)
    >>> ArrowStore(file, target="y").groups
    (2,)
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
        pyarrow_for("Arrow")
        self.files = files_of(path, (".arrow", ".feather", ".ipc"))
        places, groups = [], []
        first, _ = _contents(self.files[0])
        self.roles: Roles = assigned(first, self.files[0], target=target, weights=weights, columns=columns)
        for at, file in enumerate(self.files):
            schema, rows = _contents(file)
            same_columns(self.roles, first, schema, file, self.files[0])
            places += [(at, batch) for batch, count in enumerate(rows) if count]
            groups += [count for count in rows if count]
        self.places, self.groups = tuple(places), tuple(groups)
        if not self.groups:
            raise ValueError(f"{path} holds no rows: there is nothing to learn from.")
        self.names, self.row_bytes = self.roles.features, self.roles.row_bytes
        self.dtype, self.supervised = self.roles.dtype, self.roles.target is not None

    def read(self, groups: Sequence[int], columns: np.ndarray | None, rows: int, /) -> Iterator[Piece]:
        """The rows of these groups in order."""
        import pyarrow

        roles = self.roles.only(columns)
        names = list(roles.used)
        for at, places in groupby((self.places[group] for group in groups), key=lambda place: place[0]):
            file = self.files[at]
            try:
                # Not a memory map: its pages would count as this process's memory for as long as it is open.
                with pyarrow.OSFile(str(file)) as opened:
                    reader = _reader(opened, names)
                    for _, group in places:
                        batch = reader.get_batch(group)
                        for first in range(0, batch.num_rows, rows):
                            yield as_piece(batch.slice(first, rows), roles, file)
                        del batch
            except (pyarrow.ArrowException, OSError) as error:
                raise ValueError(f"{file} is damaged or cut short ({told(error)}): write it anew.") from None

    def check_memory(self, allowed: int) -> None:
        """Raise with one sentence where reading alone would take more than is allowed."""
        if (needed := max(self.groups) * self.row_bytes) > allowed:
            raise MemoryError(
                f"a record batch of {self.files[0]} has {max(self.groups)} rows, about {readable(needed)}, more than "
                f"max_memory leaves ({readable(allowed)}): raise it, name fewer columns, or write smaller batches."
            )


def _reader(opened: Any, names: Sequence[str] | None) -> Any:
    from pyarrow import ipc

    if names is None:
        return ipc.open_file(opened)
    schema = ipc.open_file(opened).schema
    wanted = sorted(schema.get_field_index(name) for name in names)
    return ipc.open_file(opened, options=ipc.IpcReadOptions(included_fields=wanted, use_threads=False))


def _contents(file: Path) -> tuple[Any, list[int]]:
    """The schema, and how many rows each batch has: told by its first column, so that the others are not read."""
    import pyarrow

    try:
        with pyarrow.memory_map(str(file)) as opened:
            schema = _reader(opened, None).schema
            reader = _reader(opened, schema.names[:1])
            return schema, [reader.get_batch(batch).num_rows for batch in range(reader.num_record_batches)]
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file} is not a readable Arrow file, or was cut short ({told(error)}).") from None
