"""What `atmostk graph` reads: measurements by samples, from a table, AnnData or GEO."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.cli import inputs
from atmostk.cli.shell import note

GEO = (".soft", ".soft.gz", "series_matrix.txt.gz", "series_matrix.txt")
KINDS = ("csv", "tsv", "parquet", "npz", "svmlight", "h5ad", "geo")


@dataclass(frozen=True)
class Measurements:
    """Samples in rows, variables in columns. It is a frame as far as the estimators look at one."""

    X: np.ndarray
    columns: list[str]
    rows: list[str] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples and variables."""
        return self.X.shape

    def to_numpy(self) -> np.ndarray:
        """The matrix."""
        return self.X

    def __len__(self) -> int:
        return len(self.X)


@dataclass(frozen=True)
class MeasurementsElsewhere:
    """Samples that are read where they are, in passes, because they are more than memory holds."""

    rows: Any
    columns: list[str]

    @property
    def shape(self) -> tuple[int, ...]:
        """Samples and variables."""
        return self.rows.size, len(self.columns)


def open_measurements(place: Path, max_memory: str) -> MeasurementsElsewhere:
    """The samples of a Parquet, Arrow, .npy or svmlight file, or of a folder of them: nothing is read yet."""
    from atmostk.datasets import open_rows

    if place == inputs.STANDARD:
        raise ValueError("--max-memory reads a named file, not standard input.")
    rows = open_rows(place, max_memory=max_memory)
    return MeasurementsElsewhere(rows, [str(name) for name in rows.names])


def read_measurements(
    place: Path,
    kind: str | None,
    *,
    drop: list[str] | None = None,
    transpose: bool = False,
    drop_constant: bool = False,
    most_variable: int | None = None,
    keep_missing: bool = False,
    drop_missing: bool = False,
) -> Measurements:
    """The measurements in a file, cut to what is asked for; missing values stay only where they will be filled in."""
    kind = kind or _kind(place)
    if kind not in (None, *KINDS):
        raise ValueError(f"{kind!r} is no kind of measurements: it must be one of {', '.join(KINDS)}.")
    if kind == "geo":
        found = _of_geo(place)
    elif kind == "h5ad":
        found = _of_anndata(place)
    else:
        found = _of_table(place, kind, list(drop or ()), keep_missing or transpose, drop_missing)
    if kind in ("geo", "h5ad"):
        found = _without(found, list(drop or ()), place)
    if transpose:
        names = found.rows if found.rows is not None else [f"x{row}" for row in range(len(found))]
        found = Measurements(np.ascontiguousarray(found.X.T), names, found.columns)
    found = _varying(found, drop_constant)
    return found if most_variable is None else _most_variable(found, most_variable)


def _kind(place: Path) -> str | None:
    """What the name says, where it says something that the reader of tables does not know."""
    from atmostk.datasets.geo import ACCESSION

    name = place.name.lower()
    if name.endswith(".h5ad"):
        return "h5ad"
    is_accession = ACCESSION.fullmatch(place.name) is not None and not place.exists()
    return "geo" if name.endswith(GEO) or is_accession else None


def _of_geo(place: Path) -> Measurements:
    from atmostk.datasets import load_geo

    found = load_geo(str(place), standardize=None)
    return Measurements(found.X, [str(name) for name in found.names], [str(name) for name in found.samples])


def _of_anndata(place: Path) -> Measurements:
    if place == inputs.STANDARD:
        raise ValueError("an .h5ad file cannot come from standard input: name the file.")
    if place.is_dir():
        raise IsADirectoryError(f"{place} is a folder: name a file in it.")
    if not place.exists():
        raise FileNotFoundError(f"{place}: there is no such file.")
    try:
        import anndata  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ImportError(f"{place}: reading .h5ad files needs anndata: pip install 'atmostk[anndata]'.") from None
    try:
        opened: Any = anndata.read_h5ad(place)
    except Exception as error:  # HDF5 and anndata raise errors of many kinds for a damaged file
        raise ValueError(f"{place} is not a readable .h5ad file ({' '.join(str(error).split())[:120]}).") from None
    matrix = opened.X.toarray() if hasattr(opened.X, "toarray") else np.asarray(opened.X)
    return Measurements(matrix, [str(name) for name in opened.var_names], [str(name) for name in opened.obs_names])


def _of_table(place: Path, kind: str | None, drop: list[str], keep_missing: bool, drop_missing: bool) -> Measurements:
    from atmostk.datasets.table import read_sheet

    sheet = inputs.sheet(place, kind)
    beside = [name for name in getattr(sheet, "beside", ()) if name != sheet.row_names and name not in drop]
    if beside:
        # An archive's vectors stand beside its matrix: labels of the samples, as a rule, and no variables.
        note(f"{', '.join(repr(name) for name in beside)} beside X in {place} is left out.")
    table = read_sheet(sheet, drop=[*drop, *beside], drop_missing=drop_missing, keep_missing=keep_missing)
    for text in table.notes:
        note(text)
    X = table.X.toarray() if hasattr(table.X, "toarray") else table.X
    return Measurements(X, table.names, table.rows)


def _without(found: Measurements, drop: list[str], place: Path) -> Measurements:
    for name in drop:
        if name not in found.columns:
            raise ValueError(f"--drop {name}: {place} has no such variable.")
    gone = set(drop)
    return _kept(found, [column for column, name in enumerate(found.columns) if name not in gone]) if gone else found


def _varying(found: Measurements, drop_constant: bool) -> Measurements:
    """Without the variables that never vary, which have no edges; or one sentence that names them."""
    if not drop_constant or len(found) == 0:
        return found
    kept = np.flatnonzero(np.nanmax(found.X, axis=0) > np.nanmin(found.X, axis=0))
    if len(kept) < len(found.columns):
        note(f"{len(found.columns) - len(kept)} of {len(found.columns)} variables never vary and are left out.")
    return _kept(found, kept)


def _most_variable(found: Measurements, count: int) -> Measurements:
    if count >= len(found.columns):
        note(f"--most-variable {count}: there are {len(found.columns)} variables, and all of them are taken.")
        return found
    return _kept(found, np.sort(np.argsort(-np.nanvar(found.X, axis=0), kind="stable")[:count]))


def _kept(found: Measurements, columns: Any) -> Measurements:
    return replace(found, X=found.X[:, columns], columns=[found.columns[column] for column in columns])
