"""The constraint that the documentation adds is a true one."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from atmostk.constraints import AlwaysKept, WithinBox
from atmostk.constraints.budget import Budget

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-constraint.md"


@pytest.fixture
def page(capsys):
    names = {"__name__": "page"}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S):
        exec(compile(block, str(PAGE), "exec"), names)
    return names, capsys.readouterr().out


def test_the_page_prints_what_it_says(page):
    printed = "".join(f"# {line}\n" for line in page[1].splitlines())
    assert printed in PAGE.read_text(encoding="utf-8")


def test_the_constraint_of_the_page_finds_the_nearest_point_inside_any_wrapper(page):
    make = page[0]["AtMostEachRow"]
    assert isinstance(make(1), Budget)
    rng = np.random.default_rng(0)
    for _ in range(20):
        v = rng.integers(-3, 4, (2, 3)).astype(float)
        constraint = AlwaysKept(WithinBox(make(1), -1, 2), [4])
        constraint.check(v)
        x = constraint.restrict(v, constraint.choose(v))
        clipped = np.clip(v, -1, 2)
        distances = []
        for first, second in itertools.product([0, 1, 2], [3, 5]):
            other = np.zeros(6)
            other[[first, second, 4]] = clipped.ravel()[[first, second, 4]]
            distances.append(np.sum((v.ravel() - other) ** 2))
        assert np.sum((v - x) ** 2) == min(distances)
