"""The program `atmostk`: its commands and what they have in common."""

from __future__ import annotations

from typing import Annotated

import typer

from atmostk.cli.attack import attack
from atmostk.cli.certify import certify
from atmostk.cli.demo import demo
from atmostk.cli.fit import fit
from atmostk.cli.graph import graph
from atmostk.cli.predict import predict
from atmostk.cli.report import report
from atmostk.cli.shell import Shell

app = typer.Typer(
    cls=Shell,
    name="atmostk",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Results go to standard output, everything else to standard error. 'atmostk fit --help' shows examples.",
)


@app.callback(invoke_without_command=True)
def atmostk(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
) -> None:
    """Learn models with at most K nonzeros: K features, K edges of a graph, K pixels of an attack."""
    if version:
        from atmostk import __version__

        typer.echo(f"atmostk {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for command in (fit, predict, certify, graph, attack, report, demo):
    app.command()(command)


def main() -> None:
    """What the program `atmostk` and `python -m atmostk` call."""
    app(prog_name="atmostk")
