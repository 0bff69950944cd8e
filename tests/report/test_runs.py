"""What a fitted thing becomes in a report: the tables and pictures that the page draws."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk import SparsePrecision
from atmostk.report import attack_run, graph_run


def test_a_graph_is_told_by_its_own_edges_and_names() -> None:
    pytest.importorskip("pandas")
    import pandas

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    X[:, 3] -= X[:, 1]
    model = SparsePrecision(edges=2, max_seconds=60).fit(pandas.DataFrame(X, columns=list("abcd")))
    run = graph_run(model, title="t", headline="h", quality={"known": 1})
    assert run.tables["nodes"]["name"] == list("abcd")
    strongest = np.argmax(np.abs(run.tables["edges"]["partial correlation"]))
    ends = [run.tables["nodes"]["name"][int(run.tables["edges"][end][strongest])] for end in ("first", "second")]
    assert ends == ["b", "d"]
    assert run.tables["edges"]["partial correlation"][strongest] < 0
    assert run.quality["certified on"] == "all 80 rows"
    assert run.quality["known"] == 1
    assert len(run.tables["convergence"]["value"]) == model.result_.steps


@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
def test_an_attack_is_told_by_its_pixels_and_shown_on_images_of_its_box(last: bool) -> None:
    torch = pytest.importorskip("torch")
    from atmostk.networks import Perturbation

    delta = np.zeros((3, 2, 2), np.float32)
    delta[:, 0, 1] = 1.5, 0.0, -0.5
    delta[0, 1, 0] = 0.25
    perturbation = Perturbation(delta, low=-1.0, high=1.0, target=1)
    images = np.random.default_rng(0).uniform(-1, 1, (4, 3, 2, 2)).astype(np.float32)
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 3))
    evaluation = perturbation.evaluate(network, images, [0, 1, 2, 2])
    shown = np.moveaxis(images, 1, -1) if last else images
    run = attack_run(perturbation, evaluation, shown, title="t", headline="h")
    assert run.tables["answer"]["row"].tolist() == [0, 1]
    assert run.tables["answer"]["column"].tolist() == [1, 0]
    assert run.tables["answer"]["change of channel 0"].tolist() == [1.5, 0.25]
    np.testing.assert_allclose(run.images["originals"], (images + 1) / 2, atol=1e-6)
    np.testing.assert_allclose(run.images["perturbed"], (np.clip(images + delta, -1, 1) + 1) / 2, atol=1e-6)
    counts = np.array(list(run.tables["confusion"].values())).T
    np.testing.assert_array_equal(counts, evaluation.confusion_after)
    assert run.tables["classes"]["images"].tolist() == [1, 1, 2]


def test_whole_numbers_are_shown_as_levels() -> None:
    pytest.importorskip("torch")
    from atmostk.networks import Perturbation

    perturbation = Perturbation(np.zeros((1, 2, 2), np.float32))
    images = np.array([[[0, 255], [51, 102]]], np.uint8)
    evaluation = perturbation.evaluate(lambda x: x.flatten(1), images, [1])
    run = attack_run(perturbation, evaluation, images, title="t", headline="h")
    np.testing.assert_allclose(run.images["originals"][0, 0], [[0, 1], [0.2, 0.4]], atol=1e-6)
