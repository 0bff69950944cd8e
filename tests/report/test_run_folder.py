"""A saved run comes back as it was, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.report.conftest import attack, features, graph

from atmostk.report import SavedRun, load_run, save_run


@pytest.mark.parametrize("run", [features(), graph(30, 40), attack()], ids=lambda run: run.kind)
def test_a_run_comes_back_as_it_was(run: SavedRun, tmp_path: Path) -> None:
    back = load_run(save_run(run, tmp_path / "run"))
    assert (back.kind, back.title, back.headline, back.asked) == (run.kind, run.title, run.headline, run.asked)
    assert list(back.tables) == list(run.tables)
    for name, table in run.tables.items():
        assert list(back.tables[name]) == list(table)
        for column, values in table.items():
            np.testing.assert_array_equal(back.tables[name][column], values)
    assert list(back.images) == list(run.images)
    for name, image in run.images.items():
        np.testing.assert_array_equal(back.images[name], image)


def test_single_precision_stays_and_infinity_is_told_in_words(tmp_path: Path) -> None:
    run = SavedRun("features", "t", "h", quality={"L": np.float32(np.inf)}, tables={"path": {"K": np.ones(2, "f4")}})
    back = load_run(save_run(run, tmp_path))
    assert back.tables["path"]["K"].dtype == np.float32
    assert back.quality["L"] == "inf"


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="different lengths: K 3, loss 2"):
        SavedRun("features", "t", "h", tables={"path": {"K": np.ones(3), "loss": np.ones(2)}})


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="features, graph, attack"):
        SavedRun("trees", "t", "h")


def test_objects_are_no_numbers(tmp_path: Path) -> None:
    run = SavedRun("features", "t", "h", tables={"answer": {"x": np.array([{}, None])}})
    with pytest.raises(TypeError, match="it must be numbers, or words"):
        save_run(run, tmp_path)


def test_what_is_no_saved_run_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="holds no saved run"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(ValueError, match="holds no saved run of atmostk, or a damaged one"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({"format": "atmostk saved run 7"}))
    with pytest.raises(ValueError, match="another version"):
        load_run(tmp_path)


def test_a_pickle_in_the_arrays_is_refused(tmp_path: Path) -> None:
    save_run(features(), tmp_path)
    with np.load(tmp_path / "arrays.npz") as file:
        parts = dict(file)
    parts["table.path.K"] = np.array([{"a": 1}] * 10, dtype=object)
    np.savez(tmp_path / "arrays.npz", **parts)  # pyright: ignore
    with pytest.raises(ValueError, match="damaged"):
        load_run(tmp_path)
