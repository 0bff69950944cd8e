"""Paths of graphs, EBIC and stability selection: against separate fits, the formula, and the truth."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.datasets import band_graph, uniform_graph
from atmostk.estimators import SparsePrecision, SparsePrecisionCV, edge_stability, precision_path
from atmostk.graphs.selection import Growth, Neighbourhood
from atmostk.objectives import GaussianGraph
from atmostk.sample import Sample


@pytest.fixture(scope="module")
def X():
    return uniform_graph(20, seed=0).draw(90, seed=1) * np.linspace(0.1, 20, 20) + np.arange(20)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_a_path_holds_as_many_edges_as_asked_at_values_that_fall(X):
    path = precision_path(X, [30, 5, 12, 5, 10**6])
    assert path.edges.tolist() == [5, 12, 30, 190]
    assert (np.diff(path.values) < 0).all()
    sample = Sample(standardised(X), 90)
    assert_allclose(path.values, [GaussianGraph().value(model.graph_, sample) for model in path], rtol=1e-9)


def test_a_warm_path_is_about_as_good_as_separate_fits(X):
    for model in precision_path(X, [10, 20, 40]):
        alone = SparsePrecision(model.edges).fit(X)
        assert model.result_.value <= alone.result_.value + 0.005 * abs(alone.result_.value)


def test_each_model_of_a_path_is_a_fitted_estimator(X):
    frame = pd.DataFrame(X, columns=[f"g{place}" for place in range(20)])
    options = SparsePrecision(ridge=0.02, shrinkage=0.05, forbidden=[("g0", "g1")])
    model = precision_path(frame, [8, 16], model=options)[1]
    assert np.isfinite(model.score(frame))
    assert model.edges_.names[3] == "g3"
    assert model.get_params()["edges"] == 16
    penalised = GaussianGraph(ridge=0.02, l1=0.05).value(model.graph_, Sample(standardised(X), 90))
    assert_allclose(model.result_.value, penalised, rtol=1e-9)
    plain = GaussianGraph().value(model.graph_, Sample(standardised(X), 90))
    assert_allclose(precision_path(frame, [16], model=options).values, plain, rtol=1e-3)


def test_a_rule_of_selection_goes_along_the_path(X):
    path = precision_path(X, [10, 25], model=SparsePrecision(selection=Growth()))
    alone = SparsePrecision(25, selection=Growth()).fit(X)
    assert_array_equal(path[1].graph_.keys, alone.graph_.keys)


def test_ebic_is_the_formula_and_finds_the_true_number_of_edges_with_many_rows():
    truth = uniform_graph(40, seed=5)
    path = precision_path(truth.draw(2000, seed=6), range(30, 100, 5))
    expected = 2000 * path.values + 2 * path.edges * (np.log(2000) + 4 * 0.5 * np.log(40))
    assert_allclose(path.ebic(), expected)
    assert abs(len(path.best().edges_) - len(truth.edges)) <= 5
    noise = precision_path(np.random.default_rng(0).normal(size=(200, 40)), [0, 1, 2, 5, 10, 20])
    assert len(noise.best().edges_) <= 1
    assert len(path.best(0.0).edges_) >= len(path.best(1.0).edges_)


def test_the_partial_correlations_of_a_path_are_those_of_its_models(X):
    path = precision_path(X, [5, 15])
    pairs, values = path.partial_correlations()
    for place, model in enumerate(path):
        dense = model.partial_correlations_.toarray()
        assert_allclose(values[:, place], dense[pairs[:, 0], pairs[:, 1]])


def test_beyond_the_gram_matrix_a_path_gives_the_same_graphs(X, monkeypatch):
    from atmostk.estimators import precision_paths

    on_gram = precision_path(X, [5, 15])
    monkeypatch.setattr(precision_paths, "GRAM", 5)
    on_columns = precision_path(X, [5, 15])
    assert_array_equal(on_gram[1].graph_.keys, on_columns[1].graph_.keys)
    assert_allclose(on_gram.values, on_columns.values, rtol=1e-4)
    with pytest.raises(ValueError, match="scores all pairs"):
        precision_path(X, [5], model=SparsePrecision(selection=Neighbourhood()))


def test_true_edges_are_stable_and_noise_is_not():
    truth = band_graph(20)
    found = edge_stability(SparsePrecision(edges=30), truth.draw(300, seed=0), subsamples=20)
    true = truth.edges[:, 0] * 20 + truth.edges[:, 1]
    i, j = found.stable(0.9).T
    assert len(i) >= 18
    assert np.isin(i * 20 + j, true).mean() > 0.9
    assert found.chosen == 30
    noise = edge_stability(SparsePrecision(edges=30), np.random.default_rng(0).normal(size=(60, 20)), subsamples=20)
    assert len(noise.stable(0.9)) <= noise.false_edges(0.9) + 2


def test_frequencies_are_counts_of_fits_on_halves_that_share_no_row(X):
    fitted = []

    class Spy(SparsePrecision):
        def fit(self, X, y=None):
            fitted.append(np.sort(X[:, 0]))
            return super().fit(X)

    found = edge_stability(Spy(edges=10), X, subsamples=4)
    assert np.intersect1d(fitted[0], fitted[1]).size == 0
    assert all(len(rows) == 45 for rows in fitted)
    whole = found.frequencies()
    assert abs(whole - whole.T).max() == 0
    assert_allclose(whole.sum() / 2, 10)
    assert (np.diff(found.frequency) <= 0).all()
    assert set(found.frequency) <= {0.25, 0.5, 0.75, 1.0}
    again = edge_stability(Spy(edges=10), X, subsamples=4, n_jobs=2)
    assert_array_equal(again.frequencies().toarray(), whole.toarray())


def test_stability_keeps_names_and_what_is_known_by_name(X):
    frame = pd.DataFrame(X.copy(), columns=[f"g{place}" for place in range(20)])
    frame.iloc[0, 0] = np.nan
    model = SparsePrecisionCV([6], known=[("g0", "g9")], impute=True, selection=[Growth()], shrinkage=[0.3])
    found = edge_stability(model, frame, subsamples=3)
    assert [0, 9] in found.stable(1.0).tolist()
    assert found.names[9] == "g9"
    assert found.to_frame()["frequency"].max() == 1


@pytest.mark.parametrize(("call", "message"), [
    (lambda X: precision_path(X, []), "at least one"),
    (lambda X: edge_stability(SparsePrecision(5), X, subsamples=1), "at least two"),
    (lambda X: edge_stability(SparsePrecision(5), X[:6]), "8 rows"),
    (lambda X: edge_stability(SparsePrecision(5), X, subsamples=2).false_edges(0.5), "above .5"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(X, call, message):
    with pytest.raises(ValueError, match=message):
        call(X)
