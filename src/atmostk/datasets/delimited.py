"""CSV and TSV: text with a line of names, read in pieces into numbers; a bad cell is named with its row and column."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from atmostk.datasets.sheets import MISSING

ROWS = 2_000  # rows of a piece: its text is forgotten before the next is read
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


class Delimited:
    """Lines of cells between commas, semicolons or tabs, the first of them the names.

    Where the first line is nothing but numbers there are no names: the columns are called x0, x1, ...

    >>> Delimited(io.BufferedReader(io.BytesIO(b"a;b\\n1;2\\n")), "a file").read(["b"], [])
    (array([[2.]]), {})
    """

    def __init__(self, content: io.BufferedReader, where: str, delimiter: str | None = None) -> None:
        self.where = where
        text = io.TextIOWrapper(content, encoding="utf-8-sig", newline="")
        try:
            first = text.readline()
            while first and not first.strip():
                first = text.readline()
        except UnicodeDecodeError:
            raise ValueError(f"{where} is no text in UTF-8: is it a CSV file?") from None
        if not first:
            raise ValueError(f"{where} is empty.")
        delimiter = delimiter or max(",;\t", key=first.count)
        # A quoted name may go on over the end of a line, so the reader gets the first line back.
        self._cells = csv.reader(itertools.chain([first], text), delimiter=delimiter)
        header = [name.strip() for name in next(self._cells)]
        self._first: list[list[str]] = []
        notes = []
        if header and all(_is_number(cell) for cell in header):
            self._first = [header]
            header = [f"x{place}" for place in range(len(header))]
            notes.append(f"the first line of {where} holds numbers: its columns are named x0 to x{len(header) - 1}.")
        self.names, self.unnamed = _distinct(header)
        if len(set(header)) < len(header) and Counter(header).most_common(1)[0][0]:
            twice = Counter(header).most_common(1)[0][0]
            notes.append(f"{where} has more than one column {twice!r}: later ones are called '{twice} (2)' and so on.")
        self.notes = tuple(notes)
        second = next(self._rows(), None)
        self._first += [] if second is None or self._first else [second]
        words = second is not None and not _is_number(second[0]) and second[0].strip().lower() not in MISSING
        self.row_names = self.names[0] if self.names[0] in self.unnamed or words else None

    def read(self, numbers: Sequence[str], words: Sequence[str], /) -> tuple[Any, dict[str, Any]]:
        """A matrix of the columns that are numbers, NaN where a cell is empty, and the others as text."""
        places = [self.names.index(name) for name in numbers]
        others = {name: self.names.index(name) for name in words}
        told: dict[str, list[str]] = {name: [] for name in words}
        pieces = []
        rows, done = self._rows(), 0
        while piece := list(itertools.islice(rows, ROWS)):
            pieces.append(self._numbers(piece, places, done))
            for name, place in others.items():
                told[name] += [row[place].strip() for row in piece]
            done += len(piece)
        return (np.concatenate(pieces) if pieces else np.empty((0, len(places)))), told

    def _rows(self) -> Iterator[list[str]]:
        """The rows that are not empty, each of the right length."""
        count = len(self._first)
        waiting, self._first = self._first, []
        yield from waiting
        try:
            for row in self._cells:
                if not row or (len(row) == 1 and not row[0].strip() and len(self.names) > 1):
                    continue
                count += 1
                if len(row) != len(self.names):
                    raise ValueError(
                        f"{self.where}: line {self._cells.line_num} has {len(row)} cells, but the first line has "
                        f"{len(self.names)}: is the file cut short, or a cell with a comma not in quotes?"
                    )
                yield row
        except UnicodeDecodeError:
            raise ValueError(f"{self.where} is no text in UTF-8 from row {count + 1} on.") from None
        except csv.Error as error:
            raise ValueError(f"{self.where} is not readable as CSV in row {count + 1} ({error}).") from None

    def _numbers(self, piece: list[list[str]], places: list[int], done: int) -> np.ndarray:
        cells = np.array([[row[place] for place in places] for row in piece], dtype=object)
        cells = cells.reshape(len(piece), len(places))
        try:
            return cells.astype(np.float64)
        except ValueError:
            pass
        for (row, column), cell in np.ndenumerate(cells):
            if cell.strip().lower() in MISSING:
                cells[row, column] = np.nan
            elif not _is_number(cell):
                raise ValueError(self._complaint(self.names[places[column]], cell, done + row + 1))
        return cells.astype(np.float64)

    def _complaint(self, name: str, cell: str, row: int) -> str:
        told = f"{self.where}: column {name!r} holds {cell.strip()!r} in row {row}, which is no number"
        if DECIMAL_COMMA.fullmatch(cell):
            return f"{told}: write it with a decimal point."
        return f"{told}: turn the column into numbers, or leave it out (--drop {name})."


def _distinct(header: list[str]) -> tuple[list[str], frozenset[str]]:
    """A name for every column, no two the same, and those that the file did not give."""
    names: list[str] = []
    unnamed = set()
    seen: Counter[str] = Counter()
    for place, name in enumerate(header):
        if not name:
            name = f"column {place + 1}"
            unnamed.add(name)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names, frozenset(unnamed)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.strip().lower() not in MISSING
