"""One HTML file for one run or several: nothing is loaded from anywhere, and nothing can be."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from atmostk.checkpoint import write_whole
from atmostk.report import sections
from atmostk.report.saved_run import SavedRun

# The page may run what is written in it, and reach nothing else.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def html_report(runs: SavedRun | Sequence[SavedRun], *, title: str | None = None) -> str:
    """The report of one run, or of several on one page.

    >>> page = html_report(SavedRun("features", "Diabetes", "2 of 10 features explain 46 %"))  # doctest: +SKIP
    >>> "2 of 10 features" in page  # doctest: +SKIP
    True
    """
    runs = [runs] if isinstance(runs, SavedRun) else list(runs)
    if not runs:
        raise ValueError("a report needs one run or more.")
    title = title if title is not None else runs[0].title
    links = "".join(f'<a href="#run-{number}">{html.escape(run.title)}</a>' for number, run in enumerate(runs))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{html.escape(title)}</title>
<style>
{_own("page.css")}
</style>
</head>
<body>
<header>
<h1>{html.escape(title)}</h1>
<nav>{links if len(runs) > 1 else ""}<button type="button" id="theme">Dark or light</button></nav>
</header>
<main>
{"".join(sections.of_run(run, number) for number, run in enumerate(runs))}
</main>
<script>{_plotly()}</script>
<script>
{_own("page.js")}
{_own("network.js")}
</script>
</body>
</html>
"""


def write_report(runs: SavedRun | Sequence[SavedRun], file: str | Path, *, title: str | None = None) -> Path:
    """Write `html_report` to a file.

    Of a run that was saved:

        write_report(load_run("runs/diabetes"), "diabetes.html")
    """
    page = html_report(runs, title=title).encode()
    write_whole(Path(file), lambda opened: opened.write(page))
    return Path(file)


def _own(name: str) -> str:
    return (files("atmostk.report") / name).read_text(encoding="utf-8")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError("a report needs plotly: pip install 'atmostk[plots]'.") from None
    return get_plotlyjs()
