"""Which files a path means, with one sentence for each way in which they cannot be read."""

from __future__ import annotations

import os
from pathlib import Path


def files_of(path: str | Path, endings: tuple[str, ...]) -> tuple[Path, ...]:
    """The file itself, or the files with these endings in a folder and below, by name; none of them empty."""
    path = Path(path)
    found: list[Path] = []

    def refused(error: OSError) -> None:
        raise PermissionError(f"{error.filename} cannot be read ({error.strerror}): ask for permission to read it.")

    try:
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file or folder.")
    except PermissionError as error:
        refused(error)
    if not path.is_dir():
        return (_filled(path),)

    for folder, folders, names in os.walk(path, onerror=refused):
        # Names with _ or . in front are other programs' notes (_SUCCESS, _metadata), by the custom of Hadoop.
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        found += [Path(folder) / name for name in names if name.endswith(endings) and name[0] not in "._"]
    if not found:
        raise ValueError(f"{path} holds no file that ends in {' or '.join(endings)}: there is nothing to learn from.")
    return tuple(_filled(file) for file in sorted(found))


def _filled(file: Path) -> Path:
    if not os.access(file, os.R_OK):
        raise PermissionError(f"{file} cannot be read (Permission denied): ask for permission to read it.")
    if file.stat().st_size == 0:
        raise ValueError(f"{file} is empty: there is nothing to learn from.")
    return file


def pyarrow_for(what: str) -> None:
    """Raise ImportError with one sentence where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError(f"{what} files are read with pyarrow: pip install 'atmostk[parquet]'") from None


def told(error: Exception) -> str:
    """What a library's error says, on one line."""
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
