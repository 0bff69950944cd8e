"""docs/api.md is complete: every public name is on it, and its docstring shows how it is used."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "docs" / "api.md"
LISTED = set(re.findall(r"^::: (atmostk[\w.]*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
FOLDERS = (
    "constraints",
    "datasets",
    "estimators",
    "inference",
    "graphs.selection",
    "networks",
    "networks.adapters",
    "objectives",
    "report",
    "samplers",
    "solvers",
)
EXAMPLE = re.compile(r"^>>> |^ {4}\S", re.MULTILINE)


def public_things() -> Iterator[tuple[str, Any]]:
    """Each public name with what it stands for; what needs a library that is not installed is left out."""
    folders = [f"atmostk.{folder}" for folder in FOLDERS if find_spec(f"atmostk.{folder}")]
    for module in map(import_module, ["atmostk", "atmostk.stopping", *folders]):
        for name in getattr(module, "__all__", None) or defined_in(module):
            try:
                yield f"{module.__name__}.{name}", getattr(module, name)
            except ImportError:
                continue


def defined_in(module: ModuleType) -> list[str]:
    own = {name for name, found in vars(module).items() if getattr(found, "__module__", "") == module.__name__}
    return sorted(name for name in own if not name.startswith("_"))


def test_every_public_name_is_on_the_page() -> None:
    homes = {
        f"{found.__module__}.{found.__name__}"
        for _, found in public_things()
        if not isinstance(found, ModuleType) and getattr(found, "__module__", "").startswith("atmostk")
    }
    missing = sorted(home for home in homes if not {home, home.rpartition(".")[0]} & LISTED)
    assert not missing, f"add to {PAGE.name}: " + ", ".join(f"::: {home}" for home in missing)


def test_every_public_name_has_a_docstring_with_an_example() -> None:
    called = [(name, found) for name, found in public_things() if callable(found)]
    silent = {name for name, found in called if not EXAMPLE.search(inspect.cleandoc(found.__doc__ or ""))}
    assert not silent, "without an example in its docstring: " + ", ".join(sorted(silent))


def test_every_entry_of_the_page_exists() -> None:
    gone = []
    for entry in sorted(LISTED):
        home, _, name = entry.rpartition(".")
        if find_spec(home) is None or (find_spec(entry) is None if _is_package(home) else _lacks(home, name)):
            gone.append(entry)
    assert not gone, f"on {PAGE.name}, but not in the package: " + ", ".join(gone)


def _is_package(module: str) -> bool:
    found = find_spec(module)
    return found is not None and found.submodule_search_locations is not None


def _lacks(module: str, name: str) -> bool:
    try:
        return not hasattr(import_module(module), name)
    except ImportError:
        return False  # its library is not installed here
