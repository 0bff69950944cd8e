"""What a stop of the tour leaves: runs for the report, and its result in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from atmostk.report.saved_run import SavedRun


@dataclass(frozen=True)
class Stop:
    """The runs, and the headline with the numbers behind it."""

    headline: str
    numbers: dict[str, float]
    runs: tuple[SavedRun, ...]
