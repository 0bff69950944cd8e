"""What a command leaves behind: files, written whole and never over another without --force, and results."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from atmostk.checkpoint import write_whole

STANDARD = Path("-")


class Said(NamedTuple):
    """A fact that a person reads in words and a program as a value."""

    words: str
    value: Any


def free(*places: Path | None, force: bool) -> None:
    """Raise with one sentence, before any work is done, where an output cannot be written."""
    named = [place for place in places if place is not None and place != STANDARD]
    if len(set(named)) < len(named):
        raise ValueError(f"{named[0]} is named for two outputs: give each a name of its own.")
    for place in named:
        occupied = any(place.iterdir()) if place.is_dir() else place.exists()
        if occupied and not force:
            raise FileExistsError(f"{place} exists already: choose another name, or overwrite it with --force.")
        if not place.parent.is_dir():
            raise FileNotFoundError(f"{place}: there is no folder {str(place.parent)!r}, make it first.")


def write_text(text: str, place: Path) -> None:
    """Into a file, or to standard output where the name is a dash."""
    if place == STANDARD:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if place.is_dir():
        raise IsADirectoryError(f"{place} is a folder: name a file in it.")
    write_whole(place, lambda file: file.write(text.encode()))


def tell(
    facts: Mapping[str, Any],
    tables: Mapping[str, Mapping[str, Sequence[Any]]],
    *,
    as_json: bool,
    aside: bool = False,
    most: int = 30,
) -> None:
    """Facts and tables: as lines for a person, or as one JSON object; on standard error where `aside`."""
    stream = sys.stderr if aside else sys.stdout
    if as_json:
        told = {name.replace(" ", "_"): fact.value if isinstance(fact, Said) else fact for name, fact in facts.items()}
        whole = plain({**told, **{name: _rows(table) for name, table in tables.items()}})
        print(json.dumps(whole, ensure_ascii=False, allow_nan=False), file=stream, flush=True)
        return
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        if value is not None:
            print(f"{name:<{width}}  {value.words if isinstance(value, Said) else said(value)}", file=stream)
    for table in tables.values():
        if table and len(next(iter(table.values()))):
            print(file=stream)
            _print_table(table, stream, most)
    stream.flush()


def said(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.5g}"
    if isinstance(value, int | np.integer):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, list | tuple | np.ndarray):
        return ", ".join(said(part) for part in value)
    return str(value)


def plain(value: Any) -> Any:
    """A value as JSON has it; what is not finite is null."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value


def _rows(table: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    names = [name.replace(" ", "_") for name in table]
    return [dict(zip(names, values, strict=True)) for values in zip(*table.values(), strict=True)]


def _print_table(table: Mapping[str, Sequence[Any]], stream: Any, most: int) -> None:
    """Columns side by side, numbers to the right."""
    length = len(next(iter(table.values())))
    cells = {name: [said(value) for value in values[:most]] for name, values in table.items()}
    words = {name: length > 0 and isinstance(table[name][0], str) for name in table}
    widths = {name: max(len(name), *(len(cell) for cell in column)) for name, column in cells.items()}

    def line(parts: Mapping[str, str]) -> str:
        aligned = (
            part.ljust(widths[name]) if words[name] else part.rjust(widths[name]) for name, part in parts.items()
        )
        return "  ".join(aligned).rstrip()

    print(line({name: name for name in table}), file=stream)
    for row in range(min(most, length)):
        print(line({name: column[row] for name, column in cells.items()}), file=stream)
    if length > most:
        print(f"... and {length - most:,} more", file=stream)
