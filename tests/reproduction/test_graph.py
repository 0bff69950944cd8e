"""The graph experiment: the released program's steps, the starts, and the rule that marks a budget."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reproduction.graphs.enough import enough
from reproduction.graphs.released import ReleasedGraph, ReleasedPIHT
from reproduction.graphs.runs import random_graph

from atmostk import Problem, minimize
from atmostk.constraints import AtMostEdges
from atmostk.graphs.graph import Graph
from atmostk.objectives import GaussianGraph
from atmostk.samplers import Rows
from atmostk.stopping import after_steps
from reproduction import graph

SIZE = 7


def rows(seed: int = 0) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(30, SIZE)) @ (np.eye(SIZE) + 0.4 * np.eye(SIZE, k=1))
    return (X - X.mean(axis=0)) / X.std(axis=0)


def released_slopes(W: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Entry by entry: each term by itself, those of the later variable kept for both entries of a pair."""
    S, found = X.T @ X / len(X), np.zeros((SIZE, SIZE))
    for i in range(SIZE):
        for j in range(i + 1):
            found[i, j] = 2 / W[i, i] * S[j] @ W[i]
        found[i, i] += -1 / W[i, i] - W[i] @ S @ W[i] / W[i, i] ** 2
    return found + np.tril(found, -1).T


def test_the_released_gradient_is_that_of_the_later_variable_mirrored() -> None:
    X, x = rows(), random_graph(SIZE, 8, seed=3)
    slopes = ReleasedGraph().gradient(x, next(iter(Rows(X).blocks())))
    expected = released_slopes(x.to_dense(), X)
    assert slopes.take(np.arange(SIZE**2)) == pytest.approx(expected.ravel(), rel=1e-6, abs=1e-7)
    assert slopes.norm() == pytest.approx(np.linalg.norm(expected), rel=1e-6)


def test_a_released_run_takes_the_steps_of_a_dense_transcription() -> None:
    X, edges, steps = rows(), 4, 25
    x0 = random_graph(SIZE, 2 * edges, seed=1)
    problem = Problem(ReleasedGraph(), Rows(X), AtMostEdges(edges))
    result = minimize(problem, ReleasedPIHT(sample_size=_AllRows()), x0, stop=after_steps(steps))

    def value(W: np.ndarray) -> float:
        d = W.diagonal()
        return float((np.square(X @ W).mean(axis=0) / d - np.log(d)).sum()) if (d > 0).all() else np.inf

    W, radius, accepted = x0.to_dense(), 1.0, []
    for _ in range(steps):
        G = released_slopes(W, X)
        length = np.linalg.norm(G)
        trial = W - min(1.0, radius / length) * G
        pairs = np.abs(trial[np.triu_indices(SIZE, 1)])
        trial[(np.abs(trial) < np.sort(pairs)[-edges]) & ~np.eye(SIZE, dtype=bool)] = 0
        good = value(W) - value(trial) > 1e-4 * length * radius and length > 1e-4 * radius
        accepted.append(good)
        W, radius = (trial, min(2 * radius, 10.0)) if good else (W, radius / 2)
    assert result.history.column("accepted") == accepted
    assert any(accepted)
    assert not all(accepted)
    assert result.x.to_dense() == pytest.approx(W, rel=1e-5, abs=1e-6)


class _AllRows:
    """Every row for every estimate, so that chance plays no part."""

    def gradient(self, problem, x, radius, start, rng, /):
        from atmostk.solvers.sample_size import sampled_gradient

        return sampled_gradient(problem, x, problem.sampler.size, rng)

    def pair(self, problem, before, after, radius, start, rng, /):
        from atmostk.solvers.sample_size import sampled_pair

        return sampled_pair(problem, before, after, problem.sampler.size, rng)


def test_a_start_is_feasible_and_each_seed_has_its_own() -> None:
    one, again, other = (random_graph(SIZE, 5, seed=seed) for seed in (0, 0, 1))
    assert len(one.rows) == 5
    assert (one.rows < one.columns).all()
    assert one.columns.max() < SIZE
    assert np.array_equal(one.keys, again.keys)
    assert not np.array_equal(one.keys, other.keys)
    assert isinstance(one, Graph)
    assert set(one.weights) == {0.2}
    assert np.isfinite(GaussianGraph().value(one, next(iter(Rows(rows()).blocks()))))


def test_all_pairs_are_a_start_too() -> None:
    count = SIZE * (SIZE - 1) // 2
    whole = random_graph(SIZE, count, seed=0)
    assert np.array_equal(whole.keys, Graph.from_dense(np.ones((SIZE, SIZE))).keys)


def test_more_stops_paying_where_the_curve_is_flat_within_its_error() -> None:
    rows = np.linspace(-5, 5, 40)  # rows differ far more than budgets do, but all budgets see the same ones
    wobble = np.where(np.arange(40) % 2, 1.0, -1.0)
    means = np.array([10.0, 5.0, 1.0, 0.9, 3.0])[:, None] + rows
    means[3] += wobble  # a gain of 0.1 with a standard error of 0.16
    assert enough([1, 2, 3, 4, 5], means) == 3
    means[3] -= wobble
    assert enough([1, 2, 3, 4, 5], means) == 4
    assert enough([1, 2, 3], np.array([[3.0], [2.0], [1.0]]) + rows) == 3


def test_the_experiment_runs_draws_and_goes_on_from_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    from reproduction.graphs import data

    # The names stay those of the simulated rows; only fewer of them are drawn.
    monkeypatch.setattr(data, "VARIABLES", 60)
    data.split.cache_clear()
    sizes = ["--budgets", "100", "220", "--every", "60", "--starts", "1", "--steps", "10"]
    arguments = ["--data", "band", *sizes, "--jobs", "1", "--folder", str(tmp_path)]
    graph.main(arguments)
    told = capsys.readouterr()
    assert "12 of 12 cells" in told.err
    assert "| ours | 100 |" in told.out
    assert (tmp_path / "budget.png").stat().st_size > 10_000
    assert (tmp_path / "iterations.png").stat().st_size > 10_000
    graph.main(arguments)
    assert "nothing is run" in capsys.readouterr().err
    data.split.cache_clear()
