"""`atmostk fit`: a linear model of at most K features from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from atmostk.cli import inputs, options, outputs
from atmostk.cli.shell import Interrupted, note
from atmostk.cli.working import working


def fit(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, npz or svmlight; - is standard input.")
    ],
    target: Annotated[
        str, typer.Option("--target", "-y", help="The column to predict (of npz and svmlight: y).")
    ] = "y",
    at_most: Annotated[
        str | None,
        typer.Option("--at-most", "-k", help="How many features; with --cv those to try: 1-30, or 1,2,5,10."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write the model; - is standard output.")
    ] = None,
    cv: Annotated[bool, typer.Option("--cv", help="Choose how many features by cross-validation.")] = False,
    folds: Annotated[int, typer.Option("--folds", min=2, help="Parts of the cross-validation.")] = 5,
    frugal: options.Frugal = False,
    classify: Annotated[
        bool | None,
        typer.Option("--classify/--regress", help="Read the target as classes or as amounts, where that is not clear."),
    ] = None,
    loss: Annotated[str | None, typer.Option("--loss", help="squared_error, huber, poisson, ... or logistic.")] = None,
    ridge: Annotated[float, typer.Option("--ridge", min=0, help="Shrinks the coefficients a little.")] = 0.0,
    always: Annotated[
        list[str] | None, typer.Option("--always", help="A feature to keep whatever it is worth; several times.")
    ] = None,
    non_negative: Annotated[bool, typer.Option("--non-negative", help="No coefficient below zero.")] = False,
    weights: Annotated[str | None, typer.Option("--weights", help="The column with the rows' weights.")] = None,
    test: Annotated[Path | None, typer.Option("--test", help="Rows kept apart, to score the model on.")] = None,
    max_memory: Annotated[
        str | None,
        typer.Option("--max-memory", help="Read the rows where they are, within so much: 500MB, 2GB. No CSV."),
    ] = None,
    drop: options.Drop = None,
    drop_missing: options.DropMissing = False,
    kind: options.Kind = None,
    kicks: options.Kicks = None,
    seed: options.Seed = 0,
    max_seconds: options.MaxSeconds = None,
    run: options.RunFolder = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Fit a linear model that uses at most K features.

    A target of words, or of two different values, is read as classes, any other as amounts. Ctrl-C ends the search with
    the best model so far. What is larger than memory (Parquet, Arrow, .npy, svmlight, folders of them) is read in
    passes with --max-memory.

    \b
    Examples:
      atmostk fit data.csv --target price --at-most 10 --out model.json
      atmostk fit data.csv --target price --cv --at-most 1-30 --run run/
      atmostk fit visits.parquet -y visits -k 5 --loss poisson --out model.json
      atmostk fit rows.svm -k 50 --classify --out model.json
      atmostk fit sales/ -y price -k 20 --max-memory 2GB --out model.json
      cat data.csv | atmostk fit - -y price -k 3 --out - | atmostk predict - new.csv
    """
    from atmostk.cli import linear_fit

    outputs.free(out, run, force=force)
    asked = linear_fit.Asked(
        at_most=linear_fit.budgets(at_most, cv),
        cv=cv,
        folds=folds,
        frugal=frugal,
        classify=linear_fit.classes_wanted(classify, loss),
        loss=loss,
        ridge=ridge,
        always=tuple(always or ()),
        non_negative=non_negative,
        kicks=kicks,
        seed=seed,
        max_seconds=max_seconds,
    )
    found: Any
    if max_memory is not None:
        from atmostk.cli import streamed_fit

        if drop or drop_missing or kind is not None or data == inputs.STANDARD:
            raise ValueError("--max-memory reads a named file as it is, without --drop, --drop-missing and --format.")
        found = streamed_fit.fitted(asked, data, target, weights, max_memory, working)
    else:
        table = inputs.table(
            inputs.sheet(data, kind), target=target, weights=weights, drop=drop or (), drop_missing=drop_missing
        )
        found = linear_fit.fitted(asked, table, target, str(data), working)
    if test is not None:
        columns = found.table.names
        held = inputs.table(inputs.sheet(test, None), target=target, columns=columns, drop_missing=drop_missing)
        found = found.scored(held)
    _leave(found, out, run, as_json)
    if found.interrupted:
        where = " and ".join(str(place) for place in (out, run) if place is not None and place != outputs.STANDARD)
        raise Interrupted(f"interrupted: the best model so far {f'is in {where}' if where else 'is told above'}.")


def _leave(found: Any, out: Path | None, run: Path | None, as_json: bool) -> None:
    """Write what was asked for, and tell what was found."""
    if out is not None:
        outputs.write_text(found.model().text(), out)
    if run is not None:
        from atmostk.report import save_run

        save_run(found.run(), run)
        note(f"'atmostk report {run}' makes the page of this run.")
    facts, tables = found.told()
    outputs.tell(facts, tables, as_json=as_json, aside=out == outputs.STANDARD)
