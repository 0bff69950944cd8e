"""Many lines of text into a file, some thousands at a time, so that a million edges need no memory of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

from atmostk.estimators.edge_table import EdgeTable

AT_ONCE = 50_000
# What no XML document may hold, even escaped.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def put(file: BinaryIO, lines: Iterable[str]) -> None:
    """Write the lines as UTF-8."""
    lines = iter(lines)
    while part := list(islice(lines, AT_ONCE)):
        file.write("".join(line + "\n" for line in part).encode("utf-8", "replace"))


def quoted(name: Any) -> str:
    """A name as an attribute of XML, in its quotes; a character that XML cannot hold becomes a replacement mark."""
    return quoteattr(FORBIDDEN.sub("\ufffd", str(name)))


def rows(table: EdgeTable) -> Iterator[tuple[int, int, float, float]]:
    """The edges as plain numbers, the fastest way that Python has."""
    for begin in range(0, len(table), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        yield from zip(
            table.i[part].tolist(),
            table.j[part].tolist(),
            table.weight[part].tolist(),
            table.partial_correlation[part].tolist(),
            strict=True,
        )
