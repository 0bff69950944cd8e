"""The kinds of file that hold a table, each as its columns' names and a way to read some of them."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol


class Sheet(Protocol):
    """An opened table: its names are known, its cells are read when they are asked for."""

    where: str
    names: list[str]
    row_names: str | None  # the column that names the rows
    unnamed: frozenset[str]  # columns without a name of their own
    notes: tuple[str, ...]

    def read(self, numbers: Sequence[str], words: Sequence[str], /) -> tuple[Any, dict[str, Any]]:
        """A matrix of the columns that are numbers (NaN where a cell is empty), and the others as they are."""
        ...


# How a cell says that there is nothing in it, in small letters.
MISSING = frozenset(("", "na", "nan", "n/a", "null", "none", "?", "."))
ENDINGS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
}
KINDS = ("csv", "tsv", "parquet", "npz", "svmlight")


def open_sheet(source: str | Path | BinaryIO, kind: str | None = None) -> Sheet:
    """The table in a file or a binary stream; its kind is told by the ending, or by how it begins.

    >>> open_sheet(io.BytesIO(b"a,b\\n1,2\\n")).names
    ['a', 'b']
    """
    if kind is not None and kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of table: it must be one of {', '.join(KINDS)}.")
    where, content, ending = _opened(source)
    begins = content.peek(4)[:4]
    if not begins:
        raise ValueError(f"{where} is empty.")
    kind = kind or _kind(begins, ending, where)
    return _readers()[kind](content, where)


def _opened(source: str | Path | BinaryIO) -> tuple[str, Any, str]:
    """What to call it, its bytes (unpacked, where they were packed), and the ending of its name."""
    if isinstance(source, str | Path):
        file = Path(source)
        if file.is_dir():
            raise IsADirectoryError(f"{file} is a folder: name a file in it.")
        if not file.exists():
            raise FileNotFoundError(f"{file}: there is no such file.")
        where, raw = str(file), open(file, "rb")  # noqa: SIM115  (the reader of the table closes it)
        endings = [part.lower() for part in file.suffixes]
    else:
        name = getattr(source, "name", None)
        where = name if isinstance(name, str) and not name.startswith("<") else "standard input"
        raw, endings = io.BufferedReader(io.BytesIO(source.read())), []
    ending = next((part for part in reversed(endings) if part != ".gz"), "")
    if raw.peek(2)[:2] != b"\x1f\x8b":
        return where, raw, ending
    try:
        return where, io.BufferedReader(io.BytesIO(gzip.decompress(raw.read()))), ending
    except (OSError, EOFError) as error:
        raise ValueError(f"{where} cannot be unpacked ({error}): it is cut short or damaged.") from None


def _kind(begins: bytes, ending: str, where: str) -> str:
    if begins == b"PAR1":
        return "parquet"
    if begins[:2] == b"PK":
        return "npz"
    if ending in ENDINGS:
        return ENDINGS[ending]
    if ending and not begins.isascii():
        raise ValueError(f"{where} is no table that is known: give a file in one of {', '.join(sorted(ENDINGS))}.")
    return "csv"


def _readers() -> dict[str, Callable[[Any, str], Any]]:
    from atmostk.datasets.delimited import Delimited
    from atmostk.datasets.matrix_sheets import archive, svmlight
    from atmostk.datasets.parquet_sheet import ParquetSheet

    return {
        "csv": Delimited,
        "tsv": lambda content, where: Delimited(content, where, "\t"),
        "parquet": ParquetSheet,
        "npz": archive,
        "svmlight": svmlight,
    }
