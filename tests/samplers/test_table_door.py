"""Files that are wrong are refused with a sentence that says which, where and what to do."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from atmostk.datasets import open_rows
from atmostk.samplers.memory import Memory

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import feather, parquet  # noqa: E402 (after the skip)


def table(**more):
    return pyarrow.table({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "y": [0.0, 1.0, 0.0], **more})


def written(path, content, kind: str):
    file = path / f"rows.{kind}"
    (parquet.write_table if kind == "parquet" else feather.write_feather)(content, file)
    return file


@pytest.mark.parametrize("kind", ["parquet", "feather"])
class TestTables:
    def test_a_missing_column(self, tmp_path, kind) -> None:
        file = written(tmp_path, table(), kind)
        with pytest.raises(ValueError, match=r"has no column 'z', which target names: it has a, b, y\."):
            open_rows(file, target="z")
        with pytest.raises(ValueError, match=r"has no column 'w', which weights names"):
            open_rows(file, target="y", weights="w")
        with pytest.raises(ValueError, match=r"has no column 'c', which columns names"):
            open_rows(file, target="y", columns=["a", "c"])
        with pytest.raises(ValueError, match="no column left for features"):
            open_rows(written(tmp_path, table().select(["y"]), kind), target="y")

    def test_text_in_a_column(self, tmp_path, kind) -> None:
        file = written(tmp_path, table(city=["x", "y", "z"]), kind)
        with pytest.raises(TypeError, match=r"column 'city' of .*rows.* holds string, not numbers: .* leave it out"):
            open_rows(file, target="y")
        with pytest.raises(TypeError, match="column 'city' of"):
            open_rows(file, target="city", columns=["a"])

    def test_nulls(self, tmp_path, kind) -> None:
        file = written(tmp_path, table(hole=[1.0, None, 2.0]), kind)
        with pytest.raises(ValueError, match=r"column 'hole' of .* holds nulls \(1 "):
            list(open_rows(file, target="y").blocks())
        assert len(open_rows(file, target="y", columns=["a"]).names) == 1

    def test_numbers_that_are_not_finite(self, tmp_path, kind) -> None:
        file = written(tmp_path, table(hole=[1.0, np.nan, 2.0]), kind)
        with pytest.raises(ValueError, match="a block of X holds NaN or infinity"):
            list(open_rows(file, target="y").blocks())

    def test_a_file_that_is_empty_or_cut_short(self, tmp_path, kind) -> None:
        file = written(tmp_path, table(), kind)
        whole = file.read_bytes()
        for rest in (whole[: len(whole) // 2], whole[:3], b"this is text, whatever its name says"):
            file.write_bytes(rest)
            with pytest.raises(ValueError, match=r"rows.* is not a readable .* file, or was cut short \("):
                open_rows(file, target="y")
        file.write_bytes(b"")
        with pytest.raises(ValueError, match=r"rows.* is empty: there is nothing to learn from"):
            open_rows(file, target="y")
        with pytest.raises(ValueError, match="holds no rows"):
            open_rows(written(tmp_path, table().slice(0, 0), kind), target="y")

    def test_files_of_a_set_that_differ(self, tmp_path, kind) -> None:
        written(tmp_path, table(), kind).rename(tmp_path / f"one.{kind}")
        other = written(tmp_path, table().drop(["b"]), kind)
        with pytest.raises(ValueError, match=r"rows.* has no column 'b', which one\..* has: all files of a set"):
            open_rows(tmp_path, target="y")
        other.unlink()
        written(tmp_path, table().set_column(1, "b", pyarrow.array([1, 2, 3])), kind)
        with pytest.raises(ValueError, match=r"column 'b' holds int64 in .*rows.*, but double in one"):
            open_rows(tmp_path, target="y")

    def test_two_columns_of_one_name(self, tmp_path, kind) -> None:
        if kind == "feather":
            pytest.skip("Feather refuses to write it")
        twice = pyarrow.Table.from_arrays([pyarrow.array([1.0]), pyarrow.array([2.0])], names=["a", "a"])
        with pytest.raises(ValueError, match="two columns named 'a'"):
            open_rows(written(tmp_path, twice, kind))


def test_damage_in_the_middle_of_a_parquet_file_is_told_when_it_is_met(tmp_path) -> None:
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.normal(size=5000) for j in range(3)}
    parquet.write_table(pyarrow.table(columns), tmp_path / "rows.parquet", row_group_size=1000)
    whole = bytearray((tmp_path / "rows.parquet").read_bytes())
    whole[30_000:60_000] = bytes(30_000)
    (tmp_path / "rows.parquet").write_bytes(whole)
    with pytest.raises(ValueError, match=r"rows.parquet is damaged or cut short"):
        list(open_rows(tmp_path / "rows.parquet").blocks())


def test_paths_that_lead_nowhere(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none.parquet: there is no such file or folder"):
        open_rows(tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError, match=r"none: there is no such file or folder"):
        open_rows(tmp_path / "none")
    with pytest.raises(ValueError, match=r"holds no file that ends in .parquet or .pq"):
        open_rows(tmp_path)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"rows.csv ends in '.csv', which is not known: it must be one of .parquet"):
        open_rows(tmp_path / "rows.csv")
    np.save(tmp_path / "X.npy", np.ones((3, 2)))
    with pytest.raises(ValueError, match="only the columns of a Parquet or Arrow file have names"):
        open_rows(tmp_path / "X.npy", columns=["a"])


def test_a_folder_or_file_without_permission() -> None:
    with tempfile.TemporaryDirectory() as folder:
        _ask_without_permission(Path(folder))


def _ask_without_permission(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    tmp_path.chmod(0o755)
    file = written(tmp_path, table(), "parquet")
    closed.chmod(0)
    file.chmod(0)
    child = os.fork()
    if child == 0:  # root may read everything, so ask as nobody
        code = 1
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            sentences = []
            for path in (closed, closed / "rows.parquet", file):
                try:
                    open_rows(path, target="y")
                except PermissionError as error:
                    sentences.append("cannot be read (Permission denied): ask for permission" in str(error))
            code = 0 if sentences == [True, True, True] else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    closed.chmod(0o755)


@pytest.mark.parametrize("size", ["much", "1 XB", "0GB", True, -5, None])
def test_a_size_that_is_none(size) -> None:
    with pytest.raises(ValueError, match=r"write a size such as '1GB' or '512MiB'"):
        Memory.of(size)


def test_too_little_memory(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"max_memory='100MB': the libraries alone take about 400 MB"):
        open_rows(tmp_path, max_memory="100MB")
    wide = pyarrow.table({f"c{j}": np.ones(900) for j in range(9000)})
    parquet.write_table(wide, tmp_path / "wide.parquet", row_group_size=1000)
    with pytest.raises(MemoryError, match=r"by row groups of 900 rows and 9000 columns"):
        open_rows(tmp_path / "wide.parquet", max_memory="500MB")
    assert open_rows(tmp_path / "wide.parquet", max_memory="1GB").size == 900


def test_svmlight_is_translated_once(tmp_path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:0.5 3:2\n-1 2:1 # a comment\n1 4:7\n")
    rows = open_rows(file, target="y")
    (block,) = rows.blocks()
    np.testing.assert_array_equal(block.data[0].toarray(), [[0.5, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 7]])
    np.testing.assert_array_equal(block.data[1], [1, -1, 1])
    made = (tmp_path / "rows.svm.rows" / "about.json").stat().st_mtime_ns
    open_rows(file)
    assert (tmp_path / "rows.svm.rows" / "about.json").stat().st_mtime_ns == made
    with pytest.raises(ValueError, match="has no 'label'"):
        open_rows(file, target="label")
    file.write_text("1 1:0.5\nno svmlight\n")
    with pytest.raises(ValueError, match="not a readable svmlight file"):
        open_rows(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.svm", "rows.svm.rows"]
    file.write_text("1\n1\n")
    with pytest.raises(ValueError, match="holds no features"):
        open_rows(file)
