"""Data larger than memory with a known answer: written block by block, the room on the disk looked at first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers import CsrWriter
from atmostk.samplers.memory import readable

BLOCK = 1 << 20  # rows that are made at a time, and a row group of Parquet's


def room_for(folder: Path, size: float) -> None:
    """Raise where the disk has not half as much again as is needed."""
    free = shutil.disk_usage(folder).free
    if free < 1.5 * size:
        raise SystemExit(
            f"{folder} has {readable(free)} free, but this data takes {readable(size)}: name another folder."
        )


def truth(columns: int, chosen: int, seed: int, *, among: int | None = None, size: float = 0.5) -> np.ndarray:
    """Coefficients of which `chosen` are not zero, of both signs, between `size` / 2 and `size`."""
    rng = np.random.default_rng([seed, 1])
    places = rng.choice(among or columns, chosen, replace=False)
    values = rng.uniform(size / 2, size, chosen) * rng.choice((-1.0, 1.0), chosen)
    coefficients = np.zeros(columns)
    coefficients[places] = values
    return coefficients


def dense_blocks(rows: int, columns: int, coefficients: np.ndarray, seed: int, intercept: float = -0.5) -> Any:
    """Blocks of (X, y): each column shares half its variance with its neighbour; y is 0 or 1, by the logistic law."""
    for number, first in enumerate(range(0, rows, BLOCK)):
        rng = np.random.default_rng([seed, 2, number])
        count = min(BLOCK, rows - first)
        X = rng.standard_normal((count, columns), np.float32)
        X[:, 1:] = np.float32(0.5**0.5) * (X[:, 1:] + X[:, :-1])
        z = X @ coefficients.astype(np.float32) + np.float32(intercept)
        yield X, (rng.random(count, np.float32) < 1 / (1 + np.exp(-z))).astype(np.float32)


def write_parquet(folder: Path, rows: int, columns: int, coefficients: np.ndarray, seed: int) -> Path:
    """Files of a Parquet set as pyarrow writes them by default."""
    import pyarrow
    from pyarrow import parquet

    room_for(folder.parent, rows * (columns + 1) * 4)
    folder.mkdir(parents=True)
    for number, (X, y) in enumerate(dense_blocks(rows, columns, coefficients, seed)):
        named = {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(columns)}
        parquet.write_table(pyarrow.table({**named, "y": y}), folder / f"part-{number:04d}.parquet")
    _told(folder, coefficients)
    return folder


def write_maps(folder: Path, rows: int, columns: int, coefficients: np.ndarray, seed: int) -> Path:
    """The same rows as two `.npy` files."""
    room_for(folder.parent, rows * (columns + 1) * 4)
    folder.mkdir(parents=True)
    X = np.lib.format.open_memmap(folder / "X.npy", mode="w+", dtype=np.float32, shape=(rows, columns))
    y = np.lib.format.open_memmap(folder / "y.npy", mode="w+", dtype=np.float32, shape=(rows,))
    first = 0
    for some, labels in dense_blocks(rows, columns, coefficients, seed):
        X[first : first + len(some)], y[first : first + len(some)] = some, labels
        first += len(some)
    X.flush()
    y.flush()
    _told(folder, coefficients)
    return folder


def write_sparse(folder: Path, rows: int, columns: int, each: int, coefficients: np.ndarray, seed: int) -> Path:
    """Rows as of advertisements: `each` categories of a row, one of each field; within its field the v-th value comes
    as often as 1 / v, so that a few values are everywhere and most of them rare.
    """
    from scipy.sparse import csr_array

    room_for(folder.parent, rows * each * 8)
    width = columns // each
    law = np.cumsum(1 / np.arange(1, width + 1))
    law = (law / law[-1]).astype(np.float64)
    with CsrWriter(folder, columns=columns) as writer:
        for number, first in enumerate(range(0, rows, BLOCK // 2)):
            rng = np.random.default_rng([seed, 3, number])
            count = min(BLOCK // 2, rows - first)
            values = np.searchsorted(law, rng.random((count, each))).astype(np.int32)
            indices = values + width * np.arange(each, dtype=np.int32)
            X = csr_array(
                (
                    np.ones(count * each, np.float32),
                    indices.ravel(),
                    np.arange(0, count * each + 1, each, dtype=np.int32),
                ),
                shape=(count, columns),
            )
            z = X @ coefficients - 1.0
            writer.write(X, (rng.random(count) < 1 / (1 + np.exp(-z))).astype(np.float32))
    _told(folder, coefficients)
    return folder


def sparse_truth(columns: int = 999_990, each: int = 30, chosen: int = 200, most: int = 200) -> np.ndarray:
    """Coefficients between .5 and 1 of columns among the 200 most frequent of each field: down to one row in 2,200."""
    rng = np.random.default_rng(11)
    width = columns // each
    among = (np.arange(min(most, width)) + width * np.arange(each)[:, None]).ravel()
    coefficients = np.zeros(columns)
    coefficients[rng.choice(among, chosen, replace=False)] = rng.uniform(0.5, 1.0, chosen) * rng.choice(
        (-1.0, 1.0), chosen
    )
    return coefficients


def _told(folder: Path, coefficients: np.ndarray) -> None:
    places = np.flatnonzero(coefficients)
    about = {"places": places.tolist(), "values": coefficients[places].tolist()}
    (folder / "_truth.json").write_text(json.dumps(about))


def recovery(folder: Path, support: np.ndarray) -> float:
    """The share of the true columns that were found."""
    places = json.loads((folder / "_truth.json").read_text())["places"]
    return float(np.isin(places, support).mean())
