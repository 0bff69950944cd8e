"""Graphs from rows that are drawn as they are needed: against the fit on all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.datasets import band_graph
from atmostk.estimators import SparsePrecision
from atmostk.graphs.selection import Combined
from atmostk.samplers import MappedRows


@pytest.fixture(scope="module")
def X():
    return band_graph(12).draw(60_000, seed=0) * np.linspace(0.1, 20, 12) + 1000 * np.arange(12)


@pytest.fixture
def stored(X, tmp_path):
    np.save(tmp_path / "rows.npy", X)
    return MappedRows(tmp_path / "rows.npy", block_bytes=200_000)


def test_few_rows_are_all_read_and_the_answer_is_that_of_the_array(X, tmp_path):
    np.save(tmp_path / "few.npy", X[:3000])
    whole = SparsePrecision(21).fit(X[:3000])
    sampled = SparsePrecision(21, enough=0.01).fit(MappedRows(tmp_path / "few.npy"))
    assert sampled.rows_ == 3000
    assert_array_equal(sampled.graph_.keys, whole.graph_.keys)
    assert_allclose(sampled.precision_.toarray(), whole.precision_.toarray(), rtol=1e-5, atol=1e-12)


def test_of_many_rows_as_many_are_read_as_the_tolerance_asks_for(X, stored):
    whole = SparsePrecision(21).fit(X)
    coarse = SparsePrecision(21, enough=0.05).fit(stored)
    fine = SparsePrecision(21, enough=0.003).fit(stored)
    assert coarse.rows_ < fine.rows_ < len(X)
    assert SparsePrecision(21).fit(stored).rows_ == len(X)
    assert_array_equal(fine.graph_.keys, whole.graph_.keys)
    assert whole.score(X) - fine.score(X) < 0.003 * abs(whole.score(X) - SparsePrecision(0).fit(X).score(X))
    assert_array_equal(SparsePrecision(21, enough=0.05).fit(stored).precision_.data, coarse.precision_.data)


def test_where_no_edge_explains_anything_all_rows_are_read(tmp_path):
    np.save(tmp_path / "noise.npy", np.random.default_rng(0).normal(size=(9000, 5)))
    assert SparsePrecision(3, enough=0.01).fit(MappedRows(tmp_path / "noise.npy")).rows_ == 9000


def test_options_go_along_and_what_cannot_be_is_said(X, stored):
    options = {"selection": Combined(), "forbidden": [(0, 1)], "assume_centered": True, "enough": 0.05}
    model = SparsePrecision(15, **options).fit(stored)
    assert (model.location_ == 0).all()
    assert (0, 1) not in zip(model.edges_.i, model.edges_.j, strict=True)
    with pytest.raises(ValueError, match="positive share"):
        SparsePrecision(3, enough=-1).fit(X[:50])
