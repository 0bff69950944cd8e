"""Puts what was measured into the pages while the docs are built: the tables of benchmarks/results, the reproduction's.

A line `<!-- results: benchmarks/results -->` becomes all tables of that folder, `<!-- result: path.md -->` one file.
Their pictures are copied beside the pages' own.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).parent / "figures"
MANY = re.compile(r"^<!-- results: ([\w/.-]+) -->$", re.MULTILINE)
ONE = re.compile(r"^<!-- result: ([\w/.-]+\.md)(?: from: (.+?))? -->$", re.MULTILINE)
HEADING = re.compile(r"^(#+ )", re.MULTILINE)
PICTURE = re.compile(r"\]\((?!https?:|figures/)([\w./-]+\.(?:png|svg))\)")


def on_pre_build(config: Any) -> None:
    """Called by mkdocs before it looks for files: the pictures of all results."""
    FIGURES.mkdir(exist_ok=True)
    for folder in ("benchmarks/results", "reproduction/results"):
        for picture in sorted((ROOT / folder).rglob("*")):
            if picture.suffix in (".png", ".svg"):
                shutil.copyfile(picture, FIGURES / name_of(picture))


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page."""
    markdown = MANY.sub(lambda found: "\n\n".join(map(told, sorted((ROOT / found[1]).glob("*.md")))), markdown)
    return ONE.sub(lambda found: told(ROOT / found[1], found[2]), markdown)


def told(file: Path, begin: str | None = None) -> str:
    """The file, or what stands under one of its headings, with headings a level lower and pictures where they are."""
    if not file.exists():  # a reader is told so rather than left without the page
        return f"*Not measured yet: `./run bench {file.stem}` writes this table.*"
    text = file.read_text(encoding="utf-8")
    if begin is not None:
        text = re.split(r"^## ", text.partition(f"## {begin}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
        if not text:
            raise SystemExit(f"{file} has no heading '## {begin}'.")
    text = PICTURE.sub(lambda link: f"](figures/{name_of(file.parent / link[1])})", text)
    return HEADING.sub(r"#\1", text)


def name_of(picture: Path) -> str:
    """What a picture of the results is called beside the pages' own."""
    return "-".join(picture.resolve().relative_to(ROOT).parts)
