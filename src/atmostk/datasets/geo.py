"""Gene expression from NCBI's GEO, by accession or from a file: data sets (GDS) and series matrices (GSE).

The two formats are text tables under a header, so that the lines below read them: no further library is needed.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from atmostk.datasets.cache import cache_folder
from atmostk.datasets.expression import Expression

SERVER = "https://ftp.ncbi.nlm.nih.gov/geo"
ACCESSION = re.compile(r"(GDS|GSE)\d+")


def load_geo(
    source: str | Path,
    *,
    standardize: Literal["variables", "samples"] | None = "variables",
    cache: str | Path | None = None,
) -> Expression:
    """The samples (rows) and genes (columns) of a GEO data set; genes with a missing value are left out.

    `source` is a file (`.soft`, `.soft.gz`, `_series_matrix.txt.gz`) or an accession such as "GDS2910", which is
    looked for in `cache` (by default `cache_folder()`) and downloaded into it once. `standardize` gives every
    variable mean 0 and variance 1 over the samples, or every sample over its variables, as the program released with
    the paper does; None leaves the values as they are.

        load_geo("GDS2910")
        load_geo("GDS1116.soft.gz", standardize=None)
    """
    if standardize not in ("variables", "samples", None):
        raise ValueError(f"standardize={standardize!r}: it must be 'variables', 'samples' or None.")
    found = _read(_file_of(source, cache))
    if standardize is None:
        return found
    axis = 0 if standardize == "variables" else 1
    return _standardized(found, axis)


def _standardized(found: Expression, axis: int) -> Expression:
    centred = found.X - found.X.mean(axis=axis, keepdims=True)
    spread = centred.std(axis=axis, keepdims=True)
    kept = np.ones(found.X.shape[1], bool)
    if axis == 0:
        kept = spread[0] > 1e-12 * np.abs(found.X).max(initial=1.0)  # a gene that never varies has no edges
    X = (centred / np.where(spread > 0, spread, 1.0))[:, kept]
    names, identifiers = found.names[kept], found.identifiers[kept]
    return Expression(X, names, found.samples, identifiers, None, found.title, found.groups)


def _read(file: Path) -> Expression:
    """The table of a file, and of its header the title and the groups of samples."""
    opened = gzip.open if file.suffix == ".gz" else open
    title, group, groups = "", "", {}
    try:
        with opened(file, "rt", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.rstrip("\r\n").partition(" = ")
                if key in ("!dataset_title", "!Series_title") or line.startswith("!Series_title\t"):
                    title = value or line.rstrip("\r\n").partition("\t")[2].strip('"')
                elif key == "!subset_description":
                    group = value
                elif key == "!subset_sample_id":
                    groups[group] = tuple(value.split(","))
                elif line.lstrip('"').startswith("ID_REF"):
                    return _table(_cells(line), lines, title, groups, file)
    except (OSError, EOFError) as error:
        raise ValueError(f"{file} cannot be read to its end ({error}): download it anew.") from None
    raise ValueError(f"{file} holds no table (no line begins with ID_REF): it is no GEO data set or series matrix.")


def _table(
    head: list[str], lines: Iterator[str], title: str, groups: dict[str, tuple[str, ...]], file: Path
) -> Expression:
    labelled = 2 if head[1:2] == ["IDENTIFIER"] else 1
    probes, names, values = [], [], []
    for line in lines:
        if line.startswith("!"):  # the line that ends the table
            break
        cells = _cells(line)
        if len(cells) != len(head):
            raise ValueError(f"{file}: the line of {cells[0]} has {len(cells)} cells, not {len(head)}.")
        row = _numbers(cells[labelled:], file)
        if np.isfinite(row).all():
            probes.append(cells[0])
            names.append(cells[labelled - 1])
            values.append(row)
    else:
        raise ValueError(f"{file} ends in the middle of its table: download it anew.")
    if not values:
        raise ValueError(f"{file}: every gene has a missing value in some sample, so that none is left.")
    X = np.ascontiguousarray(np.array(values).T)
    return Expression(X, np.array(names), np.array(head[labelled:]), np.array(probes), None, title, groups)


def _cells(line: str) -> list[str]:
    return line.rstrip("\r\n").replace('"', "").split("\t")


def _numbers(cells: list[str], file: Path) -> np.ndarray:
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    try:
        missing = ("null", "NULL", "", "NA", "n/a")
        return np.array([np.nan if cell in missing else float(cell) for cell in cells])
    except ValueError as error:
        raise ValueError(f"{file} holds something that is no number ({error}).") from None


def _file_of(source: str | Path, cache: str | Path | None) -> Path:
    """The file that was named, or that of the accession, downloaded where it is not there yet."""
    if not isinstance(source, str | Path):
        raise TypeError(f"load_geo takes a file or an accession such as 'GDS2910', not a {type(source).__name__}.")
    file = Path(source)
    if file.is_file():
        return file
    accession = str(source).upper()
    if not ACCESSION.fullmatch(accession):
        raise FileNotFoundError(f"{source}: there is no such file, and it is no accession such as GDS2910 or GSE1990.")
    folder = Path(cache) if cache is not None else cache_folder()
    address = _address(accession)
    target = folder / address.rsplit("/", 1)[1]
    if not target.exists():
        _download(address, target)
    return target


def _address(accession: str) -> str:
    """Where GEO keeps it: accessions stand in folders of a thousand, GDS2910 in GDS2nnn."""
    kind, thousand = accession[:3], accession[:-3] + "nnn" if len(accession) > 6 else accession[:3] + "nnn"
    if kind == "GDS":
        return f"{SERVER}/datasets/{thousand}/{accession}/soft/{accession}.soft.gz"
    return f"{SERVER}/series/{thousand}/{accession}/matrix/{accession}_series_matrix.txt.gz"


def _download(address: str, target: Path) -> None:
    """To a file beside the target first, so that the target is whole or not there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file, urllib.request.urlopen(address, timeout=60) as answer:
            while piece := answer.read(1 << 20):
                file.write(piece)
        os.replace(part, target)
    except urllib.error.HTTPError as error:
        raise ValueError(
            f"GEO has no {address} (it answered {error.code}): check the accession. A series on several platforms "
            "has a file for each; download the one you want and give its path."
        ) from None
    except OSError as error:
        raise ConnectionError(
            f"{address} cannot be reached ({error}): download it where there is a network and give load_geo its path."
        ) from None
    finally:
        Path(part).unlink(missing_ok=True)
