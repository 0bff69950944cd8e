"""The inverse behind every fit ends whatever it is given."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmostk.quadratic.model import inverted


def test_it_is_the_inverse_where_there_is_one() -> None:
    X = np.random.default_rng(0).normal(size=(30, 6))
    hessian = X.T @ X
    assert_allclose(inverted(hessian, np.diag(hessian)) @ hessian, np.eye(6), atol=1e-7)


def test_a_singular_matrix_gives_a_minimum_all_the_same() -> None:
    hessian = np.ones((2, 2))
    step = inverted(hessian, np.diag(hessian)) @ np.ones(2)
    assert_allclose(hessian @ step, np.ones(2), rtol=1e-6)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("entry", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_leads_nowhere_and_ends(entry: float) -> None:
    hessian = np.eye(3)
    hessian[1, 2] = hessian[2, 1] = entry
    assert_allclose(inverted(hessian, np.diag(hessian)) @ np.ones(3), np.zeros(3))
