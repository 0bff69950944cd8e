"""Any differentiable PyTorch function of x and a batch, as an objective. The one objective that imports torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.sample import Sample

try:
    import torch
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError("TorchLoss needs PyTorch: pip install 'atmostk[torch]'.") from error

Array = Any


@dataclass(frozen=True)
class TorchLoss:
    """F(x) = function(x, batch): either one loss for each row (best: samples can then be judged), or their mean.

    x may be a tensor or a NumPy array; the gradient is of the same kind. Batches of NumPy arrays are read as tensors.

    >>> import numpy as np
    >>> from atmostk.sample import Sample
    >>> loss = TorchLoss(lambda x, batch: ((batch[0] @ x - batch[1]) ** 2) / 2)
    >>> sample = Sample((np.eye(2), np.array([1.0, 2.0])), size=2)
    >>> loss.value(np.zeros(2), sample), loss.gradient(np.zeros(2), sample)
    (1.25, array([-0.5, -1. ]))
    """

    function: Callable[[Any, Any], Any]

    def value(self, x: Array, sample: Sample, /) -> float:
        """The mean loss, in double precision."""
        with torch.no_grad():
            return float(self._mean(tensor(x), sample))

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """By automatic differentiation with respect to x alone."""
        return self.value_and_gradient(x, sample)[1]

    def value_and_gradient(self, x: Array, sample: Sample, /) -> tuple[float, Array]:
        """Both from one evaluation of the function."""
        leaf = tensor(x).detach().requires_grad_(True)
        mean = self._mean(leaf, sample)
        (slope,) = torch.autograd.grad(mean, leaf)
        return float(mean.detach()), _as(slope, x)

    def hessian_times(self, x: Array, directions: Array, sample: Sample, /) -> Array | None:
        """The Hessian times each of the directions, which stand along the first axis; None where PyTorch cannot
        differentiate the function twice.
        """
        at, along = tensor(x).detach(), tensor(directions)
        try:
            found = self._batched(at, along, sample)
        except (RuntimeError, NotImplementedError, TypeError, ValueError):
            try:
                found = self._one_by_one(at, along, sample)  # what cannot be vectorised, random numbers for one
            except (RuntimeError, NotImplementedError):
                return None
        return _as(found, x)

    def _batched(self, at: torch.Tensor, along: torch.Tensor, sample: Sample) -> torch.Tensor:
        slope = torch.func.grad(lambda x: self._mean(x, sample))
        return torch.func.vmap(lambda direction: torch.func.jvp(slope, (at,), (direction,))[1])(along)

    def _one_by_one(self, at: torch.Tensor, along: torch.Tensor, sample: Sample) -> torch.Tensor:
        leaf = at.requires_grad_(True)
        (slope,) = torch.autograd.grad(self._mean(leaf, sample), leaf, create_graph=True)
        if not slope.requires_grad:
            return torch.zeros_like(along)
        return torch.stack([torch.autograd.grad(slope, leaf, part, retain_graph=True)[0] for part in along])

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row, if the function gives them."""
        with torch.no_grad():
            rows = self.function(tensor(x), tensors(sample.data))
        if rows.ndim == 0:
            raise TypeError(
                "this TorchLoss gives one mean loss, but the losses of single rows are asked for: "
                "let its function return one loss for each row of the batch."
            )
        return rows if isinstance(x, torch.Tensor) else rows.cpu().numpy()

    def _mean(self, x: torch.Tensor, sample: Sample) -> torch.Tensor:
        rows = self.function(x, tensors(sample.data))
        if not isinstance(rows, torch.Tensor):
            raise TypeError(
                f"the function of a TorchLoss must return a tensor, this one returned {type(rows).__name__}."
            )
        if rows.ndim == 0:
            if sample.weights is not None:
                raise TypeError(
                    "rows carry weights, but this TorchLoss gives one mean loss: "
                    "let its function return one loss for each row."
                )
            return rows
        if sample.weights is None:
            return rows.double().mean()
        weights = tensor(sample.weights).to(rows.device).double()
        return (rows.double() * weights).sum() / weights.sum()


def _as(found: torch.Tensor, x: Array) -> Array:
    return found.detach() if isinstance(x, torch.Tensor) else found.detach().cpu().numpy()


def tensor(x: Array) -> torch.Tensor:
    """x itself if it is a tensor, else a tensor over the same memory."""
    if isinstance(x, torch.Tensor):
        return x
    x = np.asarray(x)
    # torch warns about memory that it might write to; nothing here does.
    return torch.from_numpy(x if x.flags.writeable and all(step >= 0 for step in x.strides) else x.copy())


def tensors(data: Any) -> Any:
    """A batch with its NumPy arrays as tensors; tuples, lists and dictionaries keep their form."""
    if isinstance(data, np.ndarray):
        return tensor(data)
    if isinstance(data, tuple | list):
        return type(data)(tensors(part) for part in data)
    if isinstance(data, dict):
        return {name: tensors(part) for name, part in data.items()}
    return data
