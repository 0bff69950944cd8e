"""One-dimensional `.npy` files that are read and written in parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.samplers.files import told


@dataclass(frozen=True)
class NpyColumn:
    """A `.npy` file of numbers; its parts are read into memory of their own, which a memory map would not bound."""

    path: Path
    dtype: np.dtype[Any]
    length: int
    offset: int

    @classmethod
    def opened(cls, path: Path, length: int) -> NpyColumn:
        """The file, or one sentence where it is not what it should be."""
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ValueError(f"{path} is not a readable .npy file, or was cut short ({told(error)}).") from None
        if mapped.shape != (length,) or mapped.dtype.kind not in "fiub":
            raise ValueError(f"{path} has shape {mapped.shape} and holds {mapped.dtype}: it must be {length} numbers.")
        return cls(path, mapped.dtype, length, int(mapped.offset))

    def between(self, first: int, last: int) -> np.ndarray:
        """The numbers from `first` to just before `last`."""
        offset = self.offset + first * self.dtype.itemsize
        return np.fromfile(self.path, self.dtype, last - first, offset=offset)


class NpyWriter:
    """A `.npy` file that grows; its header is written with the length once that is known."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), 0
        self._file = open(path, "wb")  # noqa: SIM115 (closed by `close`)
        self._header()

    def write(self, values: np.ndarray) -> None:
        """Append numbers."""
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Complete the file."""
        self._file.seek(0)
        self._header()
        self._file.close()

    def _header(self) -> None:
        about = f"{{'descr': {self.dtype.str!r}, 'fortran_order': False, 'shape': ({self.length},), }}"
        # 128 bytes whatever the length, so that the header can be written again in its place.
        self._file.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + about.ljust(117).encode() + b"\n")
