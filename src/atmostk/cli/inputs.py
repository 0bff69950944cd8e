"""What a command reads: a file that was named, or standard input where the name is a dash."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atmostk.cli.shell import note

if TYPE_CHECKING:
    from atmostk.cli.model_file import LinearModel
    from atmostk.datasets.sheets import Sheet
    from atmostk.datasets.table import Table

STANDARD = Path("-")


def source(place: Path) -> Any:
    """Where the bytes come from."""
    if place != STANDARD:
        return place
    if sys.stdin.isatty():
        raise ValueError("standard input is a terminal: send data through a pipe, or name a file.")
    return io.BytesIO(sys.stdin.buffer.read())


def sheet(place: Path, kind: str | None) -> Sheet:
    """The opened table of a file or of standard input."""
    from atmostk.datasets.sheets import open_sheet

    return open_sheet(source(place), kind)


def table(opened: Sheet, **roles: Any) -> Table:
    """Its rows, with what a person should know about them as notes."""
    from atmostk.datasets.table import read_sheet

    read = read_sheet(opened, **roles)
    for text in read.notes:
        note(text)
    return read


def model(place: Path) -> LinearModel:
    """The model in a file."""
    from atmostk.cli.model_file import read_model

    where = "standard input" if place == STANDARD else str(place)
    found = source(place)
    if isinstance(found, Path) and not found.is_file():
        raise FileNotFoundError(f"{place}: there is no such file.")
    content = found.read_bytes() if isinstance(found, Path) else found.read()
    try:
        return read_model(content.decode("utf-8"), where)
    except UnicodeDecodeError:
        raise ValueError(f"{where} is no model of atmostk: it is no text.") from None
