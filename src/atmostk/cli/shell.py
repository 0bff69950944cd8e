"""How the program ends: what a person can mend is told in one sentence with exit code 2, and never as a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

WRONG = 2
INTERRUPTED = 130  # as shells have it for Ctrl-C
# What the library raises for input that cannot be used, each with its one sentence.
MENDABLE = (ValueError, TypeError, OSError, ImportError, MemoryError, OverflowError)


class Interrupted(Exception):
    """Ctrl-C was pressed and the best answer so far has been written: the sentence says where."""


class Shell(TyperGroup):
    """The commands, with their failures in one sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _end(ctx, "interrupted before there was an answer: nothing was written.", INTERRUPTED)
        except Interrupted as told:
            _end(ctx, str(told), INTERRUPTED)
        except BrokenPipeError:
            # Who reads our output has seen enough; Python must not complain when it flushes at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if hasattr(error, "format_message"):  # wrong options: told by main
                raise
            if isinstance(error, MENDABLE) or type(error) is RuntimeError:
                _end(ctx, _sentence(error), WRONG)
            told = f"{type(error).__name__}: {_sentence(error)}"
            _end(ctx, f"a mistake in atmostk itself ({told}): please report it.", WRONG)

    def main(self, *args: Any, standalone_mode: bool = True, **rest: Any) -> Any:
        """The whole program; wrong options are told as everything else is."""
        try:
            code = super().main(*args, standalone_mode=False, **rest)
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            context = getattr(error, "ctx", None)
            name = context.command_path if context is not None else "atmostk"
            _say(f"{name}: {' '.join(error.format_message().split())}  See '{name} --help'.")  # pyright: ignore
            code = WRONG
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else 0)
        return code


def note(text: str) -> None:
    """A line for a person, beside the results."""
    _say(f"note: {text}")


def _end(ctx: Any, sentence: str, code: int) -> None:
    if os.environ.get("ATMOSTK_TRACEBACK"):
        traceback.print_exc()
    name = f"{ctx.command_path} {ctx.invoked_subcommand}" if ctx.invoked_subcommand else ctx.command_path
    _say(f"{name}: {sentence}")
    raise typer.Exit(code) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, MemoryError) and not str(error):
        return "there is not enough memory for this."
    return " ".join(str(error).split()) or type(error).__name__


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
