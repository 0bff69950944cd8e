"""`atmostk fit --max-memory`: rows that are read where they are, because they are more than memory holds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from atmostk.cli.linear_fit import Asked, Found, are_classes, estimator
from atmostk.cli.shell import note
from atmostk.datasets.table import Table

LOOKED_AT = 2_000  # rows by which classes are told from amounts


@dataclass(frozen=True)
class Elsewhere:
    """Rows that are not here: what is known of them is how many there are."""

    shape: tuple[int, int]


@dataclass(frozen=True)
class StreamedFound(Found):
    """A model of rows that were read in passes: to score it on them would be one more."""

    def quality(self) -> dict[str, Any]:
        """The score on rows held out, where there are such."""
        return {} if self.held_out is None else {f"{self.measure} on held-out rows": self.held_out}

    def _spread(self) -> np.ndarray | None:
        return None


def fitted(
    asked: Asked,
    data: Path,
    target: str,
    weights: str | None,
    max_memory: str,
    working: Callable[[str], AbstractContextManager[None]],
) -> StreamedFound:
    """Fit in passes over the file, with a line about what is done."""
    from atmostk.datasets import open_rows

    if asked.cv:
        raise ValueError("--cv does not go with --max-memory: name how many features with --at-most.")
    rows = open_rows(data, target=target, weights=weights, max_memory=max_memory)
    names = [str(name) for name in rows.names]
    classify = asked.classify
    if classify is None:
        _, some = rows.draw(min(LOOKED_AT, rows.size), np.random.default_rng(asked.seed)).data
        classify = are_classes(np.asarray(some))
        note(f"the target is read as {'classes' if classify else 'amounts'}; --classify or --regress says it outright.")
    table = Table(Elsewhere((rows.size, len(names))), names)
    what = f"choosing {asked.at_most[0]} features, {rows.size:,} rows of {len(names):,} read within {max_memory}"
    with working(what):
        model = estimator(asked, asked.at_most, classify, table).fit(rows)
    return StreamedFound(replace(asked, classify=classify), table, target, str(data), model)
