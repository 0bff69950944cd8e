"""The attack keeps its budget, box, mask and seed; it beats simpler searches; wrong input is told in one sentence."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from torch import nn

from atmostk.networks import Perturbation, SparseAttack


@pytest.mark.parametrize("target", [None, 2])
def test_at_most_k_pixels_and_the_same_again_for_a_seed(target, network, pictures) -> None:
    attack = SparseAttack(4, target, kicks=2)
    found, again = (attack.fit(network, *pictures) for _ in range(2))
    assert found.pixels <= 4
    assert found.target == target
    assert_array_equal(found.delta, again.delta)


def test_one_pixel_is_the_best_of_all_pixels(network, pictures) -> None:
    """Brute force over every pixel and both ends of the box, by the loss that the search lowers."""
    images, labels = pictures
    others = labels != 1

    def loss(place: int, sign: int) -> float:
        delta = np.zeros((1, 64), np.float32)
        delta[0, place] = sign
        moved = Perturbation(delta.reshape(1, 8, 8)).apply(images[others])
        with torch.no_grad():
            scores = network(torch.from_numpy(moved)).numpy().astype(float)
        margin = np.delete(scores, 1, axis=1).max(axis=1) - scores[:, 1]
        return float((1 / (1 + np.exp(-margin))).mean())

    losses = {pair: loss(*pair) for pair in itertools.product(range(64), (-1, 1))}
    found = SparseAttack(1, 1).fit(network, images, labels)
    place, sign = int(found.support[0]), int(found.values[0, 0])
    assert losses[place, sign] <= min(losses.values()) + 0.01


def test_a_path_holds_every_budget_and_more_pixels_fool_more_images(network, pictures) -> None:
    found = SparseAttack(target=1, fast=True).path([2, 3, 4], network, *pictures)
    hits = [found[count].evaluate(network, *pictures).hit for count in (2, 3, 4)]
    assert [found[count].pixels for count in (2, 3, 4)] == [2, 3, 4]
    assert hits[0] < hits[1] < hits[2]


def test_a_mask_and_an_amplitude_are_kept(network, pictures) -> None:
    mask = np.zeros((8, 8), bool)
    mask[:, 4:] = True
    found = SparseAttack(5, 1, mask=mask, amplitude=0.25, fast=True).fit(network, *pictures)
    assert mask.ravel()[found.support].all()
    assert np.abs(found.delta).max() == np.float32(0.25)


def test_images_from_minus_one_to_one_stay_in_their_box(pictures) -> None:
    images = pictures[0] * 2 - 1
    torch.manual_seed(0)
    found = SparseAttack(3, 1, low=-1.0, fast=True).fit(
        nn.Sequential(nn.Flatten(), nn.Linear(64, 4)), images, pictures[1]
    )
    moved = found.apply(images)
    assert moved.min() >= -1
    assert moved.max() <= 1
    assert np.abs(found.delta).max() == 2


def test_colour_pixels_cost_one_unit_whatever_their_channels() -> None:
    """For a linear network of two classes the best pixels are known: those with the largest sums of |weights|."""
    torch.manual_seed(0)
    weights = torch.randn(1, 3 * 36)
    model = nn.Sequential(nn.Flatten(), nn.Linear(108, 2, bias=False))
    with torch.no_grad():
        model[1].weight[:] = torch.cat([-weights, weights]) / 8
    images = torch.full((60, 3, 6, 6), 0.5)
    found = SparseAttack(4, 1).fit(model, images, np.zeros(60, int))
    worth = weights.abs().reshape(3, 36).sum(0)
    assert set(found.support) == set(worth.topk(4).indices.tolist())
    assert_array_equal(np.sign(found.values), np.sign(weights.reshape(3, 36)[:, found.support].T.numpy()))


def test_a_function_and_the_network_itself_are_fooled_alike(network, pictures) -> None:
    """One goes by passes, the other by following pixels through the layers."""
    by_layers = SparseAttack(5, 1).fit(network, *pictures).evaluate(network, *pictures)
    by_passes = SparseAttack(5, 1).fit(lambda x: network(x), *pictures).evaluate(network, *pictures)
    assert by_layers.hit > 0.3
    assert by_passes.hit > by_layers.hit - 0.05


def test_a_data_loader_is_read(network, pictures) -> None:
    images, labels = (torch.from_numpy(part) for part in pictures)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(images, labels), batch_size=30)
    attack = SparseAttack(3, 1, fast=True)
    assert_array_equal(attack.fit(network, loader).delta, attack.fit(network, images, labels).delta)


def test_when_the_time_is_over_the_best_so_far_is_the_answer(network, pictures) -> None:
    found = SparseAttack(6, 1, kicks=10**6, max_seconds=0.2).path([3, 6], network, *pictures)
    assert [found[count].pixels for count in (3, 6)] == [3, 6]


def test_a_network_in_training_mode_is_put_back(network, pictures) -> None:
    network.train()
    SparseAttack(2, 1, fast=True).fit(network, *pictures)
    assert network.training
    network.eval()


def loader_of_nothing():
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(0, 1, 8, 8), torch.zeros(0)))


@pytest.mark.parametrize(
    ("attack", "change", "sentence"),
    [
        (SparseAttack(65), {}, "at_most=65: an image has 64 pixels, so it must be at most that."),
        (SparseAttack(0), {}, "at_most=0: it must be a whole number of 1 or more."),
        (SparseAttack(3, mask=np.eye(8) > 1), {}, "at_most=3: the mask allows 0 pixels"),
        (SparseAttack(3, mask=np.ones((4, 4))), {}, "the mask has shape (4, 4): it must be that of an image, (8, 8)."),
        (SparseAttack(5, target=4), {}, "target=4 does not exist: the model has 4 classes, numbered 0 to 3."),
        (SparseAttack(5, target=1), {"labels": np.ones(200, int)}, "every image is of class 1, the target"),
        (SparseAttack(5), {"images": lambda x: 300 * x}, "outside the box from 0 to 1"),
        (SparseAttack(5), {"images": lambda x: x[:, 0, 0]}, "the images have shape (200, 8)"),
        (SparseAttack(5), {"labels": np.full(200, 7)}, "the labels go from 7 to 7, but the model has 4 classes"),
        (SparseAttack(5), {"labels": np.zeros(3, int)}, "labels have shape (3,) for 200 images"),
        (SparseAttack(5, amplitude=0.0), {}, "amplitude=0.0: it must be a number above 0, or None."),
        (SparseAttack(5, max_seconds=0), {}, "max_seconds=0: it must be a number above 0, or None."),
        (SparseAttack(5, batch_size=0), {}, "batch_size=0: it must be a whole number of 1 or more."),
        (SparseAttack(5, low=1.0), {}, "the box from low=1.0 to high=1.0 is empty or endless."),
    ],
)
def test_wrong_input_is_told_in_one_sentence(attack, change, sentence, network, pictures) -> None:
    images = change.get("images", lambda x: x)(pictures[0])
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        attack.fit(network, images, change.get("labels", pictures[1]))
    assert "\n" not in str(caught.value)


def test_a_data_loader_that_gives_nothing_is_told() -> None:
    with pytest.raises(ValueError, match="the DataLoader is empty: it gives no images"):
        SparseAttack(5).fit(lambda x: x, loader_of_nothing())
