"""The numbers of an evaluation against a count by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, confusion_matrix

from atmostk.networks import Perturbation, evaluate, spread


def bar_at_the_right(target: int | None = 1) -> Perturbation:
    delta = np.zeros((1, 8, 8), np.float32)
    delta[0, 1:7, 7] = 1
    return Perturbation(delta, target=target)


def predicted(network, images) -> np.ndarray:
    with torch.no_grad():
        return network(torch.from_numpy(images)).argmax(1).numpy()


def test_accuracy_confusion_and_hits_are_those_of_scikit_learn(network, pictures) -> None:
    images, labels = pictures
    perturbation = bar_at_the_right()
    told = perturbation.evaluate(network, images, labels, batch_size=33)
    before, after = predicted(network, images), predicted(network, perturbation.apply(images))
    assert told.accuracy_before == pytest.approx(accuracy_score(labels, before))
    assert told.accuracy_after == pytest.approx(accuracy_score(labels, after))
    assert_array_equal(told.confusion_before, confusion_matrix(labels, before, labels=range(4)))
    assert_array_equal(told.confusion_after, confusion_matrix(labels, after, labels=range(4)))
    assert told.hit == pytest.approx((after[labels != 1] == 1).mean())
    assert told.hit_before == pytest.approx((before[labels != 1] == 1).mean())
    assert told.predicted_as_target == (after == 1).sum()
    assert told.hit > told.hit_before  # the bar does fool the network, or the test would show little
    third = told.by_class()[2]
    assert third["right_after"] == pytest.approx((after[labels == 2] == 2).mean())
    assert third["as_target"] == pytest.approx((after[labels == 2] == 1).mean())


def test_pixels_are_counted_on_the_bytes_of_the_images(network) -> None:
    delta = np.zeros((1, 8, 8), np.float32)
    delta[0, 0, :3] = [0.001, 0.01, 1.0]  # too little to show, enough to show, and clipped where it is white already
    images = np.zeros((2, 1, 8, 8), np.float32)
    images[1, 0, 0, 2] = 1
    told = Perturbation(delta).evaluate(network, images, [0, 0])
    assert told.most_pixels == 2
    assert told.mean_pixels == 1.5


def test_an_untargeted_perturbation_has_no_hits(network, pictures) -> None:
    told = bar_at_the_right(None).evaluate(network, *pictures)
    assert told.hit is None
    assert told.predicted_as_target is None
    assert "as_target" not in told.by_class()[0]


def test_a_data_loader_gives_what_its_arrays_give(network, pictures) -> None:
    images, labels = (torch.from_numpy(part) for part in pictures)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=64)
    assert str(bar_at_the_right().evaluate(network, loader)) == str(bar_at_the_right().evaluate(network, *pictures))


def test_the_spread_is_mean_and_standard_deviation(network, pictures) -> None:
    images, labels = pictures
    told = [bar_at_the_right().evaluate(network, images[part], labels[part]) for part in (np.s_[:90], np.s_[90:])]
    hits = [one.hit for one in told]
    assert spread(told)["hit"] == pytest.approx((np.mean(hits), np.std(hits, ddof=1)))
    assert spread(told[:1])["hit"] == (hits[0], 0.0)
    with pytest.raises(ValueError, match="no evaluations"):
        spread([])


def test_labels_and_targets_beyond_the_classes_are_refused(network, pictures) -> None:
    images, labels = pictures
    with pytest.raises(ValueError, match="labels go from 1 to 4, but the model has 4 classes"):
        evaluate(bar_at_the_right(), network, images, labels + 1)
    with pytest.raises(ValueError, match="target=9 does not exist: the model has 4 classes, numbered 0 to 3"):
        evaluate(bar_at_the_right(9), network, images, labels)
