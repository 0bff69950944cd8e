"""The attack's objective against the formula written out, finite differences, and the released program's lines."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

torch = pytest.importorskip("torch")

from atmostk.objectives import CarliniWagner, TanhCarliniWagner  # noqa: E402
from atmostk.objectives.margin import margins  # noqa: E402
from atmostk.problem import Objective  # noqa: E402
from atmostk.sample import Sample  # noqa: E402

ROWS, SHAPE, CLASSES = 14, (2, 3, 4), 5
rng = np.random.default_rng(0)
images = rng.random((ROWS, *SHAPE))
labels = np.arange(ROWS) % CLASSES
weights = torch.tensor(rng.normal(size=(24, CLASSES)))
delta = rng.normal(size=SHAPE) / 3


def scores(x):
    return torch.tanh(x.flatten(1) @ weights)


def by_hand(target: int | None) -> np.ndarray:
    """The paper's formula, image by image, in loops."""
    found = []
    for image, label in zip(images, labels, strict=True):
        z = np.tanh(np.clip(image + delta, 0, 1).ravel() @ weights.numpy())
        own = label if target is None else target
        other = max(z[k] for k in range(CLASSES) if k != own)
        margin = z[own] - other if target is None else other - z[own]
        found.append(np.sqrt((delta**2).sum()) + 2 * max(margin, 0))
    return np.array(found)


def difference_quotient(objective, sample) -> np.ndarray:
    step, slope = 1e-6, np.zeros(SHAPE)
    for place in np.ndindex(SHAPE):
        ahead, behind = delta.copy(), delta.copy()
        ahead[place] += step
        behind[place] -= step
        slope[place] = (objective.value(ahead, sample) - objective.value(behind, sample)) / (2 * step)
    return slope


SAMPLE = Sample((images, labels), ROWS)


@pytest.mark.parametrize("target", [None, 3])
def test_losses_and_value_are_the_papers_formula(target: int | None) -> None:
    objective = CarliniWagner(scores, target, chunk=4)
    assert isinstance(objective, Objective)
    assert_allclose(objective.losses(delta, SAMPLE), by_hand(target), rtol=1e-12)
    assert_allclose(objective.value(delta, SAMPLE), by_hand(target).mean(), rtol=1e-12)


@pytest.mark.parametrize("target", [None, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_what_finite_differences_give(target: int | None, weighted: bool) -> None:
    sample = Sample((images, labels), ROWS, rng.random(ROWS) if weighted else None)
    objective = CarliniWagner(scores, target)
    assert_allclose(objective.gradient(delta, sample), difference_quotient(objective, sample), rtol=1e-5, atol=1e-8)


def test_a_weight_of_two_is_an_image_that_stands_twice() -> None:
    weighted = Sample((images, labels), ROWS, np.where(np.arange(ROWS) < 3, 2.0, 1.0))
    twice = Sample((np.concatenate([images, images[:3]]), np.concatenate([labels, labels[:3]])), ROWS + 3)
    for objective in (CarliniWagner(scores, 1), TanhCarliniWagner(scores, 1)):
        assert_allclose(objective.value(delta, weighted), objective.value(delta, twice), rtol=1e-12)
        assert_allclose(objective.gradient(delta, weighted), objective.gradient(delta, twice), rtol=1e-10)


@pytest.mark.parametrize("kind", [CarliniWagner, TanhCarliniWagner])
def test_chunks_rows_and_tensors_change_nothing(kind) -> None:
    whole = kind(scores, 2, chunk=1000)
    flat = Sample((torch.tensor(images.reshape(ROWS, -1)), torch.tensor(labels.astype(float))), ROWS)
    for chunk in (1, 5):
        pieces = kind(scores, 2, chunk=chunk)
        assert_allclose(pieces.value(delta, SAMPLE), whole.value(delta, SAMPLE), rtol=1e-12)
        assert_allclose(pieces.gradient(delta, SAMPLE), whole.gradient(delta, SAMPLE), rtol=1e-10, atol=1e-14)
    found = whole.gradient(torch.tensor(delta), flat)
    assert isinstance(found, torch.Tensor)
    assert_allclose(found.numpy(), whole.gradient(delta, SAMPLE), rtol=1e-12)
    assert isinstance(whole.losses(torch.tensor(delta), flat), torch.Tensor)


@pytest.mark.parametrize("kind", [CarliniWagner, TanhCarliniWagner])
def test_single_precision_stays_single_precision(kind) -> None:
    narrow = Sample((images.astype(np.float32), labels), ROWS)
    objective = kind(lambda x: torch.tanh(x.flatten(1) @ weights.float()), 2)
    assert objective.gradient(delta.astype(np.float32), narrow).dtype == np.float32
    assert objective.losses(delta.astype(np.float32), narrow).dtype == np.float32


def test_at_zero_the_norm_has_no_slope_and_nothing_is_not_a_number() -> None:
    nothing = np.zeros(SHAPE)
    with_norm = CarliniWagner(scores, 3).gradient(nothing, SAMPLE)
    assert np.isfinite(with_norm).all()
    assert_allclose(CarliniWagner(scores, 3, weight=4.0).gradient(nothing, SAMPLE), 2 * with_norm, rtol=1e-10)


def test_a_fooled_image_has_margin_below_zero_and_counts_no_more() -> None:
    z = torch.tensor([[1.0, 4.0, 2.0]])
    assert margins(z, torch.tensor([0])).item() == -3
    assert margins(z, torch.tensor([0]), 1).item() == -2
    fooled = CarliniWagner(lambda x: z, None)
    one = Sample((images[:1], np.array([0])), 1)
    assert fooled.value(delta, one) == pytest.approx(np.linalg.norm(delta))


@pytest.mark.parametrize("target", [None, 3])
def test_the_released_form_is_the_released_programs(target: int | None) -> None:
    """Its lines, as the program has them: pixels of 0 and 1 pulled in, tanh, and its own gradient of the norm."""
    x = np.round(images * 2) / 2  # so that there are pixels at 0 and 1
    pulled = np.where(x >= 1, 254.5 / 255, np.where(x <= 0, 0.5 / 255, x))
    box = np.arctanh(2 * pulled - 1)
    moved = 0.5 * np.tanh(box + delta) + 0.5
    z = torch.tensor(moved, requires_grad=True)
    s = scores(z)
    if target is None:
        best = s.topk(2, 1).values
        attack = best[:, 0] - best[:, 1]
    else:
        attack = margins(s, torch.tensor(labels), target).clamp(min=0)
    values = np.sqrt(((moved - x) ** 2).reshape(ROWS, -1).sum(1)) + 2 * attack.detach().numpy()
    sample, objective = Sample((x, labels), ROWS), TanhCarliniWagner(scores, target, chunk=4)
    assert_allclose(objective.losses(delta, sample), values, rtol=1e-10)

    slope = 0.5 / np.cosh(box + delta) ** 2
    of_attack = torch.autograd.grad(attack.sum(), z)[0].numpy() * slope
    of_norm = moved / np.linalg.norm(moved - x) * slope
    assert_allclose(objective.gradient(delta, sample), (of_norm + 2 * of_attack).mean(0), rtol=1e-7, atol=1e-12)
