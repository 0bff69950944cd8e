"""Run the cells that are missing: side by side in processes, with progress, each kept the moment it is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from reproduction.cells.kept import Cell, Kept

Work = Callable[[Cell, dict[str, Any]], dict[str, Any]]


def complete(
    kept: Kept, cells: list[Cell], work: Work, *, jobs: int, seconds: Callable[[Cell], float], name: str
) -> None:
    """Run what is missing. `seconds` says about how long a cell takes one processor, so that the whole can be told.

    Ctrl-C ends it; the next call goes on with what is left.
    """
    left = kept.missing(cells)
    console = Console(stderr=True)
    if not left:
        console.print(f"{name}: all {len(cells)} cells are in {kept.file}, nothing is run.")
        return
    told = sum(seconds(cell) for cell in left)
    console.print(
        f"{name}: {len(left)} of {len(cells)} cells to run, about {_duration(told / jobs)} on {jobs} processors; "
        f"results go to {kept.file}, and the same command goes on after an interruption."
    )
    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    # One thread for each process: they run side by side.
    with Progress(*columns, console=console) as progress, parallel_config("loky", inner_max_num_threads=1):
        bar = progress.add_task(name, total=len(left))
        run = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        try:
            for cell, result, spent in run(delayed(_timed)(work, cell, kept.settings) for cell in left):
                kept.add(cell, result, spent)
                progress.advance(bar)
        except KeyboardInterrupt:
            progress.stop()
            console.print(f"{name}: interrupted; what is finished is in {kept.file}, the same command goes on.")
            sys.exit(130)


def _timed(work: Work, cell: Cell, settings: dict[str, Any]) -> tuple[Cell, dict[str, Any], float]:
    begun = time.process_time()
    return cell, work(cell, settings), time.process_time() - begun


def _duration(seconds: float) -> str:
    """As a person would say it.

    >>> _duration(40), _duration(200), _duration(9000)
    ('a minute', '3 minutes', '2.5 hours')
    """
    if seconds < 90:
        return "a minute"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
