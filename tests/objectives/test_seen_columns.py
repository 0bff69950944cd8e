"""The products that a search keeps between its models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from atmostk.objectives.seen_columns import SeenColumns
from atmostk.samplers import Rows


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_asked_for_in_any_order_are_those_of_the_columns(sparse: bool, weighted: bool) -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((30, 400)) * (rng.random((30, 400)) < 0.4)
    weights = rng.random(30) + 0.1 if weighted else None
    given: Any = csr_array(X) if sparse else X
    seen = SeenColumns(list(Rows(given, np.zeros(30), weights=weights).blocks()), 400)
    share = np.full(30, 1 / 30) if weights is None else weights / weights.sum()
    expected = X.T @ (share[:, None] * X)
    for width in (5, 60, 60, 20, 150, 1, 60, 190, 3):  # so wide that it forgets what it held in between
        pool = np.sort(rng.choice(400, width, replace=False))
        asked = np.sort(rng.choice(pool, rng.integers(0, min(width, 12) + 1), replace=False))
        assert_allclose(seen.products(asked, pool), expected[np.ix_(asked, pool)], atol=1e-13)
        assert_allclose(seen.squares(pool) - seen.pseudo, np.diag(expected)[pool], atol=1e-13)
