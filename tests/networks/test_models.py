"""A model is used as it stands and left as it was; what gives no logits is told so."""

from __future__ import annotations

import re

import pytest
import torch
from torch import nn

from atmostk.networks import LogProbabilities
from atmostk.networks.models import ready

images = torch.rand(5, 1, 4, 4, generator=torch.Generator().manual_seed(0))


def small(*more: nn.Module) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(16, 6), nn.BatchNorm1d(6), nn.Dropout(), nn.Linear(6, 3), *more)


def test_modes_and_wanted_gradients_are_restored_part_by_part_even_after_an_error() -> None:
    model = small()
    model.train()
    model[2].eval()
    model[1].weight.requires_grad_(False)
    running = model[2].running_mean.clone()
    seen = []

    def fail() -> None:
        with ready(model) as logits:
            logits(images)
            seen.append([part.training for part in model.modules()])
            seen.append([weights.requires_grad for weights in model.parameters()])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not any(seen[0] + seen[1])
    assert model.training
    assert model[3].training
    assert not model[2].training
    assert [weights.requires_grad for weights in model.parameters()] == [False] + [True] * 5
    assert torch.equal(model[2].running_mean, running)


def test_gradients_reach_the_images_and_not_the_weights() -> None:
    model, x = small(), images.clone().requires_grad_(True)
    with ready(model) as logits:
        logits(x).sum().backward()
    assert x.grad is not None
    assert all(weights.grad is None for weights in model.parameters())


def test_any_function_that_autograd_goes_through_is_a_model() -> None:
    weight = torch.rand(16, 3)
    with ready(lambda x: x.flatten(1) @ weight) as logits:
        assert torch.equal(logits(images), images.flatten(1) @ weight)


def test_a_model_in_double_precision_is_given_what_it_takes() -> None:
    with ready(small().double()) as logits:
        assert logits(images).dtype == torch.float32


def test_outputs_of_the_transformers_library_are_unwrapped() -> None:
    class Output:
        def __init__(self, logits: torch.Tensor) -> None:
            self.logits = logits

    model = small().eval()
    with ready(lambda x: Output(model(x))) as logits:
        assert torch.equal(logits(images), model(images))


def test_a_torchscript_model_is_a_model() -> None:
    model = small().eval()
    with pytest.warns(DeprecationWarning, match="torch.jit"):
        traced = torch.jit.trace(model, images)
    with ready(traced) as logits:
        assert torch.allclose(logits(images), model(images))


def test_probabilities_are_refused_with_advice_and_taken_as_their_logarithm() -> None:
    with (
        pytest.raises(ValueError, match=r"without its softmax layer, or as LogProbabilities\(model\)"),
        ready(small(nn.Softmax(1))) as logits,
    ):
        logits(images)
    with ready(LogProbabilities(small(nn.Softmax(1)))) as logits, ready(small()) as plain:
        assert torch.allclose(logits(images).softmax(1), plain(images).softmax(1))


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (nn.Linear, TypeError, "cannot be attacked: give a torch.nn.Module"),
        ("model.pt", TypeError, "cannot be attacked"),
        (lambda x: x, TypeError, "gave shape (5, 1, 4, 4) for 5 images"),
        (lambda x: x.flatten(1).sum(0), TypeError, "one row for each image"),
        (lambda x: x.flatten(1).argmax(1, keepdim=True), TypeError, "a tensor of logits"),
        (lambda x: None, TypeError, "gave NoneType"),
        (lambda x: x.flatten(1).sum(1, keepdim=True), ValueError, "one number for each image"),
    ],
)
def test_what_gives_no_logits_is_refused(model, error, sentence) -> None:
    with pytest.raises(error, match=re.escape(sentence)), ready(model) as logits:
        logits(images)


def test_an_exported_model_is_a_model(tmp_path) -> None:
    model = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(12, 3)).eval()
    exported = torch.export.export(model, (images,), dynamic_shapes=({0: torch.export.Dim("images")},))
    torch.export.save(exported, tmp_path / "model.pt2")
    loaded = torch.export.load(tmp_path / "model.pt2").module()
    x = images[:3].clone().requires_grad_(True)
    with ready(loaded) as logits:
        assert torch.allclose(logits(x), model(x), atol=1e-6)
        logits(x).sum().backward()
    assert x.grad is not None


def test_weights_from_safetensors_and_from_a_weights_only_file_are_the_same_model(tmp_path) -> None:
    from safetensors.torch import load_file, save_file

    model = small().eval()
    save_file(model.state_dict(), tmp_path / "weights.safetensors")
    torch.save(model.state_dict(), tmp_path / "weights.pt")
    parts = load_file(tmp_path / "weights.safetensors"), torch.load(tmp_path / "weights.pt", weights_only=True)
    for part in parts:
        other = small()
        other.load_state_dict(part)
        with ready(other) as logits, ready(model) as wanted:
            assert torch.equal(logits(images), wanted(images))
