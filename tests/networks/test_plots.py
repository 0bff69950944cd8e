"""The figures of an attack show what the perturbation and its evaluations hold."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk.networks import Perturbation

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'atmostk[plots]'")

from atmostk.networks import plots


@pytest.fixture
def curves(network, pictures):
    found = {}
    for target in (None, 0, 1):
        found[target] = {}
        for count in (2, 8):
            delta = np.zeros((1, 8, 8), np.float32)
            delta[0, :, 0 if target == 0 else 7].flat[:count] = 1
            found[target][count] = Perturbation(delta, target=target).evaluate(network, *pictures)
    return found


def test_a_heat_map_has_a_panel_for_each_channel(tmp_path) -> None:
    delta = np.zeros((3, 5, 4), np.float32)
    delta[1, 2, 3] = -0.5
    figure = plots.heat_map(Perturbation(delta))
    panels = [axis for axis in figure.axes if axis.images]
    assert len(panels) == 3
    np.testing.assert_array_equal(panels[1].images[0].get_array(), delta[1])
    figure.savefig(tmp_path / "map.png")


def test_titles_tell_what_the_network_takes_each_image_for(network, pictures, tmp_path) -> None:
    delta = np.zeros((1, 8, 8), np.float32)
    delta[0, :, :2] = 1
    figure = plots.before_and_after(Perturbation(delta, target=0), network, pictures[0][:4], names=list("abcd"))
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[:4] == list("abcd")
    assert set(titles[4:]) <= set("abcd")
    assert titles[4:].count("a") >= 2
    figure.savefig(tmp_path / "images.png")


def test_the_success_figure_draws_mean_best_and_untargeted(curves, tmp_path) -> None:
    figure = plots.success(curves)
    hits, accuracies = figure.axes
    labels = [line.get_label() for line in hits.lines + accuracies.lines]
    assert "mean of 2 targets" in labels
    assert "untargeted" in labels
    best = max((0, 1), key=lambda target: sum(told.hit for told in curves[target].values()))
    drawn = next(line for line in hits.lines if line.get_label() == f"target {best}")
    np.testing.assert_allclose(drawn.get_ydata(), [100 * curves[best][count].hit for count in (2, 8)])
    figure.savefig(tmp_path / "success.png")
    assert len(plots.success({None: curves[None]}).axes) == 1
    with pytest.raises(ValueError, match="there are no curves to draw"):
        plots.success({})


def test_confusion_shares_add_up_row_by_row(curves) -> None:
    figure = plots.confusions(curves[1][8])
    for axis in figure.axes:
        np.testing.assert_allclose(np.asarray(axis.images[0].get_array()).sum(axis=1), 1)
