"""The attack experiment: it runs, is judged as the paper counts, goes on from what is there, and draws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from reproduction.attacks import claims, data, figures, runs
from reproduction.attacks.forms import LOGITS, OURS, PRINTED, RELEASED

from atmostk.datasets.mnist import Mnist
from reproduction import attack

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'atmostk[torch]'")
pytest.importorskip("matplotlib")


def digits(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten classes, each a bright row of its own, in images as large as MNIST's."""
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 10
    images = (rng.random((count, 1, 28, 28)) * 0.3).astype(np.float32)
    images[np.arange(count), 0, 2 * labels + 3] += 0.4
    return images, labels


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The experiment's images and network replaced by small ones; all else is as it is run."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
    with torch.no_grad():
        weights = torch.zeros(10, 28, 28)
        weights[torch.arange(10), 2 * torch.arange(10) + 3] = 0.5
        network[1].weight.copy_(weights.flatten(1))
    train, test = digits(400, 0), digits(100, 1)
    given = data.Attacked(network.eval(), Mnist(*train, *test), "small images")
    for module in (data, runs):
        monkeypatch.setattr(module, "attacked", lambda name: given)
    for module in (data, figures):
        monkeypatch.setattr(module, "images", lambda name: given.digits)


ASKED = ["--data", "mnist subset", "--steps", "25", "--batch", "100", "--budgets", "25", "80", "--targets", "5"]


def test_the_experiment_runs_draws_and_goes_on_from_what_is_there(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*ASKED, "--jobs", "1", "--forms", PRINTED, LOGITS, RELEASED, "--folder", str(tmp_path)]
    attack.main(asked)
    told = capsys.readouterr()
    assert "12 of 12 cells to run, about" in told.err
    assert "| printed, on logits | 80 |" in told.out
    assert "the untargeted attack is weaker" in told.out
    for name in ("curves.png", "pictures.png"):
        assert (tmp_path / name).stat().st_size > 10_000
    kept = (tmp_path / "cells.jsonl").read_text()
    line = json.loads(kept.splitlines()[0])
    assert {"torch", "numpy"} <= line["versions"].keys()
    assert line["settings"] == {"data": "mnist subset", "steps": 25, "batch": 100}
    # As after a kill in the middle of a line: that cell alone is run again, to the same result.
    (tmp_path / "cells.jsonl").write_text(kept[:-30])
    attack.main(asked)
    assert "1 of 12 cells to run" in capsys.readouterr().err
    again = json.loads((tmp_path / "cells.jsonl").read_text().splitlines()[-1])
    assert again["result"] == json.loads(kept.splitlines()[-1])["result"]
    attack.main(asked)
    assert "nothing is run" in capsys.readouterr().err


def test_a_cell_is_judged_as_its_perturbation_does_on_images_it_has_not_seen(small: None) -> None:
    settings = {"data": "mnist subset", "steps": 25, "batch": 100}
    cell = {"form": LOGITS, "K": 80, "target": 5, "seed": 0}
    (run,) = runs.flat(cell, runs.one_run(cell, settings))
    given = data.attacked("mnist subset")
    delta = np.zeros(784, np.float32)
    delta[run["pixels"]] = run["values"]
    moved = np.clip(given.digits.test_images + delta.reshape(1, 28, 28), 0, 1)
    with torch.no_grad():
        taken = given.network(torch.from_numpy(moved)).argmax(1).numpy()
    assert run["accuracy"] == pytest.approx((taken == given.digits.test_labels).mean())
    assert run["predicted"] == (taken == 5).sum()
    assert run["hit"] == pytest.approx((taken[given.digits.test_labels != 5] == 5).mean())
    assert len(run["pixels"]) <= 80
    assert [digit for digit in range(10) if digit != 5] == [given.digits.test_labels[row[0]] for row in run["shown"]]
    assert [row[2] for row in run["shown"]] == [taken[row[0]] for row in run["shown"]]


def test_a_path_gives_a_line_for_each_k() -> None:
    cell = {"form": OURS, "K": [5, 10], "target": 3, "seed": 0}
    lines = runs.flat(cell, {"path": [{"K": 5, "hit": 0.1}, {"K": 10, "hit": 0.2}]})
    assert lines == [
        {"form": OURS, "K": 5, "target": 3, "seed": 0, "hit": 0.1},
        {"form": OURS, "K": 10, "target": 3, "seed": 0, "hit": 0.2},
    ]


def made(target: int | None, K: int, accuracy: float, hit: float | None, pixels: int = 0) -> dict:
    told = {"form": LOGITS, "target": target, "K": K, "seed": 0, "accuracy": accuracy, "hit": hit}
    return told | {"accuracy_before": 0.98, "most_pixels": pixels or K, "predicted": 10, "images": 100}


def test_the_claims_are_judged_by_the_numbers() -> None:
    lines = [made(1, 5, 0.97, 0.01), made(2, 5, 0.95, 0.03), made(1, 10, 0.60, 0.3), made(2, 10, 0.30, 0.6, 12)]
    lines += [made(None, 5, 0.98, None), made(None, 10, 0.40, None)]
    assert figures.best_target(lines, LOGITS) == 2
    told = claims.claims(lines)
    assert "10 points lost from K = 10, half lost from K = 10" in told
    assert "in 1 of 1 steps of K: 96.0 to 45.0 %" in told
    assert "weaker at 1 of 2 K; its accuracy is -1.5 points" in told
    assert "at K = 10: 30.0% (target 1) to 60.0% (target 2)" in told
    assert "broken: up to 12 pixels change at K = 10" in told
