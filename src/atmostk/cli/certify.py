"""`atmostk certify`: how good a saved model is on given data, and whether an exchange of features would better it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atmostk.cli import inputs, options, outputs
from atmostk.cli.working import working


def certify(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that 'atmostk fit' wrote, or - for standard input.")
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="Rows with the target: a file in a kind that fit reads, or -.")
    ],
    weights: Annotated[str | None, typer.Option("--weights", help="The column with the rows' weights.")] = None,
    drop: options.Drop = None,
    drop_missing: options.DropMissing = False,
    kind: options.Kind = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell what can be proved of a saved model on given data.

    On the data that it was fitted on: whether the gradient vanishes on its features, from which L on it is
    L-stationary, and what the curvature predicts for the best exchange of one of its features for one outside. On
    other data the same tells how far that data would change the model. All columns but the target are candidates.

    \b
    Examples:
      atmostk certify model.json data.csv
      atmostk certify model.json new.csv --json
      cat data.csv | atmostk certify model.json -
    """
    from atmostk.cli import linear_certificate

    if model == inputs.STANDARD and data == inputs.STANDARD:
        raise ValueError("model and data cannot both come from standard input: name one of them.")
    found = inputs.model(model)
    table = inputs.table(
        inputs.sheet(data, kind), target=found.target, weights=weights, drop=drop or (), drop_missing=drop_missing
    )
    with working(f"looking at {table.X.shape[0]:,} rows and {table.X.shape[1]:,} features"):
        facts = linear_certificate.told(found, table, str(data))
    outputs.tell(facts, {}, as_json=as_json)
