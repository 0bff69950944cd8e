"""./run says what it can do, and what is wrong, without installing anything."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "run"), *arguments], capture_output=True, text=True, timeout=60)


def test_help_lists_the_commands() -> None:
    told = run("help")
    assert told.returncode == 0
    for command in ("demo", "test", "bench", "reproduce"):
        assert f"./run {command}" in told.stdout


@pytest.mark.parametrize("arguments", [["dmeo"], ["--version"]])
def test_an_unknown_command_shows_the_help_and_exits_with_2(arguments: list[str]) -> None:
    told = run(*arguments)
    assert told.returncode == 2
    assert "./run demo" in told.stdout


@pytest.mark.parametrize(("command", "known"), [("bench", "overhead"), ("reproduce", "theory")])
def test_an_unknown_topic_is_answered_with_the_known_ones_before_anything_is_installed(
    command: str, known: str
) -> None:
    told = run(command, "nonsense")
    assert told.returncode == 2
    assert known in told.stderr


@pytest.mark.parametrize("extras", [[], ["dsak"]])
def test_an_unknown_extra_is_answered_with_the_known_ones(extras: list[str]) -> None:
    told = run("install", *extras)
    assert told.returncode == 2
    assert "dask" in told.stderr


def test_the_script_is_understood_by_a_python_too_old_to_run_it() -> None:
    # Python 3.7 must get as far as the sentence that asks for 3.11.
    ast.parse((ROOT / "run").read_text(), feature_version=(3, 7))
