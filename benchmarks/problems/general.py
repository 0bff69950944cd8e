"""Six objectives known by value and gradient alone, with a planted support, from a seed; written in JAX.

They are the classes of problems that skscope shows: steps in a series, linear and logistic regression, several
responses at once, an Ising model by pseudo-likelihood, and selection by nonlinear dependence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

Array = Any


@dataclass(frozen=True)
class GeneralProblem:
    """F in JAX, of x and the data; the budget counts units: entries, or groups of `each` entries side by side."""

    function: Callable[[Array, Any], Array]
    data: tuple[Array, ...]
    size: int
    at_most: int
    truth: np.ndarray
    each: int = 1
    value: Callable[[Array], float] = field(init=False)
    gradient: Callable[[Array], np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        value, slope = jax.jit(self.function), jax.jit(jax.grad(self.function))
        object.__setattr__(self, "value", lambda x: float(value(x, self.data)))
        object.__setattr__(self, "gradient", lambda x: np.asarray(slope(x, self.data)))

    @property
    def groups(self) -> np.ndarray:
        """The unit of each entry."""
        return np.repeat(np.arange(self.size // self.each), self.each)

    def units(self, x: np.ndarray) -> np.ndarray:
        """Which units are not zero."""
        return np.unique(np.flatnonzero(x) // self.each)

    def accuracy(self, x: np.ndarray) -> float:
        """The share of the true support that was found."""
        return np.intersect1d(self.units(x), self.truth).size / self.at_most


def trend(seed: int, size: int = 500, at_most: int = 25, noise: float = 0.35) -> GeneralProblem:
    """A series that is constant but for K steps."""
    rng, truth = _drawn(seed, size, at_most)
    y = np.cumsum(_coefficients(rng, size, truth)) + noise * rng.standard_normal(size)
    return _posed(lambda x, data: 0.5 * jnp.mean((data[0] - jnp.cumsum(x)) ** 2), (y,), size, at_most, truth)


def linear(seed: int, rows: int = 300, size: int = 500, at_most: int = 50) -> GeneralProblem:
    """Fewer rows than columns, neighbours correlated, ten times as much signal as noise."""
    rng, truth = _drawn(seed, size, at_most)
    X = _neighbours(rng, rows, size)
    z = X @ _coefficients(rng, size, truth)
    y = z + rng.standard_normal(rows) * z.std() / np.sqrt(10)
    return _posed(lambda x, data: 0.5 * jnp.mean((data[1] - data[0] @ x) ** 2), (X, y), size, at_most, truth)


def logistic(seed: int, rows: int = 800, size: int = 500, at_most: int = 40) -> GeneralProblem:
    """Labels."""
    rng, truth = _drawn(seed, size, at_most)
    X = _neighbours(rng, rows, size)
    z = X @ (0.6 * _coefficients(rng, size, truth))
    y = (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(float)

    def loss(x: Array, data: Any) -> Array:
        z = data[0] @ x
        return jnp.mean(jnp.logaddexp(0.0, z) - data[1] * z)

    return _posed(loss, (X, y), size, at_most, truth)


def multitask(seed: int, rows: int = 300, size: int = 300, tasks: int = 3, at_most: int = 30) -> GeneralProblem:
    """A column counts once for all responses."""
    rng, truth = _drawn(seed, size, at_most)
    X = _neighbours(rng, rows, size)
    W = np.zeros((size, tasks))
    W[truth] = rng.standard_normal((at_most, tasks))
    Z = X @ W
    Y = Z + rng.standard_normal((rows, tasks)) * Z.std() / np.sqrt(3)

    def loss(x: Array, data: Any) -> Array:
        return 0.5 * jnp.mean((data[1] - data[0] @ x.reshape(size, tasks)) ** 2)

    return _posed(loss, (X, Y), size * tasks, at_most, truth, tasks)


def ising(seed: int, nodes: int = 20, rows: int = 1000, at_most: int = 40, sweeps: int = 150) -> GeneralProblem:
    """Pairs of spins, by the likelihood of each given the others; rows by Gibbs sampling."""
    upper = np.triu_indices(nodes, 1)
    size = upper[0].size
    rng, truth = _drawn(seed, size, at_most)
    bonds = np.zeros((nodes, nodes))
    bonds[upper[0][truth], upper[1][truth]] = rng.choice([-0.5, 0.5], at_most)
    bonds += bonds.T
    spins = rng.choice([-1.0, 1.0], (rows, nodes))
    for _ in range(sweeps):
        for node in range(nodes):
            spins[:, node] = np.where(rng.random(rows) < 1 / (1 + np.exp(-2 * spins @ bonds[:, node])), 1.0, -1.0)
    place = np.zeros((nodes, nodes), int)
    place[upper] = np.arange(size)
    place += place.T

    def loss(x: Array, data: Any) -> Array:
        bonds = x[data[1]] * (1 - jnp.eye(nodes))
        return jnp.mean(jnp.logaddexp(0.0, -2 * data[0] * (data[0] @ bonds)).sum(axis=1))

    return _posed(loss, (spins, place), size, at_most, truth)


def hsic(seed: int, rows: int = 150, size: int = 50, at_most: int = 10) -> GeneralProblem:
    """Columns whose kernels together make up the response's (the HSIC lasso without its penalty)."""
    rng, truth = _drawn(seed, size, at_most)
    X = rng.standard_normal((rows, size))
    effects: list[Callable[[np.ndarray], np.ndarray]] = [
        lambda t: -2 * np.sin(2 * t), np.square, lambda t: t, lambda t: np.exp(-t),
    ]  # fmt: skip
    y = sum(effects[i % 4](X[:, j]) for i, j in enumerate(truth)) + 0.5 * rng.standard_normal(rows)
    centre, upper = np.eye(rows) - 1 / rows, np.triu_indices(rows)
    twice = np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))  # what stands off the diagonal stands there twice

    def kernel(t: np.ndarray) -> np.ndarray:
        return twice * (centre @ np.exp(-0.7 * (t[:, None] - t[None, :]) ** 2) @ centre)[upper]

    whole = kernel((y - y.mean()) / y.std())
    scale = np.abs(whole).mean()
    kernels = np.stack([kernel(X[:, column]) for column in range(size)], axis=1)
    data = (kernels / scale, whole / scale)
    return _posed(lambda x, data: 0.5 * jnp.mean((data[1] - data[0] @ x) ** 2), data, size, at_most, truth)


MADE: dict[str, Callable[[int], GeneralProblem]] = {
    "trend": trend, "linear": linear, "logistic": logistic, "multi-task": multitask, "Ising": ising, "HSIC": hsic,
}  # fmt: skip


def _posed(function: Any, data: Any, size: int, at_most: int, truth: np.ndarray, each: int = 1) -> GeneralProblem:
    return GeneralProblem(function, tuple(jnp.asarray(part) for part in data), size, at_most, truth, each)


def _drawn(seed: int, size: int, at_most: int) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng(4000 + seed)
    return rng, np.sort(rng.choice(size, at_most, replace=False))


def _coefficients(rng: np.random.Generator, size: int, chosen: np.ndarray) -> np.ndarray:
    truth = np.zeros(size)
    truth[chosen] = rng.choice([-1.0, 1.0], chosen.size) * rng.uniform(1.0, 2.0, chosen.size)
    return truth


def _neighbours(rng: np.random.Generator, rows: int, columns: int, rho: float = 0.5) -> np.ndarray:
    X = rng.standard_normal((rows, columns))
    for column in range(1, columns):
        X[:, column] = rho * X[:, column - 1] + np.sqrt(1 - rho * rho) * X[:, column]
    return X
