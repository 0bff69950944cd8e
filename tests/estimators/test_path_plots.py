"""Paths and choices as figures: what is drawn is what was found."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk import SparseClassifierCV, SparseRegressor, SparseRegressorCV, sparse_path
from atmostk.estimators import plot_cv, plot_path

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(80, 6)), columns=list("abcdef"))


@pytest.fixture(scope="module")
def y(frame):
    return 3 * frame.b - frame.e + 0.5 * np.random.default_rng(1).normal(size=80)


def test_the_scores_their_errors_and_the_choice_are_drawn(frame, y):
    model = SparseRegressorCV(at_most=range(1, 5)).fit(frame, y)
    axes = plot_cv(model)
    held, fitted, chosen = axes.get_lines()
    assert_array_equal(held.get_xdata(), [1, 2, 3, 4])
    assert_allclose(held.get_ydata(), model.scores_)
    assert_allclose(fitted.get_ydata(), model.path_.losses)
    assert chosen.get_xdata()[0] == model.at_most_


def test_coefficients_are_drawn_by_name_in_units_that_compare(frame, y):
    path = sparse_path(frame, y, at_most=[1, 2, 3])
    spread = frame.std().to_numpy()
    axes = plot_path(path, spread=spread)
    assert {"b", "e"} <= {text.get_text() for text in axes.texts}
    assert_allclose(axes.get_lines()[0].get_ydata(), path.coefs[:, 1] * spread[1])


def test_several_classes_and_criteria_are_drawn_too(frame, y):
    labels = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    model = SparseClassifierCV(at_most=[1, 2], criterion="bic").fit(frame, labels)
    assert plot_cv(model).get_ylabel() == "BIC"
    assert plot_path(model).get_xlabel() == "features"


def test_what_has_no_path_is_refused(frame, y):
    with pytest.raises(TypeError, match="plot_cv draws"):
        plot_cv(SparseRegressor())
    with pytest.raises(TypeError, match="plot_path draws"):
        plot_path(SparseRegressor(at_most=1).fit(frame, y))
