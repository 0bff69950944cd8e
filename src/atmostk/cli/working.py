"""While a command works: what it does is shown on standard error, and warnings become notes."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from atmostk.cli.shell import note


@contextmanager
def working(what: str) -> Iterator[None]:
    """A line with the seconds on a terminal; elsewhere a line at the beginning."""
    with _notes():
        if not sys.stderr.isatty():
            print(f"{what} ...", file=sys.stderr, flush=True)
            yield
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        begun = time.perf_counter()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            bar.add_task(what, total=None)
            yield
        print(f"{what}: {time.perf_counter() - begun:.1f} s", file=sys.stderr, flush=True)


@contextmanager
def _notes() -> Iterator[None]:
    """Warnings as notes, each once, after the work."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        finally:
            told = [str(warning.message) for warning in caught if not issubclass(warning.category, _QUIET)]
            for text in dict.fromkeys(told):
                note(" ".join(text.split()))


_QUIET = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning, ImportWarning)
