"""The options that commands share, so that one thing has one name everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Seed = Annotated[int, typer.Option("--seed", min=0, help="Fixes what is left to chance: same seed, same answer.")]
MaxSeconds = Annotated[
    float | None,
    typer.Option("--max-seconds", help="End after so many seconds with the best answer so far."),
]
Kicks = Annotated[
    int | None,
    typer.Option("--kicks", min=0, help="How often to search on from a disturbed answer: more is slower, never worse."),
]
Frugal = Annotated[
    bool,
    typer.Option("--one-standard-error", help="With --cv: the smallest budget within one standard error of the best."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the results as JSON, for a program to read.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what exists.")]
RunFolder = Annotated[
    Path | None,
    typer.Option("--run", help="Keep the run in this folder, for 'atmostk report'."),
]
Kind = Annotated[
    str | None,
    typer.Option("--format", help="What the data is (csv, tsv, parquet, npz, svmlight), where its name does not say."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", help="A column to leave out; may be given several times."),
]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="Leave out rows with an empty cell.")]


def numbers(text: str, option: str) -> list[int]:
    """Whole numbers as a person writes them: "10", "1,2,5", "1-30", "500-5000:500" or any of these after commas.

    >>> numbers("1-4,10", "--at-most"), numbers("500-1500:500", "--edges")
    ([1, 2, 3, 4, 10], [500, 1000, 1500])
    """
    found: set[int] = set()
    for part in text.replace(" ", "").split(","):
        span, _, step = part.partition(":")
        low, dash, high = span.partition("-")
        try:
            first, last, by = int(low), int(high if dash else low), int(step or 1)
        except ValueError:
            first, last, by = 0, 0, 0
        if first < 1 or last < first or by < 1:
            raise ValueError(
                f"{option} {text}: give a whole number such as 10, a list 1,2,5 or a range 1-30 or 50-200:50."
            )
        found.update(range(first, last + 1, by))
    return sorted(found)
