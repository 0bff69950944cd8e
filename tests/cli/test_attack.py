"""`atmostk attack`: a change within the budget that does what is told, and a sentence for whatever cannot be done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("safetensors", reason="safetensors is not installed")

import torch
from tests.cli.conftest import ALONE, Call

from atmostk.networks import Perturbation


def network() -> Any:
    """Three classes of 4 x 4 images; class 2 looks at the pixel in row 1, column 2, and at little else."""
    made = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
    weights = 0.1 * np.random.default_rng(0).normal(size=(3, 16))
    weights[2, 6] = 5.0
    made[1].weight.data = torch.tensor(weights, dtype=torch.float32)
    made[1].bias.data = torch.tensor([0.0, 0.0, -1.0])
    return made.eval()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model in TorchScript, and images to attack: dark ones, which the network never takes for class 2."""
    folder = tmp_path_factory.mktemp("attack")
    torch.jit.save(torch.jit.script(network()), str(folder / "model.pt"))
    rng = np.random.default_rng(1)
    for name in ("images", "held"):
        images = (0.1 * rng.random((60, 1, 4, 4))).astype(np.float32)
        labels = network()(torch.tensor(images)).argmax(1).numpy()
        np.savez(folder / f"{name}.npz", images=images, labels=labels)
    return folder


def test_the_pixel_that_the_target_looks_at_is_found(call: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "delta.safetensors"
    told = call("attack", folder / "model.pt", folder / "images.npz", "-k", 1, "-t", 2, "--out", out, "--json").json()
    assert [(pixel["row"], pixel["column"]) for pixel in told["answer"]] == [(1, 2)]
    assert told["answer"][0]["change"] > 0.5
    assert told["pixels"] == 1
    assert told["accuracy_before"] == 1
    assert told["accuracy_after"] == 0
    assert told["other_classes_taken_for_the_target"] == 1
    delta = Perturbation.load(out)
    assert delta.support.tolist() == [6]
    images = np.load(folder / "images.npz")["images"]
    assert (network()(torch.tensor(delta.apply(images))).argmax(1) == 2).all()


def test_a_curve_has_a_file_and_a_row_for_each_budget(call: Call, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "delta.safetensors"
    options = ["-k", "1,3", "--test", folder / "held.npz", "--out", out, "--run", tmp_path / "run", "--fast"]
    told = call("attack", folder / "model.pt", folder / "images.npz", *options, "--json").json()
    assert [row["pixels"] for row in told["path"]] == [1, 3]
    assert told["judged_on"] == "the images of --test"
    for count in (1, 3):
        assert Perturbation.load(tmp_path / f"delta-{count}.safetensors").pixels <= count
    pytest.importorskip("plotly")
    assert call("report", tmp_path / "run").code == 0


def test_colours_levels_a_mask_and_an_amplitude_are_kept_to(call: Call, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    images, labels = rng.integers(0, 255, (40, 5, 5, 3)).astype(np.uint8), rng.integers(0, 3, 40)
    np.savez(tmp_path / "images.npz", X=images, y=labels)
    torch.manual_seed(0)
    made = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(75, 3), torch.nn.Softmax(1))
    torch.jit.save(torch.jit.script(made), str(tmp_path / "model.pt"))
    mask = np.zeros((5, 5))
    mask[:2] = 1
    np.save(tmp_path / "mask.npy", mask)
    out = tmp_path / "delta.safetensors"
    options = ["-k", 2, "--mask", tmp_path / "mask.npy", "--amplitude", 0.25, "--out", out, "--fast"]
    told = call("attack", tmp_path / "model.pt", tmp_path / "images.npz", *options)
    told.complained("probabilities")
    told = call("attack", tmp_path / "model.pt", tmp_path / "images.npz", *options, "--probabilities", "--json").json()
    delta = Perturbation.load(out)
    assert delta.pixels <= 2
    assert (delta.support < 10).all()
    assert np.abs(delta.delta).max() == pytest.approx(0.25)
    assert set(told["answer"][0]) == {"row", "column", *(f"change_of_channel_{c}" for c in range(3))}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "0"], ["--at-most 0"]),
        (["-k", "17"], ["16 pixels"]),
        (["-k", "1", "-t", "3"], ["target=3", "3 classes"]),
        (["-k", "1", "-t", "-1"], ["--target"]),
        (["-k", "1", "--amplitude", "0"], ["amplitude"]),
        (["-k", "1", "--low", "1"], ["box"]),
        (["-k", "1", "--high", "0.01"], ["outside the box"]),
        (["-k", "1", "--out", "delta.npz"], [".safetensors"]),
        (["-k", "1", "--out", "-"], ["--json"]),
        (["-k", "1", "--mask", "missing.npy"], ["missing.npy", "no such file"]),
        (["-k", "1", "--network", "lenet"], ["TorchScript", "needs none"]),
        (["-k", "1", "--max-seconds", "0"], ["max_seconds"]),
        ([], ["--at-most"]),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_sentence(
    call: Call, folder: Path, options: list[str], words: list[str]
) -> None:
    call("attack", folder / "model.pt", folder / "images.npz", *options).complained(*words)


def test_what_is_no_set_of_images_is_told_in_a_sentence(call: Call, folder: Path, tmp_path: Path) -> None:
    whole = dict(np.load(folder / "images.npz"))

    def refused(words: str, **arrays: Any) -> None:
        np.savez(tmp_path / "images.npz", **arrays)
        call("attack", folder / "model.pt", tmp_path / "images.npz", "-k", 1).complained(words)

    refused("named labels", images=whole["images"])
    refused("named images", pictures=whole["images"], labels=whole["labels"])
    refused("59", images=whole["images"], labels=whole["labels"][1:])
    refused("NaN", images=whole["images"] * np.nan, labels=whole["labels"])
    refused("classes", images=whole["images"], labels=whole["labels"] + 7)
    refused("whole numbers", images=whole["images"], labels=whole["labels"] + 0.5)
    refused("no images", images=whole["images"][:0], labels=whole["labels"][:0])
    refused("shape", images=whole["images"][0, 0], labels=whole["labels"][:4])
    call("attack", folder / "model.pt", tmp_path / "missing.npz", "-k", 1).complained("no such file")
    (tmp_path / "cut.npz").write_bytes((folder / "images.npz").read_bytes()[:400])
    call("attack", folder / "model.pt", tmp_path / "cut.npz", "-k", 1).complained("cut.npz")
    wrong = np.zeros((60, 1, 5, 5), np.float32)
    np.savez(tmp_path / "size.npz", images=wrong, labels=whole["labels"])
    call("attack", folder / "model.pt", tmp_path / "size.npz", "-k", 1).complained("5, 5")


def test_an_existing_perturbation_is_overwritten_only_when_forced(call: Call, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "delta-2.safetensors").write_text("mine")
    options = ["-k", "1,2", "--fast", "--out", tmp_path / "delta.safetensors"]
    call("attack", folder / "model.pt", folder / "images.npz", *options).complained("delta-2", "--force")
    assert call("attack", folder / "model.pt", folder / "images.npz", *options, "--force").code == 0


# The program, saying on standard error when the search begins to exchange.
TELLING = """
import sys
from atmostk.networks.pixels import clock
over = clock.Clock.over.fget
def told(self):
    print("a look", file=sys.stderr, flush=True)
    return over(self)
clock.Clock.over = property(told)
from atmostk.cli.app import main
main()
"""


def test_interrupted_it_leaves_the_best_change_so_far(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "delta.safetensors"
    words = ["attack", folder / "model.pt", folder / "images.npz", "-k", 2, "--kicks", 10_000_000, "--out", out]
    child = subprocess.Popen(
        [sys.executable, "-c", TELLING, *map(str, words)],
        env=os.environ | ALONE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    looks = 0
    while looks < 40:
        line = child.stderr.readline()
        assert line
        looks += line == "a look\n"
    child.send_signal(signal.SIGINT)
    told, error = child.communicate(timeout=120)
    lines = [line for line in error.splitlines() if line != "a look"]
    assert child.returncode == 130, lines
    assert lines[-1] == f"atmostk attack: interrupted: the best change so far is in {out}."
    assert "accuracy after" in told
    assert 1 <= Perturbation.load(out).pixels <= 2
