"""Finished cells on disk, a line of JSON each: a figure is drawn from them, and a kill loses none."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
PACKAGES = ("atmostk", "numpy", "scipy", "numba", "torch")


@dataclass(frozen=True)
class Kept:
    """The results of one experiment at one setting; lines of other settings in the file are left alone.

    >>> import tempfile
    >>> kept = Kept(Path(tempfile.mkdtemp()) / "cells.jsonl", {"steps": 10})
    >>> kept.add({"K": 5}, {"value": 1.5}, 0.2)
    >>> kept.missing([{"K": 5}, {"K": 6}])
    [{'K': 6}]
    >>> [cell | result for cell, result in kept]
    [{'K': 5, 'value': 1.5}]
    """

    file: Path
    settings: dict[str, Any]

    def __iter__(self) -> Iterator[tuple[Cell, dict[str, Any]]]:
        if not self.file.exists():
            return
        with open(self.file, encoding="utf-8") as lines:
            for line in lines:
                try:
                    told = json.loads(line)
                except ValueError:
                    continue  # a kill cut it short: the cell is run again
                if told["settings"] == self.settings:
                    yield told["cell"], told["result"]

    def add(self, cell: Cell, result: dict[str, Any], seconds: float) -> None:
        """Append a finished cell, with the processor's seconds that it took and the versions that made it."""
        told = {"cell": cell, "settings": self.settings, "result": result, "seconds": round(seconds, 3)}
        line = json.dumps(told | {"versions": _versions()}, allow_nan=False) + "\n"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with open(self.file, "a+b") as file:
            if file.tell() and not _ends_a_line(file):
                file.write(b"\n")
            file.write(line.encode())

    def missing(self, cells: list[Cell]) -> list[Cell]:
        """Those that are not finished yet, in their order."""
        done = {_key(cell) for cell, _ in self}
        return [cell for cell in cells if _key(cell) not in done]


def _ends_a_line(file: Any) -> bool:
    file.seek(-1, 2)
    return file.read(1) == b"\n"


def _key(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def _versions() -> dict[str, str]:
    told = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            told[package] = version(package)
        except PackageNotFoundError:
            continue
    return told
