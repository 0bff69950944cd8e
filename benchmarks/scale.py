"""Data beyond memory and beyond one machine: makes the data, measures every target, cleans up.

    ./run bench scale                      at a size that fits the machine
    ./run bench scale --rows 20000000 --sparse-rows 10000000 --folder /a/disk/with/room
    ./run bench scale --only fit,sparse    some of the targets

Times are wall seconds and CPU seconds of the process that fits; peaks are of that process.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scaling import data

HERE = Path(__file__).resolve().parent
DENSE = ("read", "fit")
MAPS = ("sampled", "passes")
ALL = ("read", "fit", "sampled", "passes", "sparse", "dask", "graph", "killed")


def main() -> None:
    """Measure and write `results/scale.md` and `results/scale.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, help="of the dense data, 100 columns of float32 (issue: 20 million)")
    parser.add_argument("--sparse-rows", type=int, help="of the sparse data, a million columns (issue: 10 million)")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the data is made")
    parser.add_argument("--only", default=",".join(ALL))
    parser.add_argument("--keep", action="store_true", help="leave the data where it is, for another run")
    asked = parser.parse_args()
    names = asked.only.split(",")
    free = shutil.disk_usage(asked.folder).free
    rows = asked.rows or int(min(20_000_000, free / 4 / 404))
    sparse_rows = asked.sparse_rows or int(min(10_000_000, free / 4 / 256))
    place = asked.folder / "atmostk-scale"
    place.mkdir(exist_ok=True)
    try:
        found = measured(place, names, rows, sparse_rows)
    finally:
        if not asked.keep:
            shutil.rmtree(place)
    written(found)


def measured(place: Path, names: list[str], rows: int, sparse_rows: int) -> dict[str, Any]:
    """Every target that is asked for; the data of one is removed before that of the next is made."""
    found: dict[str, Any] = {}
    coefficients = data.truth(100, 20, 7)
    if any(name in names for name in DENSE):
        folder = place / "rows.parquet"
        if not folder.exists():
            data.write_parquet(folder, rows, 100, coefficients, 7)
        found |= {name: target(name, folder) for name in DENSE if name in names}
    if any(name in names for name in MAPS):
        folder = place / "maps"
        if not folder.exists():
            data.write_maps(folder, rows, 100, coefficients, 7)
        found |= {name: target(name, folder) for name in MAPS if name in names}
        if "sampled" in found and "passes" in found:
            found["sampled"]["same support"] = found["sampled"].pop("support") == found["passes"].pop("support")
    if "sparse" in names:
        folder = place / "rows.csr"
        if not folder.exists():
            data.write_sparse(folder, sparse_rows, 999_990, 30, data.sparse_truth(), 7)
        found["sparse"] = target("sparse", folder)
    found |= {name: target(name, place) for name in ("dask", "graph", "killed") if name in names}
    return found


def target(name: str, folder: Path) -> dict[str, Any]:
    """One target, in a process of its own."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "benchmarks.scaling.targets", name, str(folder)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parent)
    if told.returncode:
        print(told.stderr[-3000:], file=sys.stderr)
        return {"failed": told.stderr.strip().splitlines()[-1]}
    found = json.loads(told.stdout.strip().splitlines()[-1])
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


def written(found: dict[str, Any]) -> None:
    """The table; what was measured in an earlier run and not in this one stays."""
    file = HERE / "results" / "scale.json"
    file.parent.mkdir(exist_ok=True)
    known = json.loads(file.read_text()) if file.exists() else {}
    known |= found
    file.write_text(json.dumps(known, indent=1) + "\n")
    lines = [
        "Made by `./run bench scale`.",
        "",
        "| target | measured |",
        "|---|---|",
    ]
    for name, values in known.items():
        told = "; ".join(
            f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items()
        )
        lines.append(f"| {name} | {told} |")
    file.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
