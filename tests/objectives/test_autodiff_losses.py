"""Losses by automatic differentiation against the closed forms of the same losses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.objectives import Functions, Logistic, SquaredError
from atmostk.sample import Sample

rng = np.random.default_rng(0)
X, y, x = rng.normal(size=(30, 4)), np.arange(30) % 2.0, rng.normal(size=4)
weights = rng.random(30)


def torch_logistic(x, batch):
    import torch

    z = batch[0] @ x
    return torch.nn.functional.softplus(z) - batch[1] * z


def jax_logistic(x, batch):
    import jax.numpy as jnp

    z = batch[0] @ x
    return jnp.logaddexp(0.0, z) - batch[1] * z


@pytest.fixture(params=["torch", "jax"])
def autodiff(request):
    pytest.importorskip(request.param)
    from atmostk import objectives

    if request.param == "torch":
        return objectives.TorchLoss, torch_logistic, 1e-12
    return objectives.JaxLoss, jax_logistic, 1e-5  # JAX computes in single precision unless told otherwise


@pytest.mark.parametrize("weights", [None, weights])
def test_value_gradient_and_rows_are_those_of_the_closed_form(autodiff, weights) -> None:
    kind, function, tolerance = autodiff
    loss, sample = kind(function), Sample((X, y), 30, weights)
    assert_allclose(loss.value(x, sample), Logistic().value(x, sample), rtol=tolerance)
    assert_allclose(loss.gradient(x, sample), Logistic().gradient(x, sample), rtol=10 * tolerance, atol=tolerance)
    assert_allclose(loss.losses(x, sample), Logistic().losses(x, sample), rtol=10 * tolerance, atol=tolerance)


def test_a_gradient_is_of_the_kind_of_x(autodiff) -> None:
    kind, function, _ = autodiff
    found = kind(function).gradient(x.astype(np.float32), Sample((X.astype(np.float32), y.astype(np.float32)), 30))
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.float32


def test_a_function_that_gives_the_mean_has_value_and_gradient_but_no_rows(autodiff) -> None:
    kind, function, tolerance = autodiff
    loss, sample = kind(lambda x, batch: function(x, batch).mean()), Sample((X, y), 30)
    assert_allclose(loss.value(x, sample), Logistic().value(x, sample), rtol=tolerance)
    assert_allclose(loss.gradient(x, sample), Logistic().gradient(x, sample), rtol=10 * tolerance, atol=tolerance)
    with pytest.raises(TypeError, match="return one loss for each row"):
        loss.losses(x, sample)
    with pytest.raises(TypeError, match="rows carry weights"):
        loss.value(x, Sample((X, y), 30, weights))


def test_torch_tensors_stay_tensors_and_carry_no_graph() -> None:
    torch = pytest.importorskip("torch")
    from atmostk.objectives import TorchLoss

    at = torch.tensor(x, requires_grad=True)
    found = TorchLoss(torch_logistic).gradient(at, Sample((torch.tensor(X), torch.tensor(y)), 30))
    assert isinstance(found, torch.Tensor)
    assert not found.requires_grad
    assert at.grad is None


def test_torch_reads_arrays_that_may_not_be_written_to_or_run_backwards() -> None:
    pytest.importorskip("torch")
    from atmostk.objectives import TorchLoss

    frozen = X[::-1]
    frozen.flags.writeable = False
    found = TorchLoss(torch_logistic).value(x, Sample((frozen, y[::-1]), 30))
    assert_allclose(found, Logistic().value(x, Sample((X, y), 30)))


def test_torch_says_when_the_function_returns_no_tensor() -> None:
    pytest.importorskip("torch")
    from atmostk.objectives import TorchLoss

    with pytest.raises(TypeError, match="must return a tensor, this one returned float"):
        TorchLoss(lambda x, batch: 1.0).gradient(x, Sample((X, y), 30))


def test_python_functions_are_called_with_the_samples_data() -> None:
    seen = []
    loss = Functions(lambda x, data: seen.append(data) or 2.0, lambda x, data: x)
    assert loss.value(x, Sample("rows", 1)) == 2.0
    assert_array_equal(loss.gradient(x, Sample("rows", 1)), x)
    assert seen == ["rows"]


def test_python_functions_without_row_losses_say_what_is_missing() -> None:
    loss = Functions(lambda x, data: 0.0, lambda x, data: x)
    with pytest.raises(TypeError, match="pass of_losses="):
        loss.losses(x, Sample(X, 30))
    assert SquaredError()  # the closed form needs no such thing


@pytest.mark.parametrize("weights", [None, weights])
def test_products_with_the_hessian_are_those_of_the_closed_form(autodiff, weights) -> None:
    kind, function, tolerance = autodiff
    shares = (np.ones(30) if weights is None else weights) / (30 if weights is None else weights.sum())
    chance = 1 / (1 + np.exp(-X @ x))
    hessian = X.T @ (X * (shares * chance * (1 - chance))[:, None])
    directions = np.random.default_rng(1).normal(size=(20, 4))
    found = kind(function).hessian_times(x, directions, Sample((X, y), 30, weights))
    assert_allclose(found, directions @ hessian, rtol=100 * tolerance, atol=tolerance)


def test_torch_multiplies_one_by_one_what_it_cannot_vectorise() -> None:
    torch = pytest.importorskip("torch")
    from atmostk.objectives import TorchLoss

    def decides(x, batch):
        return (batch[0] @ x) ** 2 if float(x[0].detach()) > -100 else batch[0] @ x

    directions = torch.eye(4, dtype=torch.float64)
    found = TorchLoss(decides).hessian_times(torch.tensor(x), directions, Sample((X, y), 30))
    assert_allclose(found.numpy(), 2 * X.T @ X / 30)
