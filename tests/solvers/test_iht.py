"""The baseline goes down at every step and ends where no step helps."""

from __future__ import annotations

import numpy as np
import pytest

from atmostk import IHT, AtMost, Problem, certify, minimize
from atmostk.objectives import Logistic, SquaredError
from atmostk.samplers import Rows

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 20))
z = X[:, :3] @ np.array([2.0, -1.0, 1.0]) + 0.5 * rng.normal(size=80)


@pytest.mark.parametrize(("loss", "y"), [(SquaredError(), z), (Logistic(), (z > 0) * 1.0)])
def test_it_descends_to_an_l_stationary_point_and_says_so(loss, y) -> None:
    problem = Problem(loss, Rows(X, y), AtMost(3))
    result = minimize(problem, IHT(), np.zeros(20))
    values = result.history.column("value")
    assert values == sorted(values, reverse=True)
    assert result.stop.converged
    assert "no step longer than" in result.stop.reason
    # A step of size s is accepted when f falls by 0.1 |d|^2 / s, which s <= 1.8 / L(f) ensures; each halving may
    # undershoot by 2.
    L = np.linalg.eigvalsh(X.T @ X / 80)[-1]
    assert certify(problem, result.x, tolerance=1e-5).is_l_stationary(4 * L)


def test_the_step_size_fits_itself_to_the_scale_of_the_data() -> None:
    for scale in (1e-4, 1.0, 1e4):
        result = minimize(Problem(SquaredError(), Rows(scale * X, z), AtMost(3)), IHT(), np.zeros(20))
        assert list(result.support) == [0, 1, 2]


@pytest.mark.parametrize("changed", [{"step_size": 0.0}, {"decrease": -1.0}, {"shortest": float("nan")}])
def test_hyperparameters_out_of_range_are_refused(changed) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        IHT(**changed)
