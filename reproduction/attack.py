"""The paper's attack experiment: accuracy, and images predicted as the target, against the number of pixels K.

Drawn for each form of the attack over the same images: as printed in the paper (its formula holds probabilities), as
printed but on logits, as the authors' program runs it, and with ours. Results are kept in cells.jsonl; the same command
goes on after a kill, and draws without running once all are there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from reproduction.attacks.forms import FORMS, OURS
from reproduction.cells import Kept, complete

# Processor seconds by which the time is told beforehand, measured at batches of 1,000: a step of PIHT, a path of ours.
A_STEP, A_PATH, A_FAST_PATH = 0.3, 120.0, 20.0
QUICK_BUDGETS, QUICK_TARGETS = (25, 50, 100), (5, 1)


def main(arguments: list[str] | None = None) -> None:
    """Train the network once, run what is missing, then draw and print the tables."""
    asked = _asked(arguments)
    try:
        import torch  # noqa: F401  (so that it is missed before anything is begun)
    except ImportError:
        print("attack: left out, because it needs PyTorch: pip install 'atmostk[torch]'.", file=sys.stderr)
        return
    from reproduction.attacks.claims import claims, table
    from reproduction.attacks.data import SUBSET, attacked, chosen, told
    from reproduction.attacks.figures import draw
    from reproduction.attacks.runs import flat, one_run

    quick = asked.quick
    fast = quick or asked.fast
    settings = {
        "data": chosen(asked.data or (SUBSET if quick else None)),
        "steps": asked.steps or (50 if quick else 100),
        "batch": asked.batch or (300 if quick else 1000),
    }
    budgets = asked.budgets or (QUICK_BUDGETS if quick else tuple(range(5, 101, 5)))
    targets: list[int | None] = [*(asked.targets or (QUICK_TARGETS if quick else range(10))), None]
    folder = asked.folder or Path("runs/attack-quick" if quick else "runs/attack")
    forms = [form for form in FORMS if form in (asked.forms or FORMS)]
    kept = Kept(folder / "cells.jsonl", settings)
    # Target by target, so that an interrupted sweep has whole curves to show.
    cells: list[dict[str, Any]] = []
    for seed in range(asked.seeds):
        for target in targets:
            for form in forms:
                if form == OURS:
                    cells.append({"form": form, "K": list(budgets), "target": target, "seed": seed, "fast": fast})
                else:
                    cells += [{"form": form, "K": K, "target": target, "seed": seed} for K in budgets]
    if kept.missing(cells):
        attacked(settings["data"])  # trained here, once, so that the processes find it in the cache
    complete(
        kept,
        cells,
        one_run,
        jobs=asked.jobs,
        seconds=lambda cell: (
            (A_FAST_PATH if fast else A_PATH)
            if cell["form"] == OURS
            else A_STEP * settings["steps"] * settings["batch"] / 1000
        ),
        name="attack",
    )
    runs = [
        line
        for cell, result in kept
        if cell["form"] in forms
        and cell["target"] in targets
        and cell["seed"] < asked.seeds
        and cell.get("fast", fast) == fast
        for line in flat(cell, result)
        if line["K"] in budgets
    ]
    caption = (
        f"{told(settings['data'])}; {len(targets) - 1} targets, {settings['steps']} steps, "
        f"batches of {settings['batch']:,}{'; ours with fast settings' if fast and OURS in forms else ''}"
    )
    figures = draw(runs, folder, caption, settings["data"])
    print(caption + "\n")
    print(table(runs) + "\n")
    print(claims(runs))
    print("\nfigures: " + ", ".join(str(file) for file in figures))


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./run reproduce attack", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the subset, two targets, three K: three minutes")
    parser.add_argument("--budgets", type=int, nargs="+", help="the values of K (the paper: 5, 10, ..., 100)")
    parser.add_argument("--targets", type=int, nargs="+", help="the target digits (the paper: all ten)")
    parser.add_argument("--forms", nargs="+", choices=FORMS, help="only these forms")
    parser.add_argument("--fast", action="store_true", help="our attack with its fast settings (as --quick has it)")
    parser.add_argument("--steps", type=int, help="steps of a run (the paper: 100)")
    parser.add_argument("--batch", type=int, help="images of a step (the paper: 1,000)")
    parser.add_argument("--seeds", type=int, default=1, help="runs for each target and K")
    parser.add_argument("--data", choices=("mnist", "mnist subset"), help="all of MNIST, or the subset")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--folder", type=Path, default=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
