"""`atmostk predict`: what a saved model says of new rows."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated, Any

import typer

from atmostk.cli import inputs, options, outputs
from atmostk.cli.shell import note


def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that 'atmostk fit' wrote, or - for standard input.")
    ],
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="New rows: a file in a kind that fit reads, or - for standard input.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the predictions, as CSV.")] = Path("-"),
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Of a classifier: one for each class.")
    ] = False,
    kind: options.Kind = None,
    drop_missing: options.DropMissing = False,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Predict new rows with a saved model.

    Only the model's own features are looked for in the new data, by name; whatever else is there is left alone.
    Where the target is there too, the score is told on standard error.

    \b
    Examples:
      atmostk predict model.json new.csv
      atmostk predict model.json new.parquet --probabilities --out predicted.csv
      cat new.csv | atmostk predict model.json - | head
    """
    outputs.free(out, force=force)
    if model == inputs.STANDARD and data == inputs.STANDARD:
        raise ValueError("model and data cannot both come from standard input: name one of them.")
    found = inputs.model(model)
    sheet = inputs.sheet(data, kind)
    target = found.target if found.target in sheet.names else None
    table = inputs.table(sheet, target=target, columns=found.features, drop_missing=drop_missing)
    if probabilities and found.kind != "classifier":
        raise ValueError(f"--probabilities: {model} is a regressor, which predicts amounts.")
    fitted = found.estimator()
    columns: dict[str, Any] = {} if table.rows is None else {"row": table.rows}
    columns["predicted"] = fitted.predict(table.X).tolist()
    if probabilities:
        shares = fitted.predict_proba(table.X)
        columns |= {f"probability of {name}": shares[:, place].tolist() for place, name in enumerate(fitted.classes_)}
    if as_json:
        import json

        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        outputs.write_text(json.dumps(outputs.plain(rows), ensure_ascii=False) + "\n", out)
    else:
        outputs.write_text(_csv(columns), out)
    if target is not None:
        note(score(fitted, table.X, table.y))


def score(fitted: Any, X: Any, y: Any) -> str:
    """How good the predictions are where the truth is known."""
    if hasattr(fitted, "classes_"):
        import numpy as np

        known = np.asarray(fitted.classes_)
        truth = y if known.dtype.kind == "U" or y.dtype.kind != "U" else y.astype(known.dtype)
        return f"accuracy on {len(y)} rows: {float((fitted.predict(X) == truth).mean()):.4f}"
    return f"R^2 on {len(y)} rows: {fitted.score(X, y):.4f}"


def _csv(columns: dict[str, Any]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()
