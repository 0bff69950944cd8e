"""The paper's graph experiment: the objective on training and validation rows, and the accepted iterations, against K.

Drawn three times over the same rows: as printed in the paper, as the authors' program runs it, and with our solver.
Results are kept in cells.jsonl; the same command goes on after a kill, and draws without running once all are there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from reproduction.cells import Kept, complete
from reproduction.graphs.data import SIMULATED, chosen, split
from reproduction.graphs.figures import draw, marked, of
from reproduction.graphs.runs import FORMS, GROWN, one_run

# Processor seconds of a step, by which the time is told beforehand; measured at 1,900 variables.
A_STEP = {"as printed": 0.006, "as released": 0.006}
A_SEARCH = 0.6


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing, then draw and print the table."""
    parser = argparse.ArgumentParser(prog="./run reproduce graph", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="five budgets, two starts, 300 steps: three minutes")
    parser.add_argument("--starts", type=int, default=None, help="random starts for each K (the paper: 10)")
    parser.add_argument("--every", type=int, default=None, help="distance of the budgets (the paper: 500)")
    parser.add_argument("--budgets", type=int, nargs=2, default=(5000, 15000), help="the least K and the largest")
    parser.add_argument("--steps", type=int, default=None, help="steps of a run (the paper: 1,000)")
    parser.add_argument("--data", help=f"GDS2910 or another accession, a GEO file, or one of {', '.join(SIMULATED)}")
    parser.add_argument(
        "--standardize",
        choices=("variables", "samples"),
        default="variables",
        help="each variable over the samples, or each sample over the variables, as the authors' program does",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--folder", type=Path, default=None)
    asked = parser.parse_args(arguments)
    starts = asked.starts or (2 if asked.quick else 10)
    every = asked.every or (2500 if asked.quick else 500)
    settings = {
        "data": chosen(asked.data),
        "standardize": asked.standardize,
        "steps": asked.steps or (300 if asked.quick else 1000),
    }
    folder = asked.folder or Path("runs/graph-quick" if asked.quick else "runs/graph")
    kept = Kept(folder / "cells.jsonl", settings)
    data = split(settings["data"], settings["standardize"])
    budgets = range(asked.budgets[0], asked.budgets[1] + 1, every)
    # The searches that take least come first, so that an interrupted sweep has something to show.
    cells = [{"form": GROWN, "K": K, "start": 0} for K in budgets]
    cells += [{"form": form, "K": K, "start": start} for start in range(starts) for form in FORMS for K in budgets]
    complete(
        kept,
        cells,
        one_run,
        jobs=asked.jobs,
        seconds=lambda cell: A_STEP[cell["form"]] * settings["steps"] if cell["form"] in A_STEP else A_SEARCH,
        name="graph",
    )
    runs = [cell | result for cell, result in kept if cell["K"] in budgets and cell["start"] < starts]
    caption = (
        f"{data.told}; {len(data.train)} rows to train, {len(data.validation)} to validate; "
        f"{starts} starts, {settings['steps']:,} steps"
    )
    true_K = None if data.true_edges is None else data.variables + 2 * data.true_edges
    figures = draw(runs, folder, caption, true_K)
    print(caption + "\n")
    print(table(runs, true_K))
    print("\nfigures: " + ", ".join(str(file) for file in figures))


def table(runs: list[dict], true_K: int | None) -> str:
    """What the figures show, in numbers."""
    lines = [
        "| form | K | train | validation | accepted of steps | K where more stops paying | best K on validation |",
        "|---|---|---|---|---|---|---|",
    ]
    for form in (*FORMS, GROWN):
        by_budget = of(runs, form)
        means = {K: np.mean([run["validation"] for run in own]) for K, own in by_budget.items()}
        stop, best = marked(by_budget), min(means, key=lambda K: means[K], default=None)
        for K in sorted({min(by_budget), best, max(by_budget)}) if by_budget else ():
            own = by_budget[K]
            train, accepted, steps = (np.mean([run[name] for run in own]) for name in ("train", "accepted", "steps"))
            told = f"| {form} | {K:,} | {train:.1f} | {means[K]:.1f} | {accepted:.0f} of {steps:.0f} "
            lines.append(f"{told}| {stop or '-'} | {best} |")
    known = "" if true_K is None else f"\nThe true graph has K = {true_K:,} nonzero entries."
    return "\n".join(lines) + known


if __name__ == "__main__":
    main()
