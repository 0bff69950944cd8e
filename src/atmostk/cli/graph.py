"""`atmostk graph`: which variables depend on which, as a network of at most so many edges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from atmostk.cli import options, outputs
from atmostk.cli.shell import Interrupted, note
from atmostk.cli.working import working


def graph(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Samples by variables: CSV, TSV, Parquet, npz, .h5ad, a GEO file or accession; - is standard input.",
        ),
    ],
    edges: Annotated[
        str | None,
        typer.Option("--edges", "-e", help="How many edges; with --cv those to try: 500,1000 or 500-3000:500."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The network: .graphml, .gexf, .json (Cytoscape), .csv, .parquet; - is CSV to standard output.",
        ),
    ] = None,
    cv: Annotated[bool, typer.Option("--cv", help="Choose how many edges by cross-validation.")] = False,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Parts of the cross-validation.")] = 5,
    frugal: options.Frugal = False,
    ridge: Annotated[float, typer.Option("--ridge", min=0, help="Shrinks the chosen edges, squared.")] = 0.0,
    shrinkage: Annotated[float, typer.Option("--shrinkage", min=0, help="Shrinks the chosen edges, absolutely.")] = 0.0,
    known: Annotated[
        list[str] | None, typer.Option("--known", help="A pair that is an edge, as GENE1,GENE2; several times.")
    ] = None,
    forbidden: Annotated[
        list[str] | None, typer.Option("--forbidden", help="A pair that is none, as GENE1,GENE2; several times.")
    ] = None,
    ranks: Annotated[bool, typer.Option("--ranks", help="Take ranks for values: heavy tails do not count.")] = False,
    impute: Annotated[bool, typer.Option("--impute", help="Fill an empty cell with its variable's mean.")] = False,
    transpose: Annotated[
        bool, typer.Option("--transpose", help="The file has variables in rows and samples in columns.")
    ] = False,
    most_variable: Annotated[
        int | None, typer.Option("--most-variable", min=2, help="Take only so many variables, those that vary most.")
    ] = None,
    drop_constant: Annotated[
        bool, typer.Option("--drop-constant", help="Leave out the variables that never vary.")
    ] = False,
    max_memory: Annotated[
        str | None,
        typer.Option("--max-memory", help="Read the samples where they are, within so much: 500MB, 2GB. No CSV."),
    ] = None,
    drop: options.Drop = None,
    drop_missing: options.DropMissing = False,
    kind: Annotated[
        str | None,
        typer.Option("--format", help="What the data is (csv, tsv, parquet, npz, h5ad, geo), if its name hides it."),
    ] = None,
    kicks: options.Kicks = None,
    seed: options.Seed = 0,
    max_seconds: options.MaxSeconds = None,
    run: options.RunFolder = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Learn a network with at most so many edges.

    An edge says that two variables depend on each other given all others. Variables are standardised. Ctrl-C ends the
    search with the best network so far.

    \b
    Examples:
      atmostk graph expression.csv --edges 1550 --out network.graphml
      atmostk graph cells.h5ad --most-variable 2000 --edges 4000 --out network.gexf --run run/
      atmostk graph GDS2910.soft.gz --cv --edges 500-3000:500 --out network.json
      atmostk graph genes-in-rows.tsv --transpose --drop-constant -e 300 --out edges.csv
      atmostk graph samples.parquet -e 5000 --max-memory 2GB --out network.parquet
      cat expression.csv | atmostk graph - -e 100 --out - | sort -t, -k4
    """
    from atmostk.cli import expression_input, graph_fit

    outputs.free(out, run, force=force)
    asked = graph_fit.Asked(
        edges=graph_fit.budgets(edges, cv),
        cv=cv,
        folds=folds,
        frugal=frugal,
        ridge=ridge,
        shrinkage=shrinkage,
        known=graph_fit.pairs(known, "--known"),
        forbidden=graph_fit.pairs(forbidden, "--forbidden"),
        ranks=ranks,
        impute=impute,
        kicks=kicks or 0,
        seed=seed,
        max_seconds=max_seconds,
    )
    graph_fit.check_ending(out)
    found: Any
    if max_memory is not None:
        if drop or drop_missing or drop_constant or transpose or most_variable is not None or kind is not None:
            raise ValueError("--max-memory reads a file as it is, without options that choose rows or variables.")
        found = expression_input.open_measurements(Path(data), max_memory)
    else:
        found = expression_input.read_measurements(
            Path(data),
            kind,
            drop=drop,
            transpose=transpose,
            drop_constant=drop_constant,
            most_variable=most_variable,
            keep_missing=impute,
            drop_missing=drop_missing,
        )
    _leave(graph_fit.fitted(asked, found, data, working), out, run, as_json)


def _leave(found: Any, out: Path | None, run: Path | None, as_json: bool) -> None:
    """Write what was asked for, and tell what was found."""
    if out is not None:
        found.write(out)
    if run is not None:
        from atmostk.report import save_run

        save_run(found.run(), run)
        note(f"'atmostk report {run}' makes the page of this run.")
    facts, tables = found.told()
    outputs.tell(facts, tables, as_json=as_json, aside=out == outputs.STANDARD)
    if found.interrupted:
        where = " and ".join(str(place) for place in (out, run) if place is not None and place != outputs.STANDARD)
        raise Interrupted(f"interrupted: the best network so far {f'is in {where}' if where else 'is told above'}.")
