"""svmlight files, translated once into sparse rows that can be read from any place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers import CsrWriter
from atmostk.samplers.files import files_of, told
from atmostk.samplers.memory import Memory

TEXT_SHARE = 12  # parsing needs about this many times the bytes of the text


def svmlight_rows(path: str | Path, memory: Memory) -> Path:
    """The folder `<path>.rows` beside the file, made anew when the file is newer than it.

    Features are numbered from 1, as svmlight has them; a file with a feature 0 is numbered from 0.
    """
    (file,) = files_of(path, ())
    folder = file.with_name(file.name + ".rows")
    done = folder / "about.json"
    if done.exists() and done.stat().st_mtime_ns >= file.stat().st_mtime_ns:
        return folder
    # Written elsewhere and moved: who comes later finds a whole folder or none.
    beside = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        _translate(file, beside, max(1 << 16, memory.block // TEXT_SHARE))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def _translate(file: Path, folder: Path, step: int) -> None:
    lowest, highest = _span(file, step)
    if highest < 0:
        raise ValueError(f"{file} holds no features: there is nothing to learn from.")
    first = min(1, lowest)
    with CsrWriter(folder, highest + 1 - first) as writer:
        for X, y in _parts(file, step):
            X = X[:, first:] if first else X
            X.resize((X.shape[0], writer.columns))
            writer.write(X.astype(np.float32), y)


def _span(file: Path, step: int) -> tuple[int, int]:
    """The lowest and the highest number of a feature."""
    lowest, highest = 1, -1
    for X, _ in _parts(file, step):
        if X.nnz:
            lowest, highest = min(lowest, int(X.indices.min())), max(highest, int(X.indices.max()))
    return lowest, highest


def _parts(file: Path, step: int) -> Any:
    from sklearn.datasets import load_svmlight_file

    size = file.stat().st_size
    for offset in range(0, size, step):
        try:
            # Lines that begin in this part; as many columns as a 32-bit number counts, to be cut later.
            X, y = load_svmlight_file(
                str(file),
                offset=offset,
                length=step,
                n_features=2**31 - 1,
                zero_based=True,  # pyright: ignore[reportArgumentType]
            )
        except ValueError as error:
            raise ValueError(f"{file} is not a readable svmlight file ({told(error)}).") from None
        yield X, y
