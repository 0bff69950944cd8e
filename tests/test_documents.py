"""Every Python block of the README and of the pages under docs/ runs, in order, page by page."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A page says what its blocks need beyond the core, as in <!-- needs: torch -->.
NEEDS = re.compile(r"<!-- needs: ([\w, ]+) -->")


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text()
    for library in NEEDS.findall(text):
        for name in library.replace(",", " ").split():
            if find_spec(name) is None:
                pytest.skip(f"{page.name} needs {name}")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        # The empty lines make a traceback name the line of the page.
        exec(compile("\n" * line + block.group(1), str(page), "exec", dont_inherit=True), names)


def test_no_page_shows_code_that_the_test_above_does_not_see() -> None:
    for page in PAGES:
        assert "```py\n" not in page.read_text(), page
