"""How much memory reading and fitting may take: sizes as people write them, and who gets which share."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
LIBRARIES = 400_000_000  # Python with NumPy, SciPy, scikit-learn, numba and a reader of files, before any row is there


@dataclass(frozen=True)
class Memory:
    """The shares of `max_memory`, which is meant for the whole process.

    What the libraries take is set aside first. A pass has three blocks in memory (one read, one
    waiting, one worked on) and needs about as much again to decode and to compute, so a block is a sixteenth of the
    rest; the rows of a sample, of which a solver makes copies, an eighth; what a reader of files holds for
    itself, two fifths.

    >>> Memory.of("1GB")
    Memory(total=1000000000, block=37500000, sample=75000000, reader=240000000)
    """

    total: int
    block: int
    sample: int
    reader: int

    @classmethod
    def of(cls, size: int | float | str) -> Memory:
        """The shares of so many bytes, or of a size such as "1GB"."""
        total = size_in_bytes(size)
        return cls._shared(size, total, total - LIBRARIES, 100_000_000)

    def beside(self, held: float) -> Memory:
        """The shares where a reader of files holds so much for itself."""
        return self._shared(self.total, self.total, self.total - LIBRARIES - int(held), 50_000_000)

    @classmethod
    def _shared(cls, size: int | float | str, total: int, rest: int, least: int) -> Memory:
        if rest < least:
            raise ValueError(
                f"max_memory={size!r}: the libraries alone take about {readable(LIBRARIES)}, so allow "
                f"{readable(LIBRARIES + 10**8)} or more, and what a reader of many columns takes."
            )
        return cls(total, min(rest // 16, 64_000_000), rest // 8, 2 * rest // 5)


def size_in_bytes(size: int | float | str) -> int:
    """A number of bytes from a number or from text such as "1.5 GB" (10^9) or "512MiB" (2^20).

    >>> size_in_bytes("1.5 GB"), size_in_bytes(10)
    (1500000000, 10)
    """
    if isinstance(size, int | float) and not isinstance(size, bool) and size > 0:
        return int(size)
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(size))
    if found is None or isinstance(size, bool) or found[2].upper() not in UNITS or float(found[1]) == 0:
        raise ValueError(f"max_memory={size!r}: write a size such as '1GB' or '512MiB', or a number of bytes.")
    return int(float(found[1]) * UNITS[found[2].upper()])


def readable(size: float) -> str:
    """A number of bytes for people.

    >>> readable(1_234_000_000), readable(999)
    ('1.23 GB', '999 B')
    """
    for unit in ("GB", "MB", "KB"):
        if size >= UNITS[unit]:
            return (
                f"{size / UNITS[unit]:.3g} {unit}" if size < UNITS[unit] * 1000 else f"{size / UNITS[unit]:.0f} {unit}"
            )
    return f"{size:.0f} B"
