"""The moves of a search: a race finds what looking at everything finds, and no move leaves the loss higher."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from atmostk.networks import SparseAttack
from atmostk.networks.models import ready
from atmostk.networks.pixels.clock import Clock
from atmostk.networks.pixels.exchange import exchange
from atmostk.networks.pixels.gains import gains
from atmostk.networks.pixels.kicks import kick
from atmostk.networks.pixels.room import Room
from atmostk.networks.pixels.scene import Scene
from atmostk.networks.pixels.search import Effort, Search
from atmostk.networks.pixels.sizes import eliminate, grow
from atmostk.networks.pixels.stages import stages_of


@pytest.fixture
def begun(network, pictures):
    """A search with 8 random pixels, on 150 images, away from their own class."""
    with ready(network) as logits:
        images, labels = (torch.from_numpy(part) for part in pictures)
        scene = Scene(network, logits, images, labels, None, Room(0.0, 1.0, 1.0, np.ones(64, bool)))
        rng = np.random.default_rng(0)
        signs = np.zeros((64, 1), np.int8)
        signs[rng.choice(64, 8, replace=False), 0] = rng.choice([-1, 1], 8)
        yield Search.begun(scene, stages_of(scene), Effort(150, 60, 12, 8), Clock(None), rng, signs, 1.0)


def everything(search: Search) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean loss after every change there is, each pixel brightened, darkened and given back."""
    pixels = np.tile(np.arange(64), 3)
    signs = np.repeat(np.array([1, -1, 0], np.int8), 64)[:, None]
    return pixels, signs, search.smoothed(search.block.after(pixels, signs, slice(None))).mean(axis=1)


def test_a_race_finds_the_best_change_of_all(begun: Search) -> None:
    pixels, signs, losses = everything(begun)
    order, seen = begun.race(pixels, signs)
    assert losses[order[0]] == pytest.approx(losses.min(), abs=1e-6)
    assert seen[0].mean() == pytest.approx(losses.min(), abs=1e-6)


def test_a_race_against_losses_that_nothing_beats_ends_with_nothing(begun: Search) -> None:
    pixels, signs, _ = everything(begun)
    order, _ = begun.race(pixels, signs, below=np.full(150, -1.0))
    assert len(order) == 0


def test_what_leaves_is_what_costs_least(begun: Search) -> None:
    _, _, losses = everything(begun)
    cheapest = begun.on[losses[128:][begun.on].argmin()]
    before = begun.on
    eliminate(begun, 7)
    assert set(before) - set(begun.on) == {cheapest}


def test_growth_and_elimination_end_at_the_number_asked_for(begun: Search) -> None:
    grow(begun, 11)
    assert len(begun.on) == 11
    eliminate(begun, 3)
    assert len(begun.on) == 3


def test_exchanges_lower_the_loss_and_keep_the_number(begun: Search) -> None:
    before = begun.losses().mean()
    assert exchange(begun, 3) > 0
    assert begun.losses().mean() < before
    assert len(begun.on) == 8


def test_a_kick_is_kept_when_it_is_lower_and_undone_when_it_is_not(begun: Search) -> None:
    exchange(begun, 3)
    seen = set()
    for _ in range(6):
        signs, before = begun.block.signs.copy(), begun.losses().mean()
        kept = kick(begun)
        seen.add(kept)
        assert len(begun.on) == 8
        if kept:
            assert begun.losses().mean() < before
        else:
            np.testing.assert_array_equal(begun.block.signs, signs)
            assert begun.losses().mean() == pytest.approx(before, abs=1e-5)
    assert False in seen


def test_gains_are_the_slopes_times_the_room(begun: Search) -> None:
    """By finite differences of the loss, where the network is smooth enough for them."""
    scene = begun.block.scene.draw(40, np.random.default_rng(1))
    found = gains(scene, begun.block.signs, 1.0)
    off = np.flatnonzero(~begun.block.signs.any(axis=1))[:10]
    delta = torch.from_numpy(begun.block.signs.T.astype(np.float32)).reshape(1, 8, 8)
    moved = scene.room.moved(scene.images, delta)

    def losses(images: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return torch.sigmoid(scene._margins(images, scene.labels).double())

    for pixel in off:
        place = (slice(None), 0, pixel // 8, pixel % 8)
        step = torch.zeros_like(moved)
        step[place] = 1e-3
        slope = (losses(moved + step) - losses(moved - step)) / 2e-3
        assert found.up[pixel, 0] == pytest.approx(float(-(slope * (1 - moved[place])).mean()), abs=2e-3)
        assert found.down[pixel, 0] == pytest.approx(float((slope * moved[place]).mean()), abs=2e-3)


def test_no_image_is_searched_on_and_chosen_by(pictures) -> None:
    images, labels = (torch.from_numpy(part) for part in pictures)
    scene = Scene(None, lambda x: x, images, labels, 1, Room(0.0, 1.0, 1.0, np.ones(64, bool)))
    searched, chosen = SparseAttack(target=1)._split(scene, np.random.default_rng(0))
    both = {image.numpy().tobytes() for image in searched.images} & {image.numpy().tobytes() for image in chosen.images}
    assert not both
    assert len(searched.images) + len(chosen.images) == int((labels != 1).sum())
    assert (searched.labels != 1).all()
