"""A line on the terminal while a run goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from atmostk.run import Run


@contextmanager
def shown(wanted: bool) -> Iterator[list[Callable[[Run], object]]]:
    """Callbacks that show the run's steps, value and rows on standard error; none when it is not wanted."""
    if not wanted:
        yield []
        return
    from rich.console import Console
    from rich.status import Status

    last = 0.0

    def show(run: Run) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= 0.1:
            last = now
            status.update(_line(run))

    with Status("starting", console=Console(stderr=True)) as status:
        yield [show]


def _line(run: Run) -> str:
    state = run.state
    parts = [f"step {run.steps}", f"value {state.value:.6g}", f"{state.rows:.3g} rows", f"{run.seconds:.0f} s"]
    if hasattr(state, "radius"):
        parts.insert(2, f"radius {state.radius:.2g}")
    return " | ".join(parts)
