"""The tables of benchmarks/graph_quality.py from what its contestants measured: means, and how the targets stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

FAMILIES, ROWS = ("band", "uniform", "hub", "block"), (50, 191, 500)
CELLS = [(family, rows) for rows in ROWS for family in FAMILIES]
MCC = {
    "SparsePrecisionCV([E])": ("atmostk", "mcc"),
    "SparsePrecision(E, selection=Combined())": ("atmostk", "combined"),
    "SparsePrecision(E)": ("atmostk", "plain"),
    "CONCORD at E": ("concord", "mcc"),
    "CONCORD at 2E, cut to E": ("concord", "mcc_twice"),
    "gconcord at E": ("gconcord", "mcc"),
    "neighbourhood selection": ("neighbourhood", "mcc"),
    "graphical lasso": ("glasso", "mcc"),
}
HELD_OUT = {
    "SparsePrecisionCV()": ("atmostk", "held_out"),
    "SparsePrecisionCV([E])": ("atmostk", "mcc_held_out"),
    "CONCORD, cross-validated": ("concord", "held_out"),
    "graphical lasso, cross-validated": ("glasso", "held_out"),
}
CPU = {
    "SparsePrecision(E)": ("atmostk", "plain_cpu"),
    "SparsePrecisionCV([E])": ("atmostk", "mcc_cpu"),
    "SparsePrecisionCV()": ("atmostk", "held_out_cpu"),
    "CONCORD, one fit at E": ("concord", "mcc_cpu"),
    "CONCORD, cross-validated": ("concord", "held_out_cpu"),
    "gconcord, one fit at E": ("gconcord", "mcc_cpu"),
    "graphical lasso, cross-validated": ("glasso", "held_out_cpu"),
}
Key = tuple[str, int, int]
Runs = dict[str, dict[Key, dict[str, float]]]


def write(folder: Path) -> None:
    """benchmarks/results/graph_quality.md from the files in the folder."""
    parts = [
        "## How well graphs are recovered and predict\n",
        "`./run bench graph_quality`. MCC of exactly as many edges as the truth has, and the pseudo-likelihood",
        "objective of 500 unseen rows (less is better) with everything chosen on the training rows. Means over the",
        "seeds that a contestant has run; a peer is compared with us on the seeds that it has. CPU seconds of one",
        "thread are medians, on a machine that was busy with other work.\n",
    ]
    for variables in (100, 500):
        runs = {file.stem.split("-")[0]: _read(file) for file in sorted(folder.glob(f"*-{variables}.jsonl"))}
        if "atmostk" not in runs:
            continue
        parts += [f"### {variables} variables\n", *_table("MCC", runs, MCC, np.mean, "{:.3f}"), *_mcc_stands(runs)]
        parts += [*_table("held-out objective", runs, HELD_OUT, np.mean, "{:.1f}"), *_held_out_stands(runs)]
        parts += _table("CPU seconds", runs, CPU, np.median, "{:.3f}")
    large = folder / "atmostk-1900.jsonl"
    if large.exists():
        parts += _large(_read(large))
    (folder.parent / "graph_quality.md").write_text("\n".join(parts).rstrip() + "\n")


def _large(runs: dict[Key, dict[str, float]]) -> list[str]:
    """What the fits cost where peers would take hours."""
    lines = ["### 1900 variables, 150 rows\n", "| family | edges chosen by | CPU s | MCC |", "|---|---|---|---|"]
    kinds = {"SparsePrecision(E)": "plain", "SparsePrecisionCV([E])": "mcc", "SparsePrecisionCV()": "held_out"}
    for (family, _, _), numbers in sorted(runs.items()):
        for name, kind in kinds.items():
            mcc = "" if kind == "held_out" else f"{numbers[kind]:.3f}"
            lines.append(f"| {family} | {name} | {numbers[kind + '_cpu']:.2f} | {mcc} |")
    return [*lines, ""]


def _read(file: Path) -> dict[Key, dict[str, float]]:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return {(line["family"], line["rows"], line["seed"]): line for line in lines}


def seeds(runs: Runs, contestants: Iterable[str], cell: tuple[str, int]) -> list[Key]:
    """Those that all of the contestants have run."""
    return sorted(key for key in runs["atmostk"] if key[:2] == cell and all(key in runs[each] for each in contestants))


def means(runs: Runs, contestant: str, number: str, among: Iterable[str]) -> dict[tuple[str, int], float]:
    """A contestant's mean in each cell over the seeds that all have."""
    found = {}
    for cell in CELLS:
        values = [runs[contestant][key][number] for key in seeds(runs, among, cell)]
        if values:
            found[cell] = float(np.mean(values))
    return found


def _table(
    title: str, runs: Runs, rows: dict[str, tuple[str, str]], over: Callable[[list[float]], float], shape: str
) -> list[str]:
    present = {name: place for name, place in rows.items() if place[0] in runs and runs[place[0]]}
    contestants = {contestant for contestant, _ in present.values()}
    # A contestant that ran few seeds is not to thin out the others.
    head = " | ".join(f"{family} {count}" for family, count in CELLS)
    lines = [f"| {title} | {head} | mean | seeds |", "|---" * (len(CELLS) + 3) + "|"]
    for name, (contestant, number) in present.items():
        cells, count = [], []
        for cell in CELLS:
            keys = seeds(runs, {contestant}, cell)
            count.append(len(keys))
            cells.append(float(over([runs[contestant][key][number] for key in keys])) if keys else np.nan)
        shown = " | ".join(shape.format(cell) if np.isfinite(cell) else "" for cell in cells)
        mean = shape.format(np.mean(cells)) if np.isfinite(cells).all() else ""
        told = str(min(count)) if min(count) == max(count) else f"{min(count)}-{max(count)}"
        lines.append(f"| {name} | {shown} | {mean} | {told} |")
    assert contestants
    return [*lines, ""]


def _mcc_stands(runs: Runs) -> list[str]:
    ours, plain = ({**means(runs, "atmostk", number, ["atmostk"])} for number in ("mcc", "plain"))
    near = total = 0
    worst = []
    for cell in CELLS:
        best = -1.0
        for contestant, number in MCC.values():
            if contestant in runs and contestant != "atmostk":
                keys = seeds(runs, [contestant], cell)
                if keys:
                    lead = np.mean([runs[contestant][key][number] - runs["atmostk"][key]["mcc"] for key in keys])
                    best = max(best, float(lead))
        if cell in ours:
            total += 1
            near += best <= 0.01
            worst.append((best, cell))
    lead, cell = max(worst)
    behind, where = max((plain[cell] - ours[cell], cell) for cell in ours)
    return [
        f"Mean {np.mean(list(ours.values())):.3f}; the best peer of a cell leads by at most .01 in {near} of {total} "
        f"cells, at worst {lead:+.3f} ({cell[0]} {cell[1]}); against the plain solver at worst {-behind:+.3f} "
        f"({where[0]} {where[1]}).\n"
    ]


def _held_out_stands(runs: Runs) -> list[str]:
    told = []
    for contestant in ("concord", "glasso"):
        if contestant not in runs:
            continue
        ratios = {}
        for cell in CELLS:
            keys = seeds(runs, [contestant], cell)
            if keys:
                ratios[cell] = np.mean([runs["atmostk"][key]["held_out"] for key in keys]) / np.mean(
                    [runs[contestant][key]["held_out"] for key in keys]
                )
        many = {cell: ratio for cell, ratio in ratios.items() if cell[1] >= 191}
        few = [ratio for cell, ratio in ratios.items() if cell[1] == 50]
        if many and few:
            cell = max(many, key=lambda each: many[each])
            told.append(
                f"Against {contestant}: at or below it in {sum(ratio <= 1 for ratio in many.values())} of {len(many)} "
                f"cells with n >= 191 (at worst {100 * (many[cell] - 1):+.2f} %, {cell[0]} {cell[1]}); at n = 50 at "
                f"worst {100 * (max(few) - 1):+.2f} %.\n"
            )
    return told
