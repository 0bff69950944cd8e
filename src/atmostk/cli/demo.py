"""`atmostk demo`: the tour, from features over a graph to an attack, with a report at its end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from atmostk.cli import options, outputs
from atmostk.cli.shell import Interrupted, note
from atmostk.cli.working import working

STOPS = ("features", "graph", "attack")


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the report.")] = Path("demo/report.html"),
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"One stop: {', '.join(STOPS)}; may be given several times.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="The same on less data, in well under a minute.")] = False,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Take the tour: features, a graph and an attack, in under four minutes.

    Each stop is a whole use of the package on data that is at hand without a download; the report at the end shows
    what was asked, the answer, how good it is and how it was found. Ctrl-C ends the tour with the report so far.

    \b
    Examples:
      atmostk demo
      atmostk demo --only graph --out graph.html
      atmostk demo --quick --json
    """
    wanted = only or list(STOPS)
    for name in wanted:
        if name not in STOPS:
            raise ValueError(f"--only {name}: the stops are {', '.join(STOPS)}.")
    if out != outputs.STANDARD and not out.parent.exists():
        out.parent.mkdir(parents=True)
    outputs.free(out, force=force)
    begun = time.perf_counter()
    found, interrupted = _toured([name for name in STOPS if name in wanted], seed, quick)
    facts: dict[str, Any] = {name: outputs.Said(stop.headline, stop.numbers) for name, stop in found.items()}
    if found:
        facts["report"] = _written([run for stop in found.values() for run in stop.runs], out)
    facts["seconds"] = round(time.perf_counter() - begun, 1)
    outputs.tell(facts, {}, as_json=as_json, aside=out == outputs.STANDARD)
    if interrupted:
        raise Interrupted(f"interrupted after {len(found)} of {len(wanted)} stops.")


def _toured(names: list[str], seed: int, quick: bool) -> tuple[dict[str, Any], bool]:
    """The stops one after the other, as far as they came."""
    from importlib import import_module

    found: dict[str, Any] = {}
    try:
        for name in names:
            stop = import_module(f"atmostk.cli.tour.{name}")
            why = stop.missing() if hasattr(stop, "missing") else None
            if why is not None:
                note(f"{why}.")
                continue
            with working(stop.WHAT):
                found[name] = stop.stop(seed, quick)
    except KeyboardInterrupt:
        return found, True
    return found, False


def _written(runs: list[Any], out: Path) -> str | None:
    from atmostk.report import html_report

    try:
        page = html_report(runs, title="The tour of atmostk")
    except ImportError as error:
        note(str(error))
        return None
    outputs.write_text(page, out)
    return None if out == outputs.STANDARD else str(out)
