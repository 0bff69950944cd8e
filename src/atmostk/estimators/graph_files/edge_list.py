"""One row for each edge: CSV, TSV and Parquet, which every table reads."""

from __future__ import annotations

import csv
import io
from typing import Any, BinaryIO

import numpy as np

from atmostk.estimators.edge_table import EdgeTable
from atmostk.estimators.graph_files.lines import rows

AT_ONCE = 65_536


def write_csv(table: EdgeTable, file: BinaryIO) -> None:
    """With commas; names that hold one are in quotes."""
    _separated(table, file, ",")


def write_tsv(table: EdgeTable, file: BinaryIO) -> None:
    """With tabs."""
    _separated(table, file, "\t")


def write_parquet(table: EdgeTable, file: BinaryIO) -> None:
    """Columns with their types; names as a dictionary, so that each is stored once."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError("a .parquet file needs pyarrow: pip install 'atmostk[parquet]'.") from None
    names = pyarrow.array([str(name) for name in table.names], pyarrow.string())
    columns: dict[str, Any] = dict(table.columns())
    for name, places in (("first", table.i), ("second", table.j)):
        columns[name] = pyarrow.DictionaryArray.from_arrays(np.asarray(places, np.int32), names).cast(pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table(columns), file)


def _separated(table: EdgeTable, file: BinaryIO, delimiter: str) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(("i", "j", "first", "second", "weight", "partial_correlation"))
    names = table.names
    writer.writerows((i, j, names[i], names[j], weight, partial) for i, j, weight, partial in rows(table))
    text.detach()
