"""Pictures of networks: what is drawn is what the model knows."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot

from atmostk.datasets import band_graph
from atmostk.estimators import SparsePrecision
from atmostk.report import plot_network, plot_path


@pytest.fixture(scope="module")
def X():
    return band_graph(30).draw(200, seed=0)


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def test_a_network_has_a_line_for_each_edge_and_a_point_for_each_variable(X):
    model = SparsePrecision(edges=20).fit(X)
    ax = plot_network(model, names=5)
    lines, points = ax.collections
    assert len(lines.get_segments()) == 20
    assert len(points.get_offsets()) == 30
    assert 0 < len(ax.texts) <= 5
    most = model.edges_.names[np.argmax(model.edges_.degrees)]
    assert most in [text.get_text() for text in ax.texts]
    blue = (lines.get_colors()[:, 2] > lines.get_colors()[:, 0]).sum()
    assert blue == (model.edges_.partial_correlation > 0).sum()
    assert ax.get_title(loc="left") == "20 edges among 30 variables"


def test_variables_without_an_edge_can_be_left_out(X):
    model = SparsePrecision(edges=8).fit(X)
    ax = plot_network(model.edges_, alone=False)
    assert len(ax.collections[1].get_offsets()) == (model.edges_.degrees > 0).sum()


def test_a_network_without_edges_is_drawn_too(X):
    ax = plot_network(SparsePrecision(edges=0).fit(X))
    ax.figure.canvas.draw()
    assert len(ax.texts) == 0


def test_a_path_has_a_line_for_each_pair_and_names_the_strongest(X):
    models = [SparsePrecision(edges=edges).fit(X) for edges in (30, 10, 50)]
    figure = plot_path(models, names=4)
    (above,) = figure.axes
    pairs = set().union(*({(edge.i, edge.j) for edge in model.edges_} for model in models))
    assert len(above.collections[0].get_segments()) == len(pairs)
    strongest = models[2].edges_.strongest(1)[0]
    assert f"{strongest.first} - {strongest.second}" in [text.get_text() for text in above.texts]
    assert len(above.texts) == 4
    figure.canvas.draw()


def test_a_path_that_knows_its_criterion_shows_where_it_is_least(X):
    class Path(list):
        def ebic(self):
            return np.array([3.0, 1.0, 2.0])

    figure = plot_path(Path(SparsePrecision(edges=edges).fit(X) for edges in (10, 30, 50)))
    assert figure.axes[1].texts[0].get_text() == "least at 30"


def test_what_cannot_be_drawn_is_refused_in_a_sentence(X):
    with pytest.raises(TypeError, match="takes a fitted SparsePrecision or its edges_, not list"):
        plot_network([])
    with pytest.raises(ValueError, match="give the number of variables to name"):
        plot_network(SparsePrecision(edges=3).fit(X), names=-1)
    with pytest.raises(ValueError, match="needs at least two graphs"):
        plot_path([SparsePrecision(edges=3).fit(X)])
