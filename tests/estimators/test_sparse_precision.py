"""The graph estimator: against brute force, closed forms, scikit-learn's own checks, and its own promises."""

import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import norm
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from atmostk.datasets import band_graph
from atmostk.estimators import SparsePrecision
from atmostk.estimators.prior_knowledge import only_between, only_within
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample


@parametrize_with_checks([SparsePrecision()])
def test_scikit_learn_finds_nothing_to_complain_about(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def X():
    return band_graph(12).draw(150, seed=1) * np.linspace(0.1, 20, 12) + np.arange(12)


def pairs(model):
    return list(zip(model.edges_.i.tolist(), model.edges_.j.tolist(), strict=True))


def test_it_finds_the_best_of_all_supports():
    X = band_graph(5).draw(80, seed=3)
    every = list(combinations(range(5), 2))
    values = {chosen: SparsePrecision(edges=3, known=chosen).fit(X).result_.value for chosen in combinations(every, 3)}
    assert tuple(pairs(SparsePrecision(edges=3).fit(X))) == min(values, key=values.__getitem__)


def test_all_edges_give_nearly_the_inverse_covariance_and_none_the_inverse_variances(X):
    full = SparsePrecision(edges=66).fit(X).precision_.toarray()
    inverse = np.linalg.inv(np.cov(X.T, ddof=0))
    scale = np.sqrt(np.outer(inverse.diagonal(), inverse.diagonal()))
    assert_allclose(full / scale, inverse / scale, atol=0.1)
    alone = SparsePrecision(edges=0).fit(X)
    assert_allclose(alone.precision_.toarray(), np.diag(1 / X.var(axis=0)), rtol=1e-10)


def test_the_score_is_the_likelihood_of_each_entry_given_the_others(X):
    model = SparsePrecision(edges=20).fit(X[:100])
    P, held = model.precision_.toarray(), X[100:] - X[:100].mean(axis=0)
    total = 0.0
    for i in range(12):
        others = [j for j in range(12) if j != i]
        mean = -held[:, others] @ P[others, i] / P[i, i]
        total += norm(mean, P[i, i] ** -0.5).logpdf(held[:, i]).mean()
    assert_allclose(model.score(X[100:]), total, rtol=1e-10)


def test_the_answer_does_not_depend_on_the_units_of_measurement(X):
    here = SparsePrecision(edges=20).fit(X)
    there = SparsePrecision(edges=20).fit(X * 1000 - 5)
    assert pairs(here) == pairs(there)
    assert_allclose(here.precision_.toarray(), 1e6 * there.precision_.toarray(), rtol=1e-6, atol=1e-12)
    assert_allclose(here.edges_.partial_correlation, there.edges_.partial_correlation, rtol=1e-6)


def test_its_value_is_that_of_the_objective_on_standardised_rows(X):
    model = SparsePrecision(edges=20, ridge=0.02, shrinkage=0.05).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert_allclose(
        model.result_.value, GaussianGraph(ridge=0.02, l1=0.05).value(model.graph_, Sample(Z, 150)), rtol=1e-9
    )
    assert model.certificate_.basic_feasible
    assert_array_equal(model.result_.support, model.graph_.support)


def test_covariance_and_distance_agree_with_the_precision(X):
    model = SparsePrecision(edges=20).fit(X)
    assert model.is_positive_definite_
    assert_allclose(model.covariance_ @ model.get_precision(), np.eye(12), atol=1e-10)
    centred = X - X.mean(axis=0)
    assert_allclose(model.mahalanobis(X), [row @ model.precision_.toarray() @ row for row in centred], rtol=1e-10)


def test_what_is_not_positive_definite_is_made_so_by_the_smallest_loading():
    X = np.random.default_rng(0).normal(size=(12, 40))
    model = SparsePrecision(edges=200).fit(X)
    lowest = np.linalg.eigvalsh(model.graph_.to_dense())[0]
    assert (lowest > 0) == model.is_positive_definite_
    assert not model.is_positive_definite_
    loaded = model.to_positive_definite(smallest=0.01)
    assert loaded.is_positive_definite_
    assert_allclose(np.linalg.eigvalsh(loaded.graph_.to_dense())[0], 0.01, atol=1e-8)
    assert not model.is_positive_definite_


def test_known_and_forbidden_pairs_by_place_name_or_matrix():
    names = [f"g{place}" for place in range(12)]
    frame = pd.DataFrame(band_graph(12).draw(150, seed=1), columns=names)
    free = pairs(SparsePrecision(edges=15).fit(frame))
    far, near = (0, 11), free[0]
    by_place = SparsePrecision(edges=15, known=[far], forbidden=[near]).fit(frame)
    by_name = SparsePrecision(edges=15, known=[("g11", "g0")], forbidden=[tuple(names[end] for end in near)]).fit(frame)
    matrix = sparse.coo_array(([1], ([near[0]], [near[1]])), shape=(12, 12))
    by_matrix = SparsePrecision(edges=15, known=[far], forbidden=matrix).fit(frame)
    assert far in pairs(by_place)
    assert near not in pairs(by_place)
    assert pairs(by_place) == pairs(by_name) == pairs(by_matrix)
    assert len(by_place.edges_) == 15
    assert by_place.edges_[0].second in names


def test_weights_as_matrix_sparse_or_function_say_the_same(X):
    modules = np.arange(12) // 6
    allowed = (modules[:, None] == modules).astype(float)
    dense = SparsePrecision(edges=12, edge_weights=allowed).fit(X)
    function = SparsePrecision(edges=12, edge_weights=only_within(modules)).fit(X)
    assert pairs(dense) == pairs(function)
    assert all(modules[i] == modules[j] for i, j in pairs(dense))
    between = SparsePrecision(edges=12, edge_weights=only_between(modules)).fit(X)
    assert all(modules[i] != modules[j] for i, j in pairs(between))
    rare = sparse.csr_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(12, 12))
    assert (0, 1) not in pairs(SparsePrecision(edges=40, edge_weights=rare).fit(X))


def test_a_covariance_matrix_stands_for_its_rows(X):
    direct = SparsePrecision(edges=20).fit(X)
    given = SparsePrecision(edges=20).fit_covariance(np.cov(X.T, ddof=0), rows=150)
    assert_allclose(given.precision_.toarray(), direct.precision_.toarray(), rtol=1e-6, atol=1e-12)
    with pytest.raises(ValueError, match="not symmetric"):
        SparsePrecision().fit_covariance([[1.0, 0.5], [0.1, 1.0]], rows=9)


def test_ranks_are_deaf_to_the_shape_of_the_margins(X):
    plain = SparsePrecision(edges=20, ranks=True).fit(X)
    bent = SparsePrecision(edges=20, ranks=True).fit(np.exp(X / X.std(axis=0)))
    assert pairs(plain) == pairs(bent)


def test_missing_values_are_refused_by_name_or_filled_when_asked(X):
    frame = pd.DataFrame(X.copy(), columns=[f"gene {place}" for place in range(12)])
    frame.iloc[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"1 missing or infinite value \(NaN, inf\) in column 'gene 4'"):
        SparsePrecision().fit(frame)
    model = SparsePrecision(edges=20, impute=True).fit(frame)
    assert np.isfinite(model.precision_.data).all()
    assert np.isfinite(model.score(frame))


def test_a_constant_variable_is_refused_by_name(X):
    constant = X.copy()
    constant[:, 2] = 7
    with pytest.raises(ValueError, match="constant in column 2"):
        SparsePrecision().fit(constant)


def test_single_precision_and_memory_maps_are_taken_as_they_are(X, tmp_path):
    np.save(tmp_path / "rows.npy", X.astype(np.float32))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    model = SparsePrecision(edges=20).fit(mapped)
    assert model.location_.dtype == np.float32
    assert pairs(model) == pairs(SparsePrecision(edges=20).fit(X))


def test_kicks_never_worsen_the_objective_and_repeat_with_the_seed():
    X = np.random.default_rng(0).normal(size=(30, 40))
    plain = SparsePrecision(edges=60).fit(X)
    kicked = [SparsePrecision(edges=60, kicks=6, random_state=3).fit(X) for _ in range(2)]
    assert kicked[0].result_.value <= plain.result_.value + 1e-6
    assert pairs(kicked[0]) == pairs(kicked[1])
    hurried = SparsePrecision(edges=60, kicks=10**6, max_seconds=0.05).fit(X)
    assert "seconds" in hurried.result_.stop.reason


def test_beyond_the_gram_matrix_the_columns_give_the_same_graph(X, monkeypatch):
    from atmostk.estimators import sparse_precision

    on_gram = SparsePrecision(edges=15).fit(X)
    monkeypatch.setattr(sparse_precision, "GRAM", 5)
    on_columns = SparsePrecision(edges=15).fit(X)
    assert pairs(on_gram) == pairs(on_columns)
    assert_allclose(on_columns.precision_.toarray(), on_gram.precision_.toarray(), rtol=1e-3, atol=1e-4)


def test_it_is_cloned_pickled_and_fitted_again(X):
    model = SparsePrecision(edges=20).fit(X)
    assert len(model.edges_) == 20
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.precision_.toarray(), model.precision_.toarray())
    model.set_params(edges=5).fit(X)
    assert len(model.edges_) == 5
    assert len(clone(model).fit(X).edges_) == 5


def test_the_table_names_its_edges_and_knows_the_strongest(X):
    table = SparsePrecision(edges=20).fit(X).edges_
    assert len(table.to_frame()) == 20
    strongest = table.strongest(3)
    assert abs(strongest[0].partial_correlation) == np.abs(table.partial_correlation).max()
    assert table.degrees.sum() == 40
    assert len(table[:4]) == 4


def test_annotated_data_and_polars_frames_give_the_same_graph_with_their_names(X, tmp_path):
    anndata = pytest.importorskip("anndata")
    polars = pytest.importorskip("polars")
    names = [f"gene {place}" for place in range(12)]
    plain = SparsePrecision(edges=20).fit(pd.DataFrame(X, columns=names))
    cells = anndata.AnnData(sparse.csr_matrix(X))
    cells.var_names = names
    cells.write_h5ad(tmp_path / "cells.h5ad")
    for given in (cells, tmp_path / "cells.h5ad", polars.DataFrame(X, schema=names)):
        model = SparsePrecision(edges=20).fit(given)
        assert pairs(model) == pairs(plain)
        assert list(model.feature_names_in_) == names
        assert_allclose(model.score(X), plain.score(pd.DataFrame(X, columns=names)), rtol=1e-5)
