"""`atmostk report`: saved runs as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atmostk.cli import options, outputs


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders that --run of fit, graph or attack has made.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write; by default report.html in the first folder."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="The heading of the page.")] = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Write the report of saved runs: one HTML file that works offline.

    It shows what was asked, the answer (a network can be searched, zoomed and filtered), how good it is, the path over
    the budget and the convergence.

    \b
    Examples:
      atmostk report run/
      atmostk report features/ graph/ attack/ --out report.html --title "All three"
    """
    from atmostk.report import html_report, load_run

    loaded = [load_run(folder) for folder in runs]
    place = out if out is not None else runs[0] / "report.html"
    outputs.free(place, force=force)
    outputs.write_text(html_report(loaded, title=title), place)
    if place != outputs.STANDARD:
        outputs.tell({"report": str(place)}, {}, as_json=as_json)
