"""`atmostk fit`: the right features, from every kind of file, and a sentence for whatever cannot be done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.linear_model import LinearRegression
from tests.cli.conftest import Call, interrupted, write_csv


def chosen(told: dict[str, Any]) -> dict[str, float]:
    return {row["feature"]: row["coefficient"] for row in told["chosen"]}


def test_the_features_that_make_the_price_are_found(call: Call, prices: Path) -> None:
    told = call("fit", prices, "--target", "price", "--at-most", 2, "--json").json()
    assert chosen(told) == {"b": pytest.approx(3), "e": pytest.approx(-2)}
    assert (told["features"], told["candidates"]) == (2, 6)
    assert told["R^2_on_these_rows"] == pytest.approx(1)


def test_the_model_file_says_what_least_squares_says_of_the_chosen_features(
    call: Call, prices: Path, tmp_path: Path
) -> None:
    call("fit", prices, "-y", "price", "-k", 1, "--out", tmp_path / "model.json")
    model = json.loads((tmp_path / "model.json").read_text())
    rows = np.loadtxt(prices, delimiter=",", skiprows=1)
    truth = LinearRegression().fit(rows[:, ["abcdef".index(name) for name in model["features"]]], rows[:, 6])
    np.testing.assert_allclose(model["coefficients"], [truth.coef_], rtol=1e-6)
    np.testing.assert_allclose(model["intercept"], [truth.intercept_], rtol=1e-6)


def test_words_are_classes(call: Call, species: Path) -> None:
    told = call("fit", species, "-y", "kind", "-k", 1, "--json").json()
    assert list(chosen(told)) == ["b"]
    assert told["accuracy_on_these_rows"] > 0.8


def test_held_out_rows_are_scored(call: Call, prices: Path) -> None:
    assert call("fit", prices, "-y", "price", "-k", 2, "--test", prices, "--json").json()[
        "R^2_on_held-out_rows"
    ] == pytest.approx(1)


@pytest.mark.parametrize("ending", ["tsv", "npz", "svm", "parquet", "csv.gz"])
def test_every_kind_of_file_gives_the_same_model(call: Call, prices: Path, tmp_path: Path, ending: str) -> None:
    rows = np.loadtxt(prices, delimiter=",", skiprows=1)
    X, y = rows[:, :6], rows[:, 6]
    file, target, names = tmp_path / f"prices.{ending}", "price", list("abcdef")
    if ending == "tsv":
        file.write_text(prices.read_text().replace(",", "\t"))
    elif ending == "csv.gz":
        import gzip

        file.write_bytes(gzip.compress(prices.read_bytes()))
    elif ending == "npz":
        np.savez(file, X=X, price=y, features=np.array(names))
    elif ending == "svm":
        dump_svmlight_file(X, y, str(file), zero_based=False)
        target, names = "y", [f"x{place}" for place in range(1, 7)]
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {name: rows[:, place] for place, name in enumerate([*names, "price"])}
        parquet.write_table(pyarrow.table(columns), file)
    found = chosen(call("fit", file, "-y", target, "-k", 2, "--json").json())
    assert found == {names[1]: pytest.approx(3), names[4]: pytest.approx(-2)}


def test_a_pipe_in_and_a_pipe_out(call: Call, prices: Path) -> None:
    told = call("fit", "-", "-y", "price", "-k", 2, "--out", "-", stdin=prices.read_bytes())
    assert json.loads(told.out)["features"] == ["b", "e"]
    assert "features" in told.err


def test_the_same_seed_gives_the_same_bytes(call: Call, prices: Path, tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        call("fit", prices, "-y", "price", "-k", 3, "--seed", 7, "--kicks", 5, "--out", tmp_path / name)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_always_and_non_negative_are_kept_to(call: Call, prices: Path) -> None:
    told = chosen(call("fit", prices, "-y", "price", "-k", 2, "--always", "a", "--json").json())
    assert set(told) == {"a", "b"}
    told = chosen(call("fit", prices, "-y", "price", "-k", 3, "--non-negative", "--json").json())
    assert "e" not in told
    assert min(told.values()) >= 0


def test_weights_count_rows(call: Call, tmp_path: Path) -> None:
    # Two lines, y = x and y = -x; the weights blot one of them out.
    x = np.arange(1.0, 11.0)
    columns = {
        "x": np.tile(x, 2),
        "w": np.repeat([1.0, 0.0], 10),
        "y": np.append(x, -x),
    }
    file = write_csv(tmp_path / "lines.csv", columns)
    told = call("fit", file, "-y", "y", "-k", 1, "--weights", "w", "--regress", "--json").json()
    assert chosen(told) == {"x": pytest.approx(1)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--at-most 10", "--cv"]),
        (["-k", "0"], ["--at-most 0"]),
        (["-k", "two"], ["--at-most two"]),
        (["-k", "5-2"], ["--at-most 5-2"]),
        (["-k", "1-3"], ["--cv"]),
        (["-k", "2", "--loss", "abess"], ["abess", "squared_error"]),
        (["-k", "2", "--loss", "logistic", "--regress"], ["logistic", "drop one"]),
        (["-k", "2", "--always", "z"], ["--always z"]),
        (["-k", "1", "--always", "a", "--always", "b"], ["2 are always kept"]),
        (["-k", "2", "--ridge", "-1"], ["--ridge"]),
        (["-k", "2", "--ridge", "nan"], ["ridge"]),
        (["-k", "2", "--max-seconds", "-1"], ["max_seconds"]),
        (["-k", "2", "--weights", "z"], ["no column 'z'"]),
        (["-k", "2", "--drop", "z"], ["no column 'z'"]),
        (["-k", "2", "--format", "excel"], ["excel", "svmlight"]),
        (["-k", "2", "--seed", "-1"], ["--seed"]),
        (["-k", "2", "--loss", "poisson"], ["Poisson needs counts"]),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(
    call: Call, prices: Path, options: list[str], words: list[str]
) -> None:
    call("fit", prices, "-y", "price", *options).complained(*words)


def test_more_features_than_there_are_take_all_of_them(call: Call, prices: Path) -> None:
    told = call("fit", prices, "-y", "price", "-k", 100, "--json").json()
    assert told["features"] <= 6
    assert told["R^2_on_these_rows"] == pytest.approx(1)


def test_what_is_no_data_is_told_in_a_sentence(call: Call, prices: Path, tmp_path: Path) -> None:
    def refused(file: Path, *words: str, target: str = "y") -> None:
        call("fit", file, "-y", target, "-k", 1).complained(*words)

    refused(tmp_path / "missing.csv", "missing.csv", "no such file")
    refused(tmp_path, "is a folder")
    refused(prices, "no column 'y'", "price")
    refused(write_csv(tmp_path / "one-class.csv", {"a": range(4), "y": ["cat"] * 4}), "only one class", "'cat'")
    refused(write_csv(tmp_path / "hole.csv", {"a": [1, "NaN", 3], "y": [1, 2, 4]}), "'a'", "row 2", "--drop-missing")
    refused(write_csv(tmp_path / "endless.csv", {"a": [1, "inf", 3], "y": [1, 2, 4]}), "inf", "a")
    refused(write_csv(tmp_path / "no-y.csv", {"a": [1, 2, 3], "y": [1, "", 4]}), "'y'", "row 2")
    refused(write_csv(tmp_path / "words.csv", {"b": [1, 2, 3], "a": ["u", "v", "u"], "y": [1, 2, 4]}), "'a'", "'u'")
    refused(write_csv(tmp_path / "one-row.csv", {"a": [1], "y": [2]}), "sample")
    refused(write_csv(tmp_path / "no-rows.csv", {"a": [], "y": []}), "no rows")
    refused(write_csv(tmp_path / "alone.csv", {"y": [1, 2, 3]}), "no column left")
    (tmp_path / "cut.csv").write_text("a,y\n1,2\n3\n")
    refused(tmp_path / "cut.csv", "line 3", "cut short")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    refused(tmp_path / "picture.csv", "picture.csv")
    (tmp_path / "sheet.xlsx").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(50))
    refused(tmp_path / "sheet.xlsx", "no table that is known", ".parquet")
    np.savez(tmp_path / "pickled.npz", X=np.array([[{}, None]], dtype=object), y=np.ones(1))
    refused(tmp_path / "pickled.npz", "pickled.npz")
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00")
    refused(tmp_path / "cut.gz", "cut short")
    (tmp_path / "rows.svm").write_text("1 nonsense\n")
    refused(tmp_path / "rows.svm", "svmlight")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + bytes(20))
    refused(tmp_path / "cut.parquet", "cut.parquet")


def test_a_target_that_never_varies_and_constant_features_are_told_of(call: Call, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "flat.csv", {"a": [1, 2, 3, 4], "b": [5] * 4, "y": [2.5, 4.5, 6.5, 8.5]})
    told = call("fit", file, "-y", "y", "-k", 1, "--json").json()
    assert chosen(told) == {"a": pytest.approx(2)}
    # A feature that never varies is never worth anything.
    assert call("fit", file, "-y", "y", "-k", 2, "--json").json()["R^2_on_these_rows"] == pytest.approx(1)


def test_an_existing_model_is_overwritten_only_when_forced(call: Call, prices: Path, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    out.write_text("mine")
    call("fit", prices, "-y", "price", "-k", 2, "--out", out).complained("exists already", "--force")
    assert out.read_text() == "mine"
    call("fit", prices, "-y", "price", "-k", 2, "--out", out, "--force")
    assert out.read_text() != "mine"
    run = tmp_path / "run"
    run.mkdir()
    (run / "notes.txt").write_text("mine")
    call("fit", prices, "-y", "price", "-k", 2, "--run", run).complained("exists already")
    call("fit", prices, "-y", "price", "-k", 2, "--out", run, "--run", run, "--force").complained("two outputs")
    call("fit", prices, "-y", "price", "-k", 2, "--out", tmp_path / "no" / "model.json").complained("no folder")


def test_a_clock_ends_it_with_the_best_so_far(call: Call, prices: Path) -> None:
    told = call("fit", prices, "-y", "price", "-k", 1, "--kicks", 10_000_000, "--max-seconds", 0.2, "--json")
    assert told.json()["ended"] == "0.2 seconds were over."
    assert list(chosen(told.json())) == ["b"]


def test_interrupted_it_leaves_the_best_model_so_far(prices: Path, tmp_path: Path) -> None:
    out, run = tmp_path / "model.json", tmp_path / "run"
    told = interrupted(
        "fit", prices, "-y", "price", "-k", 1, "--kicks", 10_000_000, "--out", out, "--run", run, after=12
    )
    assert told.code == 130
    assert told.err.splitlines()[-1] == f"atmostk fit: interrupted: the best model so far is in {out} and {run}."
    assert json.loads(out.read_text())["features"] == ["b"]
    assert (run / "run.json").exists()
