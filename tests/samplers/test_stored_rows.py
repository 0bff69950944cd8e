"""Rows on disk are the rows that were written, whatever the file, and stay within their memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import random_array, vstack

from atmostk.samplers import ArrowStore, CsrStore, CsrWriter, MappedRows, ParquetStore, StoredRows, store_csr
from atmostk.samplers.read_ahead import read_ahead

pyarrow = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 4)).astype(np.float32)
Y = np.arange(500.0, dtype=np.float32)


def table(rows: slice = slice(None)) -> object:
    return pyarrow.table({**{f"c{j}": X[rows, j] for j in range(4)}, "y": Y[rows], "w": 1 + Y[rows]})


def parquet_folder(path, count: int = 3) -> object:
    from pyarrow import parquet

    path.mkdir()
    for part, rows in enumerate(np.array_split(np.arange(500), count)):
        parquet.write_table(table(slice(rows[0], rows[-1] + 1)), path / f"part-{part}.parquet", row_group_size=64)
    (path / "_SUCCESS").write_text("")
    return path


@pytest.fixture(params=["parquet", "arrow"])
def rows(request, tmp_path) -> StoredRows:
    if request.param == "parquet":
        store = ParquetStore(parquet_folder(tmp_path / "set"), target="y", weights="w")
    else:
        from pyarrow import ipc

        with ipc.new_file(tmp_path / "rows.arrow", table().schema) as writer:
            writer.write_table(table(), max_chunksize=64)
        store = ArrowStore(tmp_path / "rows.arrow", target="y", weights="w")
    return StoredRows(store, block_bytes=1000)


def test_a_pass_brings_every_number_of_the_file_in_its_order(rows) -> None:
    blocks = list(rows.blocks())
    assert len(blocks) > 8
    assert_array_equal(np.concatenate([block.data[0] for block in blocks]), X)
    assert_array_equal(np.concatenate([block.data[1] for block in blocks]), Y)
    assert_array_equal(np.concatenate([block.weights for block in blocks]), 1 + Y)
    assert all(block.data[0].dtype == np.float32 for block in blocks)
    assert max(block.data[0].nbytes for block in blocks) <= 1000


def test_only_some_columns_in_the_order_asked_for(rows) -> None:
    few = rows.only(np.array([3, 1]))
    assert list(few.names) == ["c3", "c1"]
    assert_array_equal(np.concatenate([block.data[0] for block in few.blocks()]), X[:, [3, 1]])
    assert_array_equal(np.concatenate([block.data[0] for block in few.only(np.array([1])).blocks()]), X[:, [1]])
    seen, y = few.draw(20, np.random.default_rng(0)).data
    assert_array_equal(seen, X[y.astype(int)][:, [3, 1]])


def test_columns_can_be_named_and_others_need_not_be_numbers(tmp_path) -> None:
    from pyarrow import parquet

    with_text = table().append_column("city", pyarrow.array(["Paris"] * 500))
    parquet.write_table(with_text, tmp_path / "rows.parquet")
    store = ParquetStore(tmp_path / "rows.parquet", target="y", columns=["c2", "c0"])
    (block,) = StoredRows(store).blocks()
    assert_array_equal(block.data[0], X[:, [2, 0]])


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [((np.float32, np.int16), np.float32), ((np.float32, np.float64), np.float64), ((np.int64,), np.float64)],
)
def test_precision_is_the_least_that_holds_every_column(tmp_path, kinds, expected) -> None:
    from pyarrow import parquet

    parquet.write_table(
        pyarrow.table({f"c{j}": np.arange(3, dtype=kind) for j, kind in enumerate(kinds)}), tmp_path / "a.pq"
    )
    assert ParquetStore(tmp_path / "a.pq").dtype == expected


def test_a_draw_reads_few_groups(tmp_path) -> None:
    store = ParquetStore(parquet_folder(tmp_path / "set"), target="y")
    read: list[int] = []

    class Counting:
        def __getattr__(self, name):
            return getattr(store, name)

        def read(self, groups, columns, rows):
            read.extend(groups)
            return store.read(groups, columns, rows)

    StoredRows(Counting()).draw(10, np.random.default_rng(0))
    assert len(set(read)) <= 3 < len(store.groups)


def test_a_draw_beyond_the_memory_set_aside_is_refused(rows) -> None:
    small = StoredRows(rows.store, sample_bytes=1000)
    with pytest.raises(MemoryError, match=r"a sample of 100 rows takes about 2.4 KB, but 1 KB are set aside"):
        small.draw(100, np.random.default_rng(0))
    assert small.draw(small.sample_rows, np.random.default_rng(0)).size == small.sample_rows


def test_sparse_rows_written_in_parts_are_the_matrix(tmp_path) -> None:
    parts = [random_array((50, 30), density=0.2, format="csr", rng=RNG, dtype=np.float32) for _ in range(4)]
    with CsrWriter(tmp_path / "rows", 30) as writer:
        for number, part in enumerate(parts):
            writer.write(part, np.full(50, number))
    rows = StoredRows(CsrStore(tmp_path / "rows"), block_bytes=2000)
    whole = vstack(parts)
    blocks = list(rows.blocks())
    assert len(blocks) > 5
    assert abs(vstack([block.data[0] for block in blocks]) - whole).max() == 0
    assert_array_equal(np.concatenate([block.data[1] for block in blocks]), np.repeat(np.arange(4.0), 50))
    some = rows.only(np.array([7, 2])).draw(199, np.random.default_rng(1))
    assert some.data[0].shape == (199, 2)


def test_sparse_rows_that_are_not_whole_are_refused(tmp_path) -> None:
    folder = store_csr(tmp_path / "rows", random_array((50, 30), density=0.2, format="csr", rng=RNG), np.zeros(50))
    data = (folder / "data.npy").read_bytes()
    (folder / "data.npy").write_bytes(data[:-8])
    with pytest.raises(ValueError, match=r"data.npy is not a readable .npy file, or was cut short"):
        CsrStore(folder)
    (folder / "data.npy").write_bytes(data)
    beyond = np.load(folder / "indices.npy")
    beyond[3] = 30
    np.save(folder / "indices.npy", beyond)
    with pytest.raises(ValueError, match="damaged: rows 0 to 50 name columns outside of 0 to 29"):
        list(StoredRows(CsrStore(folder)).blocks())
    with pytest.raises(ValueError, match="holds no sparse rows"):
        CsrStore(tmp_path)
    with pytest.raises(RuntimeError), CsrWriter(tmp_path / "half", 3):
        raise RuntimeError
    with pytest.raises(ValueError, match="holds no sparse rows"):
        CsrStore(tmp_path / "half")


def test_pages_of_a_memory_map_are_let_go_and_columns_can_be_chosen(tmp_path) -> None:
    np.save(tmp_path / "X.npy", X)
    few = MappedRows(tmp_path / "X.npy", block_bytes=1000).only(np.array([2, 0]))
    assert repr(few) == "MappedRows(500 x 2)"
    assert_array_equal(np.concatenate([block.data for block in few.blocks()]), X[:, [2, 0]])


def test_reading_ahead_hands_on_errors_and_ends_its_thread() -> None:
    def broken():
        yield 1
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(read_ahead(broken()))
    endless = read_ahead(iter(int, 1))
    assert next(endless) == 0
    endless.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "atmostk-read-ahead"]
