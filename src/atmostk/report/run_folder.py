"""A saved run on disk: a folder with `run.json` for words and `arrays.npz` for numbers, and never a pickle."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.checkpoint import write_whole
from atmostk.report.saved_run import SavedRun, Table, is_words

FORMAT = "atmostk saved run 1"
WORDS, NUMBERS = "run.json", "arrays.npz"
FACTS = ("asked", "quality", "made")


def save_run(run: SavedRun, folder: str | Path) -> Path:
    """Write the run into a folder, which is made where it is missing; each file is written whole or not at all.

    >>> import tempfile
    >>> run = SavedRun("features", "Diabetes", "2 of 10", tables={"path": {"K": np.arange(3), "loss": np.ones(3)}})
    >>> folder = save_run(run, tempfile.mkdtemp())
    >>> sorted(path.name for path in folder.iterdir())
    ['arrays.npz', 'run.json']
    >>> path = load_run(folder).tables["path"]
    >>> path["K"]
    array([0, 1, 2])
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {f"image.{name}": np.asarray(image) for name, image in run.images.items()}
    told: dict[str, Any] = {"format": FORMAT, "kind": run.kind, "title": run.title, "headline": run.headline}
    for name in FACTS:
        told[name] = {str(key): _plain(value) for key, value in getattr(run, name).items()}
    told["tables"] = {name: _told(name, table, numbers) for name, table in run.tables.items()}
    told["images"] = list(run.images)
    text = json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False).encode()
    # The numbers first: a folder with run.json is complete.
    write_whole(folder / NUMBERS, lambda file: np.savez_compressed(file, **numbers))  # pyright: ignore
    write_whole(folder / WORDS, lambda file: file.write(text))
    return folder


def load_run(folder: str | Path) -> SavedRun:
    """The run that `save_run` wrote.

    >>> import tempfile
    >>> folder = save_run(SavedRun("features", "Diabetes", "2 of 10"), tempfile.mkdtemp())
    >>> load_run(folder).headline
    '2 of 10'
    """
    folder = Path(folder)
    if not (folder / WORDS).is_file():
        raise FileNotFoundError(f"{folder} holds no saved run: it has no {WORDS}.")
    try:
        told = json.loads((folder / WORDS).read_text(encoding="utf-8"))
        known = told["format"]
        if known == FORMAT:
            with np.load(folder / NUMBERS, allow_pickle=False) as file:
                numbers = {name: file[name] for name in file.files}
            return SavedRun(
                told["kind"],
                told["title"],
                told["headline"],
                **{name: dict(told[name]) for name in FACTS},
                tables={name: _table(name, columns, numbers) for name, columns in told["tables"].items()},
                images={name: numbers[f"image.{name}"] for name in told["images"]},
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{folder} holds no saved run of atmostk, or a damaged one ({error}).") from None
    raise ValueError(f"{folder} was written by another version of atmostk ({known}): this one reads {FORMAT!r}.")


def _told(name: str, table: Table, numbers: dict[str, np.ndarray]) -> dict[str, list[str] | None]:
    """The table's columns in order: words themselves, None for numbers, which go to the arrays."""
    told: dict[str, list[str] | None] = {}
    for column, values in table.items():
        if is_words(values):
            told[column] = [str(value) for value in values]
            continue
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"the column {column!r} of {name!r} holds {array.dtype}: it must be numbers, or words.")
        numbers[f"table.{name}.{column}"] = array
        told[column] = None
    return told


def _table(name: str, columns: Mapping[str, list[str] | None], numbers: Mapping[str, np.ndarray]) -> Table:
    return {
        column: numbers[f"table.{name}.{column}"] if words is None else [str(word) for word in words]
        for column, words in columns.items()
    }


def _plain(value: Any) -> Any:
    """A fact as JSON has it: what is not finite is told in words."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
