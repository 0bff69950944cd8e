"""Any differentiable JAX function of x and a batch, as an objective. The one file that imports jax."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from atmostk.sample import Sample

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError("JaxLoss needs JAX: pip install 'atmostk[jax]'.") from error

Array = Any
AT_ONCE = 16  # directions


@dataclass(frozen=True)
class JaxLoss:
    """F(x) = function(x, batch): either one loss for each row (best: samples can then be judged), or their mean.

    The function is compiled once for each shape of batch. x stays what it was: a NumPy array's gradient is a NumPy
    array.

        loss = JaxLoss(lambda x, batch: (batch[0] @ x - batch[1]) ** 2 / 2)
    """

    function: Callable[[Any, Any], Any]
    _rows: Any = field(init=False, repr=False, compare=False)
    _slope: Any = field(init=False, repr=False, compare=False)
    _bent: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        def mean(x: Any, data: Any, weights: Any) -> Any:
            rows = self.function(x, data)
            if rows.ndim == 0:
                return rows
            return rows.mean() if weights is None else (rows * weights).sum() / weights.sum()

        object.__setattr__(self, "_rows", jax.jit(self.function))

        def bent(x: Any, directions: Any, data: Any, weights: Any) -> Any:
            def slope(x: Any) -> Any:
                return jax.grad(mean)(x, data, weights)

            return jax.vmap(lambda direction: jax.jvp(slope, (x,), (direction,))[1])(directions)

        object.__setattr__(self, "_slope", jax.jit(jax.value_and_grad(mean)))
        object.__setattr__(self, "_bent", jax.jit(bent))

    def value(self, x: Array, sample: Sample, /) -> float:
        """The mean loss."""
        self._check_weights(x, sample)
        rows = np.asarray(self._rows(jnp.asarray(x), sample.data), dtype=np.float64)
        return float(np.average(rows, weights=None if sample.weights is None else np.asarray(sample.weights)))

    def gradient(self, x: Array, sample: Sample, /) -> Array:
        """By automatic differentiation with respect to x."""
        return self.value_and_gradient(x, sample)[1]

    def value_and_gradient(self, x: Array, sample: Sample, /) -> tuple[float, Array]:
        """Both from one evaluation of the function."""
        self._check_weights(x, sample)
        mean, slope = self._slope(jnp.asarray(x), sample.data, sample.weights)
        return float(mean), _as(slope, x)

    def hessian_times(self, x: Array, directions: Array, sample: Sample, /) -> Array:
        """The Hessian times each of the directions, which stand along the first axis."""
        self._check_weights(x, sample)
        found = []
        for first in range(0, len(directions), AT_ONCE):  # always as many, so that it is compiled once
            part = np.zeros((AT_ONCE, *x.shape), np.asarray(x).dtype)
            part[: len(directions[first : first + AT_ONCE])] = directions[first : first + AT_ONCE]
            found.append(self._bent(jnp.asarray(x), jnp.asarray(part), sample.data, sample.weights))
        return _as(jnp.concatenate(found)[: len(directions)], x)

    def losses(self, x: Array, sample: Sample, /) -> Array:
        """One loss for each row, if the function gives them."""
        rows = np.asarray(self._rows(jnp.asarray(x), sample.data))
        if rows.ndim == 0:
            raise TypeError(
                "this JaxLoss gives one mean loss, but the losses of single rows are asked for: "
                "let its function return one loss for each row of the batch."
            )
        return rows

    def _check_weights(self, x: Array, sample: Sample) -> None:
        if sample.weights is None:
            return
        if jax.eval_shape(self.function, jnp.asarray(x), sample.data).ndim == 0:
            raise TypeError(
                "rows carry weights, but this JaxLoss gives one mean loss: "
                "let its function return one loss for each row."
            )


def _as(found: Any, x: Array) -> Array:
    return np.asarray(found).astype(x.dtype, copy=True) if isinstance(x, np.ndarray) else found
