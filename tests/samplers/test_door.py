"""Rows that are wrong are refused with a sentence that says where and what to do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array

from atmostk.samplers import Batches, MappedRows, Rows, Simulator, shuffle_rows

X = np.ones((4, 3))


def with_hole(value: float, dtype=np.float64) -> np.ndarray:
    holed = np.ones((4, 3), dtype=dtype)
    holed[2, 1] = value
    return holed


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        ((with_hole(np.nan),), ValueError, "X holds NaN or infinity in row 2, column 1"),
        ((with_hole(np.inf, np.float32),), ValueError, "X holds NaN or infinity in row 2, column 1"),
        ((csr_array(with_hole(np.nan)),), ValueError, "X holds NaN or infinity"),
        ((np.ones(3),), ValueError, r"X has shape \(3,\): it must be a matrix"),
        ((np.ones((2, 2, 2)),), ValueError, "it must be a matrix"),
        ((np.ones((0, 3)),), ValueError, "X is empty, 0 rows by 3 columns"),
        ((np.ones((3, 0)),), ValueError, "X is empty, 3 rows by 0 columns"),
        ((np.array([["a", "b"]]),), TypeError, "it must be real numbers"),
        ((np.array([[1, None]], dtype=object),), TypeError, "X holds Python objects"),
        ((np.ones((2, 2), dtype=complex),), TypeError, "it must be real numbers"),
        (("table.csv",), TypeError, "X is a str: give a NumPy array"),
        ((coo_array(X),), TypeError, r"sparse in COO form: convert it with X.tocsr\(\)"),
        ((X, np.ones(5)), ValueError, r"y has shape \(5,\) but X has 4 rows"),
        ((X, np.ones((4, 1))), ValueError, r"y has shape \(4, 1\) but X has 4 rows"),
        ((X, np.array([1, 2, np.nan, 4])), ValueError, "y holds NaN or infinity in row 2"),
        ((X, np.array(list("abcd"))), TypeError, "y is of type <U1: it must be real numbers"),
        ((X, None, np.ones(3)), ValueError, r"weights has shape \(3,\) but X has 4 rows"),
        ((X, None, np.array([1, 1, -2.0, 1])), ValueError, "weights hold -2"),
        ((X, None, np.zeros(4)), ValueError, "all weights are 0"),
    ],
)
def test_rows_in_memory(arguments, kind, sentence) -> None:
    with pytest.raises(kind, match=sentence):
        Rows(*arguments)


def test_finite_numbers_whose_squares_overflow_are_let_in() -> None:
    assert Rows(np.full((2, 2), 1e200)).size == 2


def test_rows_are_neither_copied_nor_written_to() -> None:
    frozen = np.ones((4, 3), np.float32)
    frozen.flags.writeable = False
    assert Rows(frozen).X is frozen
    assert Rows(frozen, np.ones(4)).y.dtype == np.float32


def test_a_constant_column_and_a_single_row_are_let_in() -> None:
    assert Rows(np.zeros((1, 1)), np.ones(1)).size == 1


def test_mapped_rows_name_the_file_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        MappedRows(tmp_path / "none.npy")
    (tmp_path / "text.npy").write_text("this is no array")
    with pytest.raises(ValueError, match=r"text.npy is not a readable .npy file"):
        MappedRows(tmp_path / "text.npy")
    (tmp_path / "empty.npy").write_bytes(b"")
    with pytest.raises(ValueError, match=r"empty.npy is not a readable .npy file"):
        MappedRows(tmp_path / "empty.npy")
    np.save(tmp_path / "X.npy", np.ones((100, 10)))
    whole = (tmp_path / "X.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"cut.npy is not a readable .npy file"):
        MappedRows(tmp_path / "cut.npy")
    np.save(tmp_path / "objects.npy", np.array([[None, 1]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"objects.npy is not a readable .npy file"):
        MappedRows(tmp_path / "objects.npy")
    with pytest.raises(TypeError, match=r"give a memory map or the path"):
        MappedRows(7)
    np.save(tmp_path / "line.npy", np.ones(3))
    with pytest.raises(ValueError, match="it must be a matrix"):
        MappedRows(tmp_path / "line.npy")


def test_mapped_rows_find_a_hole_when_they_come_to_it(tmp_path) -> None:
    np.save(tmp_path / "X.npy", with_hole(np.nan))
    with pytest.raises(ValueError, match="a block of X holds NaN or infinity"):
        list(MappedRows(tmp_path / "X.npy").blocks())


def test_shuffled_rows_are_the_same_rows_in_the_same_order_for_features_and_target(tmp_path) -> None:
    np.save(tmp_path / "X.npy", np.arange(20.0).reshape(10, 2))
    np.save(tmp_path / "y.npy", np.arange(10.0))
    X = np.load(shuffle_rows(tmp_path / "X.npy", tmp_path / "sX.npy", seed=3, block_bytes=32))
    y = np.load(shuffle_rows(tmp_path / "y.npy", tmp_path / "sy.npy", seed=3))
    assert (X[:, 0] == 2 * y).all()
    assert sorted(y) == list(range(10))
    assert list(y) != list(range(10))
    with pytest.raises(ValueError, match="need a file of their own"):
        shuffle_rows(tmp_path / "X.npy", tmp_path / "X.npy")


def test_batches_need_a_data_set_that_can_be_read_anywhere() -> None:
    torch = pytest.importorskip("torch")

    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self):
            yield from range(3)

    with pytest.raises(TypeError, match="can only be read from its beginning"):
        Batches(torch.utils.data.DataLoader(Stream()))
    with pytest.raises(TypeError, match="Batches needs a PyTorch DataLoader, but list has no dataset"):
        Batches([1, 2])
    with pytest.raises(ValueError, match="data set is empty"):
        Batches(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(0, 2))))


def test_a_simulator_needs_a_function_and_rows_to_judge_by() -> None:
    with pytest.raises(TypeError, match="needs a function"):
        Simulator(np.ones(3))  # pyright: ignore
    with pytest.raises(ValueError, match="at least one row"):
        Simulator(lambda count, rng: None, evaluation=0)
