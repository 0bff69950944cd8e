"""What all commands have in common: help with examples, one way to fail, pipes, completion."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import ALONE, Call

from atmostk import __version__
from atmostk.cli.app import app

COMMANDS = sorted(command.name or command.callback.__name__ for command in app.registered_commands)  # pyright: ignore


def test_every_command_of_the_program_is_there(call: Call) -> None:
    assert set(COMMANDS) >= {"fit", "predict", "certify", "graph", "attack", "report"}
    told = call("--help")
    assert told.code == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", told.out, re.MULTILINE)
    assert call().out == told.out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_shows_examples_whose_options_exist(call: Call, command: str) -> None:
    told = call(command, "--help")
    assert told.code == 0
    examples = [line.strip() for line in told.out.splitlines() if f"atmostk {command}" in line and "Usage" not in line]
    assert len(examples) >= 2
    options = set(re.findall(r"(?<![\w-])(-{1,2}[a-z][\w-]*)", told.out.partition("Options:")[2]))
    for example in examples:
        for part in example.split("|"):
            if f"atmostk {command}" in part:
                asked = {word for word in shlex.split(part) if re.fullmatch(r"--?[a-z][\w-]*", word)}
                assert asked <= options, example


def test_the_version_is_told(call: Call) -> None:
    assert call("--version").out == f"atmostk {__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["ift"], ["--nonsense"], ["fit"], ["fit", "--folds", "1", "x"], ["predict", "x"]]
)
def test_wrong_words_are_told_in_a_sentence_with_exit_code_2(call: Call, arguments: list[str]) -> None:
    call(*arguments).complained("atmostk", "--help")


def test_a_mistake_of_the_program_itself_is_said_to_be_one(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import atmostk.cli.inputs

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("one over nothing")

    monkeypatch.setattr(atmostk.cli.inputs, "sheet", broken)
    call("fit", "data.csv", "-k", "1").complained("a mistake in atmostk itself", "one over nothing")


def test_help_answers_without_loading_what_it_does_not_need() -> None:
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "atmostk", "fit", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=os.environ | ALONE,
    )
    for library in ("sklearn", "torch", "numba", "plotly"):
        assert not re.search(rf"\| +{library}\n", told.stderr), library


def test_a_reader_that_has_seen_enough_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,y\n" + "".join(f"{n % 7},{n % 5}\n" for n in range(50_000)))
    model = tmp_path / "model.json"
    program = f"{shlex.quote(sys.executable)} -m atmostk"
    line = f"{program} fit data.csv -k 1 --out {model} >told 2>&1 && {program} predict {model} data.csv | head -n 3"
    told = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], cwd=tmp_path, capture_output=True, text=True, env=os.environ | ALONE
    )
    assert len(told.stdout.splitlines()) == 3
    assert "rror" not in told.stderr
    assert "Traceback" not in told.stderr
    assert told.returncode in (0, 141)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands(shell: str) -> None:
    words = {"bash": {"COMP_WORDS": "atmostk gr", "COMP_CWORD": "1"}}.get(shell, {"_TYPER_COMPLETE_ARGS": "atmostk gr"})
    more = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    told = subprocess.run(
        [sys.executable, "-c", "from atmostk.cli.app import main; main()"],
        env=os.environ | ALONE | words | more | {"_ATMOSTK_COMPLETE": f"complete_{shell}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "graph" in told.stdout, told.stderr
    assert "predict" not in told.stdout


def test_a_terminal_as_standard_input_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    from atmostk.cli import inputs

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO()))
    with pytest.raises(ValueError, match="standard input is a terminal"):
        inputs.source(inputs.STANDARD)
