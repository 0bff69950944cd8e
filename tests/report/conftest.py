"""Runs to tell, and a real browser to read the report with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from atmostk.report import SavedRun

# A browser in a test stays on this machine and leaves nothing behind.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, headless, with a fresh profile."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium here: install it, or name it in the environment variable CHROMIUM")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        opened.close()


def features() -> SavedRun:
    """Three features, one of them with a name that tries to be markup."""
    budgets = np.arange(1, 11)
    return SavedRun(
        "features",
        "Diabetes",
        "3 of 10 features explain 48 %",
        asked={"at most": 3, "chosen budget": 3},
        quality={"held-out R^2": 0.483, "infinite": np.inf},
        tables={
            "answer": {"feature": ["bmi", "<img src=x onerror=alert(1)>", "s5"], "coefficient": np.array([2.5, -1, 2])},
            "path": {
                "K": budgets,
                "objective: train": 1 / budgets,
                "objective: held out": 1 / budgets + 0.01 * budgets,
            },
        },
    )


def graph(nodes: int = 1_900, count: int = 6_550) -> SavedRun:
    """A network with hubs, whose strongest edge is the first."""
    rng = np.random.default_rng(0)
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < count:
        one, other = int(nodes * rng.random() ** 2), int(nodes * rng.random())
        if one != other:
            pairs.add((min(one, other), max(one, other)))
    first, second = np.array(sorted(pairs)).T
    strength = rng.uniform(-0.5, 0.5, count)
    strength[0] = 0.9
    return SavedRun(
        "graph",
        "Genes",
        f"{count} edges among {nodes} genes",
        asked={"edges": count},
        tables={
            "nodes": {"name": [f"GENE{node}" for node in range(nodes)]},
            "edges": {"first": first, "second": second, "partial correlation": strength},
            "convergence": {
                "value": np.exp(-np.arange(30) / 10),
                "accepted": np.arange(30) % 3 > 0,
                "radius": 2.0 ** -np.arange(30),
                "gradient_rows": np.full(30, 50),
                "value_rows": np.full(30, 150),
            },
        },
    )


def attack() -> SavedRun:
    """A perturbation of two pixels, and what it does to two images."""
    perturbation = np.zeros((8, 8))
    perturbation[2, 3], perturbation[5, 1] = 1.0, -1.0
    originals = np.random.default_rng(0).random((2, 8, 8))
    images = {"originals": originals, "perturbed": np.clip(originals + perturbation, 0, 1)}
    tables = {
        "answer": {"row": np.array([2, 5]), "column": np.array([3, 1]), "change": np.array([1.0, -1.0])},
        "classes": {"class": np.arange(2), "images": np.array([8, 4]), "right after": np.array([0.25, 1.0])},
        "confusion": {"0": np.array([2, 0]), "1": np.array([6, 4])},
    }
    return SavedRun("attack", "Digits", "2 pixels", tables=tables, images={"perturbation": perturbation} | images)
