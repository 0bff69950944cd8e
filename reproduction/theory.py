"""The paper's theorem, seen: the sum of delta_k^2 stays finite and the gradient on the support tends to zero.

A noisy logistic problem, 20 seeds, with the rule that makes Assumption 1 something the program checks; beside it the
same runs with a fixed batch, which has no such promise. Writes runs/theory/steps.jsonl (one line a run) and
runs/theory/theory.png.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from atmostk import PIHT, AtMost, Problem, __version__, minimize
from atmostk.objectives import Logistic
from atmostk.samplers import Rows
from atmostk.solvers import Fixed, Measured
from atmostk.stopping import after_steps, radius_below

ROWS, FEATURES, KEPT = 20_000, 50, 5
STEPS, LEAST_RADIUS = 800, 1e-4
RULES = {"measured": Measured(), "fixed batch of 64": Fixed(64)}


def one_run(seed: int, rule: str) -> dict[str, Any]:
    """The radius and the true gradient's length on the support, before every step and at the end."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, FEATURES))
    truth = np.zeros(FEATURES)
    truth[:KEPT] = rng.choice([-1.0, 1.0], KEPT) * rng.uniform(0.5, 1.5, KEPT)
    y = (rng.random(ROWS) < 1 / (1 + np.exp(-X @ truth))).astype(float)
    problem = Problem(Logistic(), Rows(X, y), AtMost(KEPT))
    start = np.zeros(FEATURES)
    start[-KEPT:] = 1.0  # a feasible point on none of the right features
    slopes = [float(np.linalg.norm(problem.gradient(start)[-KEPT:]))]

    def look(run: Any) -> None:
        slopes.append(float(np.linalg.norm(problem.gradient(run.state.x)[run.state.support])))

    result = minimize(
        problem,
        PIHT(sample_size=RULES[rule]),
        start,
        stop=[radius_below(LEAST_RADIUS), after_steps(STEPS)],
        seed=seed,
        callbacks=[look],
    )
    return {
        "seed": seed,
        "rule": rule,
        "radius": result.history.column("radius"),
        "slope": slopes,
        "rows": result.history.column("value_rows"),
        "reason": result.stop.reason,
        "atmostk": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def summary(runs: list[dict[str, Any]]) -> str:
    """What the theorem says and what was seen, a line for each rule."""
    lines = [
        "| rule | seeds | least fall of the gradient on the support | seeds with a fall of 1,000 "
        "| most of sum delta^2 in the last tenth of the steps |",
        "|---|---|---|---|---|",
    ]
    for rule in RULES:
        own = [run for run in runs if run["rule"] == rule]
        falls = [run["slope"][0] / run["slope"][-1] for run in own]
        shares = []
        for run in own:
            squares = np.square(run["radius"])
            shares.append(squares[-max(1, len(squares) // 10) :].sum() / squares.sum())
        met = sum(fall >= 1e3 for fall in falls)
        lines.append(f"| {rule} | {len(own)} | {min(falls):.3g} | {met} | {max(shares):.2g} |")
    return "\n".join(lines)


def draw(runs: list[dict[str, Any]], path: Path) -> None:
    """Both claims over the steps, a line for each seed."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), constrained_layout=True)
    colours = {"measured": "#1f6feb", "fixed batch of 64": "#b0b0b0"}
    for rule in reversed(RULES):
        for number, run in enumerate(run for run in runs if run["rule"] == rule):
            style = {"color": colours[rule], "linewidth": 0.9, "label": rule if number == 0 else None}
            left.plot(np.cumsum(np.square(run["radius"])), **style)
            middle.semilogy(np.divide(run["slope"], run["slope"][0]), **style)
            right.loglog(np.arange(1, len(run["rows"]) + 1), np.divide(run["rows"], ROWS), **style)
    middle.axhline(1e-3, color="black", linewidth=0.8, linestyle=":")
    left.set_title("the sum of squared radii levels off")
    left.set_ylabel(r"$\sum_{j \leq k} \delta_j^2$")
    middle.set_title("the gradient on the support vanishes")
    middle.set_ylabel("true gradient on the support / at the start")
    right.set_title("because the samples grow")
    right.set_ylabel("rows read for the trial / rows in the data")
    for axes in (left, middle, right):
        axes.set_xlabel("step")
    middle.legend(loc="upper right")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(given: list[str] | None = None) -> None:
    """Run what is missing, then draw."""
    parser = argparse.ArgumentParser(prog="./run reproduce theory", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=Path("runs/theory"))
    parser.add_argument("--quick", action="store_true", help="five seeds")
    arguments = parser.parse_args(given)
    if arguments.quick:
        arguments.seeds = min(arguments.seeds, 5)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    lines = arguments.folder / "steps.jsonl"
    # A line that a kill cut short has no end; its run is made again.
    told = lines.read_text().splitlines(keepends=True) if lines.exists() else []
    if told and not told[-1].endswith("\n"):
        lines.write_text("".join(told[:-1]))
    runs = [json.loads(line) for line in told if line.endswith("\n")]
    runs = [run for run in runs if run["seed"] < arguments.seeds]
    done = {(run["seed"], run["rule"]) for run in runs}
    missing = [(seed, rule) for seed in range(arguments.seeds) for rule in RULES if (seed, rule) not in done]
    for seed, rule in track(missing, description="runs", disable=not missing):
        runs.append(one_run(seed, rule))
        with open(lines, "a") as file:
            file.write(json.dumps(runs[-1]) + "\n")
    draw(runs, arguments.folder / "theory.png")
    print(summary(runs))
    print(f"\nfigure: {arguments.folder / 'theory.png'}")


if __name__ == "__main__":
    main()
