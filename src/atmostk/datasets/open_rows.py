"""One way in for rows that are on disk, whatever the kind of file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atmostk.datasets.svmlight import svmlight_rows
from atmostk.samplers import ArrowStore, CsrStore, MappedRows, ParquetStore, StoredRows
from atmostk.samplers.files import files_of
from atmostk.samplers.memory import Memory

TABLES = {
    ".parquet": ParquetStore,
    ".pq": ParquetStore,
    ".arrow": ArrowStore,
    ".feather": ArrowStore,
    ".ipc": ArrowStore,
}
SVMLIGHT = (".svm", ".svmlight", ".libsvm")


def open_rows(
    path: str | Path,
    *,
    target: str | None = None,
    weights: str | None = None,
    columns: Sequence[str] | None = None,
    max_memory: int | str = "1GB",
) -> Any:
    """The rows of a file or folder, to be read as they are needed: nothing but its description is read now.

    | path | `target` and `weights` |
    |---|---|
    | a Parquet or Arrow (Feather) file, or a folder of them | names of columns; all others are features, or `columns` |
    | a `.npy` file whose rows are in random order | names of other `.npy` files beside it |
    | a folder made by `samplers.store_csr` | in the folder |
    | a `.svm` (svmlight) file | in the file; it is translated once, into a folder beside it |

    No fit on these rows lets the process take more than `max_memory`; what cannot be done within it is refused.

    >>> import numpy as np, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "X.npy", np.ones((10, 2)))
    >>> np.save(folder / "y.npy", np.ones(10))
    >>> open_rows(folder / "X.npy", target="y.npy")
    MappedRows(10 x 2, with a target)
    """
    path, memory = Path(path), Memory.of(max_memory)
    kind = _ending(path)
    if kind in TABLES:
        store: Any = TABLES[kind](path, target=target, weights=weights, columns=columns)
        store.check_memory(memory.reader)
        memory = memory.beside(getattr(store, "decoding_bytes", 0))
        return StoredRows(store, block_bytes=memory.block, sample_bytes=memory.sample)
    if columns is not None:
        raise ValueError(f"columns={columns!r}: only the columns of a Parquet or Arrow file have names.")
    if kind == ".npy":
        beside = [None if name is None else path.parent / name for name in (target, weights)]
        return MappedRows(path, *beside, block_bytes=memory.block, sample_bytes=memory.sample)
    store = CsrStore(svmlight_rows(path, memory) if kind in SVMLIGHT else path)
    for name, word in ((target, "y"), (weights, "weights")):
        if name not in (None, word) or (name is not None and word not in store.arrays):
            raise ValueError(
                f"{path} has no {name!r}: sparse rows hold their target as 'y' and their weights as 'weights'."
            )
    store.check_memory(memory.reader)
    return StoredRows(store, block_bytes=memory.block, sample_bytes=memory.sample)


def _ending(path: Path) -> str:
    """What kind of file it is: by its ending, or that of the first file in the folder that has a known one."""
    if path.suffix in (*TABLES, *SVMLIGHT, ".npy"):
        return path.suffix
    if path.is_dir():
        inside = files_of(path, (*TABLES, "about.json"))
        return "" if path / "about.json" in inside else inside[0].suffix
    files_of(path, ())
    known = ", ".join((*TABLES, ".npy", *SVMLIGHT))
    raise ValueError(
        f"{path} ends in {path.suffix!r}, which is not known: it must be one of {known}, or a folder of them."
    )
