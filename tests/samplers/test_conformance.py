"""What every sampler promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array

from atmostk.problem import Sampler
from atmostk.sample import Sample
from atmostk.samplers import (
    ArrowStore,
    Batches,
    CsrStore,
    MappedRows,
    ParquetStore,
    Rows,
    Simulator,
    StoredRows,
    store_csr,
)

N = 20
X = np.arange(2.0 * N).reshape(N, 2)  # row i holds 2i and 2i + 1, so that a row can be told by its first entry
y = np.arange(float(N))


def mapped(tmp_path: Any) -> MappedRows:
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    return MappedRows(tmp_path / "X.npy", tmp_path / "y.npy", block_bytes=100)


def loader(_: Any) -> Batches:
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(y))
    return Batches(torch.utils.data.DataLoader(data, batch_size=6, shuffle=True))


def tensors(_: Any) -> Rows:
    torch = pytest.importorskip("torch")
    return Rows(torch.tensor(X), torch.tensor(y))


def parquet(tmp_path: Any) -> StoredRows:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    # Groups of 7, 7 and 6 rows: a row of the short one must come as often as the others.
    parquet.write_table(
        pyarrow.table({"a": X[:, 0], "b": X[:, 1], "y": y}), tmp_path / "rows.parquet", row_group_size=7
    )
    return StoredRows(ParquetStore(tmp_path / "rows.parquet", target="y"), block_bytes=100)


def arrow(tmp_path: Any) -> StoredRows:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather

    feather.write_feather(pyarrow.table({"a": X[:, 0], "b": X[:, 1], "y": y}), tmp_path / "rows.feather", chunksize=7)
    return StoredRows(ArrowStore(tmp_path / "rows.feather", target="y"), spread=1)


def csr_on_disk(tmp_path: Any) -> StoredRows:
    return StoredRows(CsrStore(store_csr(tmp_path / "rows", csr_array(X), y)), block_bytes=100)


SAMPLERS = {
    "dense": lambda _: Rows(X, y),
    "csr": lambda _: Rows(csr_array(X), y),
    "csc": lambda _: Rows(csc_array(X), y),
    "weighted": lambda _: Rows(X, y, weights=np.ones(N)),
    "torch": tensors,
    "memory map": mapped,
    "data loader": loader,
    "parquet": parquet,
    "arrow": arrow,
    "csr on disk": csr_on_disk,
}


@pytest.fixture(params=SAMPLERS)
def sampler(request: Any, tmp_path: Any) -> Any:
    return SAMPLERS[request.param](tmp_path)


def row_numbers(sample: Sample) -> np.ndarray:
    X, y = sample.data
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    assert_array_equal(X[:, 0], 2 * np.asarray(y))  # features and target stay together
    return np.asarray(y).astype(int)


def test_keeps_the_protocol(sampler: Any) -> None:
    assert isinstance(sampler, Sampler)
    assert sampler.size == N


def test_a_draw_has_as_many_different_rows_as_asked_for(sampler: Any) -> None:
    for count in (1, 7, N - 1):
        sample = sampler.draw(count, np.random.default_rng(0))
        assert sample.size == count
        assert not sample.whole
        assert len(set(row_numbers(sample))) == count


@pytest.mark.parametrize("count", [N, N + 1, 100 * N])
def test_a_draw_as_large_as_the_data_is_the_data_every_row_once(sampler: Any, count: int) -> None:
    sample = sampler.draw(count, np.random.default_rng(0))
    assert sample.whole
    assert sample.size == N
    assert_array_equal(np.sort(row_numbers(sample)), np.arange(N))


def test_the_blocks_are_the_data_every_row_once(sampler: Any) -> None:
    blocks = list(sampler.blocks())
    assert sum(block.size for block in blocks) == N
    assert_array_equal(np.sort(np.concatenate([row_numbers(block) for block in blocks])), np.arange(N))
    assert all(block.whole == (len(blocks) == 1) for block in blocks)


def test_the_same_seed_draws_the_same_rows(sampler: Any) -> None:
    first = row_numbers(sampler.draw(5, np.random.default_rng(1)))
    again = row_numbers(sampler.draw(5, np.random.default_rng(1)))
    other = [tuple(row_numbers(sampler.draw(5, np.random.default_rng(seed)))) for seed in range(2, 12)]
    assert_array_equal(first, again)
    assert len(set(other)) > 1


def test_every_row_is_drawn_about_equally_often(sampler: Any) -> None:
    rng, counts, draws = np.random.default_rng(5), np.zeros(N), 2000
    for _ in range(draws):
        counts[row_numbers(sampler.draw(4, rng))] += 1
    expected = draws * 4 / N
    # Five standard deviations of a binomial count.
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


def test_a_simulator_makes_as_many_rows_as_asked_for_and_never_ends() -> None:
    endless = Simulator(lambda count, rng: rng.normal(size=(count, 2)), evaluation=50)
    assert isinstance(endless, Sampler)
    assert endless.size is None
    sample = endless.draw(10**4, np.random.default_rng(0))
    assert sample.size == 10**4
    assert not sample.whole
    (block,), (again,) = endless.blocks(), endless.blocks()
    assert_array_equal(block.data, again.data)
    assert block.size == 50
