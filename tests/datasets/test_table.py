"""Tables from files: every kind gives the same numbers, and what is wrong is named with its place."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from atmostk.datasets import Table, load_table

X = np.array([[1.5, -2.0, 3.0], [4.0, 5.25, -6.0], [7.0, 0.0, 9.0]])
Y = np.array([1.0, 0.0, 1.0])
NAMES = ["a", "b", "c"]


def text(*lines: str) -> io.BytesIO:
    return io.BytesIO("\n".join(lines).encode() + b"\n")


def written(folder: Path, kind: str) -> Path:
    file = folder / f"data.{kind}"
    rows = [[*x, y] for x, y in zip(X, Y, strict=True)]
    if kind in ("csv", "tsv", "csv.gz"):
        comma = "\t" if kind == "tsv" else ","
        lines = [comma.join([*NAMES, "y"]), *(comma.join(str(cell) for cell in row) for row in rows)]
        content = "\n".join(lines).encode()
        file.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    elif kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        columns = {name: X[:, place] for place, name in enumerate(NAMES)}
        parquet.write_table(pyarrow.table(columns | {"y": Y}), file)
    elif kind == "npz":
        np.savez(file, X=X, y=Y, features=np.array(NAMES))
    else:
        dump_svmlight_file(X, Y, str(file), zero_based=False)
    return file


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "npz", "svm"])
def test_every_kind_of_file_gives_the_same_numbers(tmp_path: Path, kind: str) -> None:
    table = load_table(written(tmp_path, kind), target="y")
    dense = table.X.toarray() if sparse.issparse(table.X) else table.X
    np.testing.assert_array_equal(dense, X)
    assert table.y is not None
    np.testing.assert_array_equal(table.y, Y)
    assert table.names == (["x1", "x2", "x3"] if kind == "svm" else NAMES)
    assert sparse.issparse(table.X) == (kind == "svm")


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "npz"])
def test_a_stream_is_recognised_by_how_it_begins(tmp_path: Path, kind: str) -> None:
    table = load_table(io.BytesIO(written(tmp_path, kind).read_bytes()), target="y", columns=["c", "a"])
    np.testing.assert_array_equal(table.X, X[:, [2, 0]])


def test_words_in_the_target_stay_words_and_numbers_become_numbers() -> None:
    table = load_table(text("x,kind,age", "1, cat ,3", "2,dog,4"), target="kind")
    assert table.y is not None
    assert table.y.tolist() == ["cat", "dog"]
    table = load_table(text("x,kind,age", "1,cat,3", "2,dog,4"), target="age", drop=["kind"])
    assert table.y is not None
    assert (table.y.tolist(), table.names) == ([3.0, 4.0], ["x"])


def test_a_first_column_of_words_or_without_a_name_names_the_rows() -> None:
    table = load_table(text("sample,x", "s1,1", "s2,2"))
    assert (table.rows, table.names) == (["s1", "s2"], ["x"])
    assert "'sample'" in table.notes[0]
    table = load_table(text(",x", "0,1", "1,2"))
    assert (table.rows, table.names, table.notes) == (["0", "1"], ["x"], ())


def test_a_file_without_names_gets_some_and_says_so() -> None:
    table = load_table(text("1,2", "3,4"))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.names == ["x0", "x1"]
    assert "holds numbers" in table.notes[0]


def test_quotes_semicolons_and_a_byte_order_mark_are_understood() -> None:
    table = load_table(io.BytesIO('\ufeff"height; cm";y\n"1.5";2\n'.encode()), target="y")
    assert table.names == ["height; cm"]
    np.testing.assert_array_equal(table.X, [[1.5]])


def test_two_columns_of_one_name_stay_apart() -> None:
    table = load_table(text("TP53,TP53,MYC", "1,2,3"))
    assert table.names == ["TP53", "TP53 (2)", "MYC"]


def test_weights_are_no_feature() -> None:
    table = load_table(text("a,w,y", "1,2,3", "4,5,6"), target="y", weights="w")
    assert table.names == ["a"]
    assert table.weights is not None
    assert table.weights.tolist() == [2, 5]


def test_rows_with_missing_values_are_left_out_when_that_is_asked_for() -> None:
    table = load_table(text("a,b,y", "1,,1", "2,3,NA", "4,5,0"), target="y", drop_missing=True)
    np.testing.assert_array_equal(table.X, [[4, 5]])
    assert "2 of 3 rows" in table.notes[0]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("a,b,y", "1,Paris,2"), r"column 'b' holds 'Paris' in row 1, which is no number.*--drop b"),
        (("a,b,y", "1,,2", "1,2,3"), r"column 'b' has no value in row 1.*--drop-missing"),
        (("a,b,y", "1,nan,2"), r"column 'b' has no value in row 1"),
        (("a,b,y", "1,2,"), r"column 'y' has no value in row 1"),
        (("a,b,y", "1,2,3", "4,5"), r"line 3 has 2 cells, but the first line has 3"),
        (("a,b,y",), r"columns but no rows"),
        (("a;b;y", "1;2,5;3"), r"decimal point"),
        (("name,a,y", "Ann,1,2", "Ann,2,3"), r"column 'name' holds words"),
    ],
)
def test_what_is_wrong_in_a_csv_is_named_with_its_place(lines: tuple[str, ...], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        load_table(text(*lines), target="y")


def test_a_missing_column_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"no column 'z': it has a, b, y"):
        load_table(text("a,b,y", "1,2,3"), target="z")


def test_infinity_in_sparse_rows_and_missing_values_are_told_apart() -> None:
    with pytest.raises(ValueError, match=r"column 'x1' has no value in row 1"):
        load_table(io.BytesIO(b"1 1:nan 2:3\n0 2:1\n"), target="y", kind="svmlight")


@pytest.mark.parametrize("kind", ["parquet", "npz", "csv.gz"])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, kind: str) -> None:
    file = written(tmp_path, kind)
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"cut short|damaged|not a readable"):
        load_table(file, target="y")


def test_an_archive_of_python_objects_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "objects.npz"
    np.savez(file, X=np.array([[{}]], dtype=object))
    with pytest.raises(ValueError, match="plain arrays"):
        load_table(file)


def test_files_that_are_missing_empty_or_of_no_known_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        load_table(tmp_path / "nothing.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(ValueError, match="is empty"):
        load_table(tmp_path / "empty.csv")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    with pytest.raises(ValueError, match="no table that is known"):
        load_table(tmp_path / "picture.png")
    with pytest.raises(IsADirectoryError, match="folder"):
        load_table(tmp_path)


def test_a_table_says_what_it_is() -> None:
    assert repr(Table(X, NAMES, Y)) == "Table(3 rows x 3 features, with a target)"


def test_a_piece_of_the_file_is_read_at_a_time_and_nothing_is_lost_between_them() -> None:
    numbers = np.arange(9_001)
    table = load_table(text("a,y", *(f"{number},{-number}" for number in numbers)), target="y")
    np.testing.assert_array_equal(table.X[:, 0], numbers)
    assert table.y is not None
    np.testing.assert_array_equal(table.y, -numbers)
