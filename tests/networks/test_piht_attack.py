"""The paper's attack keeps its budget, is the same again for a seed, and stays what the paper and the program say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from atmostk.networks import PIHTAttack, TanhPerturbation
from atmostk.networks.piht_attack import CLIPPED, PRINTED, RELEASED

FORMS = {"printed": PRINTED, "clipped": CLIPPED, "released": RELEASED}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("target", [None, 2])
def test_at_most_k_pixels_and_the_same_again_for_a_seed(form: str, target, network, pictures) -> None:
    attack = PIHTAttack(6, target, form=FORMS[form], steps=15, batch_size=80)
    found, again = (attack.fit(network, *pictures) for _ in range(2))
    assert found.pixels <= 6
    assert found.target == target
    assert_array_equal(found.apply(pictures[0]), again.apply(pictures[0]))


def test_on_logits_the_attack_fools_the_network(network, pictures) -> None:
    told = PIHTAttack(12, 1, batch_size=200).fit(network, *pictures).evaluate(network, *pictures)
    assert told.hit > told.hit_before + 0.2
    assert told.most_pixels <= 12


def test_as_printed_the_norm_outweighs_what_probabilities_can_gain(network, pictures) -> None:
    """The attack term is at most c = 2, and a dozen full pixels cost more than three."""
    told = PIHTAttack(12, 1, form=PRINTED, batch_size=200).fit(network, *pictures)
    assert told.norms["l2"] < 2


def test_colour_pixels_cost_one_unit_whatever_their_channels() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 25, 4))
    images = np.random.default_rng(0).random((50, 3, 5, 5)).astype(np.float32)
    labels = model(torch.from_numpy(images)).argmax(1).numpy()
    found = PIHTAttack(4, steps=30, batch_size=50, weight=50.0).fit(model, images, labels)
    assert found.pixels <= 4
    assert np.count_nonzero(found.delta) > 4


def test_the_rounding_of_the_released_program_changes_white_pixels_outside_the_support(network) -> None:
    images = np.zeros((2, 1, 8, 8), np.float32)
    images[0, 0, :, 0] = 1
    shift = np.zeros((1, 8, 8), np.float32)
    shift[0, 3, 3] = 9
    found = TanhPerturbation(shift)
    moved = found.apply(images)
    assert moved[1, 0, 3, 3] == np.float32(254 / 255)
    assert (moved[0, 0, :, 0] == np.float32(254 / 255)).all()
    assert (moved * 255 == np.floor(moved * 255 + 0.5)).all()
    assert found.pixels == 1
    assert found.evaluate(network, images, [0, 0]).most_pixels == 9


def test_the_run_is_there_to_look_at_and_ends_when_its_time_is_over(network, pictures) -> None:
    result = PIHTAttack(6, 1, steps=5, batch_size=50).run(network, *pictures)
    assert result.steps == 5
    assert set(result.history.column("accepted")) <= {True, False}
    assert "seconds were over" in PIHTAttack(6, 1, steps=10**6, max_seconds=0.1).run(network, *pictures).stop.reason


@pytest.mark.parametrize(
    ("attack", "sentence"),
    [
        (PIHTAttack(65), "at_most=65: an image has 64 pixels"),
        (PIHTAttack(5, target=4), "target=4 does not exist"),
    ],
)
def test_what_cannot_be_is_refused(attack, sentence, network, pictures) -> None:
    with pytest.raises(ValueError, match=sentence):
        attack.fit(network, *pictures)
