"""What `atmostk graph` asks of the graph estimators, and what it has to tell, to write and to report afterwards."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from atmostk.cli import outputs
from atmostk.cli.expression_input import Measurements, MeasurementsElsewhere
from atmostk.cli.options import numbers
from atmostk.cli.shell import note


@dataclass(frozen=True)
class Asked:
    """What a person wants of the graph; `edges` is empty where cross-validation may try whatever it likes."""

    edges: tuple[int, ...] = ()
    cv: bool = False
    folds: int = 5
    frugal: bool = False  # the fewest edges within one standard error of the best
    ridge: float = 0.0
    shrinkage: float = 0.0
    known: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    ranks: bool = False
    impute: bool = False
    kicks: int = 0
    seed: int = 0
    max_seconds: float | None = None


def budgets(text: str | None, cv: bool) -> tuple[int, ...]:
    """The numbers of edges that --edges names."""
    if text is None:
        if not cv:
            raise ValueError("say how many edges with --edges 1550, or let cross-validation choose with --cv.")
        return ()
    found = tuple(numbers(text, "--edges"))
    if len(found) > 1 and not cv:
        raise ValueError(f"--edges {text} names {len(found)} budgets: add --cv to choose among them, or name one.")
    return found


def pairs(texts: Sequence[str] | None, option: str) -> tuple[tuple[str, str], ...]:
    """Pairs of names.

    >>> pairs(["TP53,MDM2"], "--known")
    (('TP53', 'MDM2'),)
    """
    found = []
    for text in texts or ():
        names = [name.strip() for name in text.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise ValueError(f"{option} {text}: give two different names with a comma between, such as TP53,MDM2.")
        found.append((names[0], names[1]))
    return tuple(found)


def check_ending(out: Path | None) -> None:
    """Raise, before any work is done, where the network's file would be of no known kind."""
    from atmostk.estimators.graph_files.write_network import WRITERS

    if out is not None and out != outputs.STANDARD and out.suffix.lower() not in WRITERS:
        raise ValueError(f"--out {out}: a network is written to a file that ends in one of {', '.join(WRITERS)}.")


def fitted(
    asked: Asked,
    data: Measurements | MeasurementsElsewhere,
    where: str,
    working: Callable[[str], AbstractContextManager[None]],
) -> Found:
    """Learn the graph, with a line about what is done."""
    rows, size = data.shape
    source = data.rows if isinstance(data, MeasurementsElsewhere) else data
    if asked.cv and isinstance(data, MeasurementsElsewhere):
        raise ValueError("--cv does not go with --max-memory: name how many edges with --edges.")
    for name in {name for pair in (*asked.known, *asked.forbidden) for name in pair}:
        if name not in data.columns:
            raise ValueError(f"{where} has no variable {name!r}: --known and --forbidden take names of variables.")
    told = f"{size:,} variables, {rows:,} samples of {where}"
    if asked.cv:
        for option, given in (("--max-seconds", asked.max_seconds), ("--kicks", asked.kicks or None)):
            if given is not None:
                raise ValueError(f"{option} does not go with --cv, which ends by itself: leave one of the two out.")
        what = f"choosing how many edges by {asked.folds}-fold cross-validation ({told})"
    else:
        most = size * (size - 1) // 2
        if asked.edges[0] > most:
            raise ValueError(f"--edges {asked.edges[0]}: {size} variables have {most:,} pairs, name at most so many.")
        what = f"choosing {asked.edges[0]:,} edges ({told})"
    try:
        with working(what):
            return Found(asked, data, where, _estimator(asked).fit(source))
    except KeyboardInterrupt:
        if not asked.cv:
            raise
    # The folds had not come to a choice: what can be had at once is the plain graph of a number in the middle.
    tried = [count for count in asked.edges or (size,) if count <= size * (size - 1) // 2] or [0]
    middle = tried[(len(tried) - 1) // 2]
    note(f"the folds had chosen nothing yet: this is the graph of {middle:,} edges without them.")
    plain = replace(asked, edges=(middle,), cv=False)
    return Found(plain, data, where, _estimator(plain).fit(source), cut_short=True)


def _estimator(asked: Asked) -> Any:
    import atmostk

    more: dict[str, Any] = {
        "ridge": asked.ridge,
        "known": list(asked.known) or None,
        "forbidden": list(asked.forbidden) or None,
        "ranks": asked.ranks,
        "impute": asked.impute,
        "random_state": asked.seed,
    }
    if asked.cv:
        if asked.shrinkage:
            more["shrinkage"] = [asked.shrinkage]
        rule = "one_standard_error" if asked.frugal else "best"
        return atmostk.SparsePrecisionCV(edges=list(asked.edges) or None, cv=asked.folds, rule=rule, **more)
    # A search with a clock, even one that never strikes, is one that Ctrl-C ends with the best network so far.
    limit = math.inf if asked.max_seconds is None else asked.max_seconds
    return atmostk.SparsePrecision(
        edges=asked.edges[0], shrinkage=asked.shrinkage, kicks=asked.kicks, max_seconds=limit, **more
    )


@dataclass(frozen=True)
class Found:
    """A learned network and where it comes from."""

    asked: Asked
    data: Measurements | MeasurementsElsewhere
    where: str
    fitted: Any
    cut_short: bool = False

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search, or the choice before it."""
        return self.cut_short or "interrupted" in self.fitted.result_.stop.reason

    def write(self, place: Path) -> None:
        """The network into a file, or as CSV to standard output."""
        from atmostk.estimators.graph_files import edge_list, write_network

        if place == outputs.STANDARD:
            edge_list.write_csv(self.fitted.edges_.strongest(), sys.stdout.buffer)
            sys.stdout.flush()
            return
        if place.is_dir():
            raise IsADirectoryError(f"{place} is a folder: name a file in it.")
        write_network(place, self.fitted)

    def quality(self) -> dict[str, Any]:
        """What is known of the network beside its certificate."""
        return {
            "connected variables": int((self.fitted.edges_.degrees > 0).sum()),
            "most neighbours": int(self.fitted.edges_.degrees.max(initial=0)),
            "positive definite": bool(self.fitted.is_positive_definite_),
        }

    def told(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and tables for standard output."""
        from atmostk.report.graph_run import graph_path

        edges = self.fitted.edges_
        certificate = getattr(self.fitted, "certificate_", None)
        facts = {
            "edges": len(edges),
            "variables": len(edges.names),
            **self.quality(),
            "objective": self.fitted.result_.value,
            "best exchange": None if certificate is None else _exchange(certificate.best_exchange),
            "ended": self.fitted.result_.stop.reason,
        }
        strongest = edges.strongest()
        table = {
            "first": [str(name) for name in strongest.first],
            "second": [str(name) for name in strongest.second],
            "partial correlation": strongest.partial_correlation,
            "weight": strongest.weight,
        }
        path = graph_path(self.fitted)
        return facts, {"network": table} if path is None else {"path": path, "network": table}

    def run(self) -> Any:
        """The run, to be kept for a report."""
        from atmostk.report.graph_run import graph_run

        edges, (rows, size) = self.fitted.edges_, self.data.shape
        asked = {
            "data": self.where,
            "samples": rows,
            "variables": size,
            "edges": "chosen by cross-validation" if self.asked.cv else self.asked.edges[0],
            "ridge": self.asked.ridge,
            "shrinkage": self.asked.shrinkage,
            "known edges": len(self.asked.known),
            "forbidden pairs": len(self.asked.forbidden),
            "ranks": self.asked.ranks,
            "seed": self.asked.seed,
            "chosen budget": len(edges),
        }
        headline = (
            f"{len(edges):,} edges among {size:,} variables, {self.quality()['connected variables']:,} connected."
        )
        return graph_run(
            self.fitted, title=f"Network of {self.where}", headline=headline, asked=asked, quality=self.quality()
        )


def _exchange(gain: float) -> outputs.Said:
    from atmostk.report.made import said_of_exchange

    return outputs.Said(said_of_exchange(gain), gain)
