"""Makes the figures of the pages while the docs are built, by running the blocks that the pages show.

A block that ends in `figure.savefig("name.png")` makes the picture that the page refers to as `figures/name.png`.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"\]\(figures/([\w-]+\.png)\)")
NEEDS = re.compile(r"<!-- needs: ([\w, ]+) -->")


def on_pre_build(config: Any) -> None:
    """Called by mkdocs before it looks for files."""
    folder = PAGES / "figures"
    folder.mkdir(exist_ok=True)
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        wanted = [folder / name for name in PICTURE.findall(text)]
        newest = max(page.stat().st_mtime, Path(__file__).stat().st_mtime)
        if all(picture.exists() and picture.stat().st_mtime > newest for picture in wanted):
            continue
        missing = [name for names in NEEDS.findall(text) for name in re.findall(r"\w+", names) if not find_spec(name)]
        if missing:
            raise SystemExit(f"{page.name} needs {', '.join(missing)}: install them to build the docs.")
        with tempfile.TemporaryDirectory() as place:
            run(page, text, Path(place))
            for picture in wanted:
                if (Path(place) / picture.name).exists():
                    shutil.copyfile(Path(place) / picture.name, picture)
        absent = [picture.name for picture in wanted if not picture.exists()]
        if absent:
            raise SystemExit(f"{page.name} shows {', '.join(absent)}, which none of its blocks saves.")


def run(page: Path, text: str, folder: Path) -> None:
    """Run the page's blocks in the folder, one after the other, without a display."""
    os.environ["MPLBACKEND"] = "Agg"
    before = Path.cwd()
    os.chdir(folder)
    try:
        names: dict[str, object] = {"__name__": page.stem}
        for block in BLOCK.finditer(text):
            line = text[: block.start()].count("\n") + 1
            exec(compile("\n" * line + block.group(1), str(page), "exec", dont_inherit=True), names)
    finally:
        os.chdir(before)
