"""The scan of the Gram matrix, against a sort of all scores."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from atmostk.graphs import gram_scan

NO_WORTH = np.empty((0, 0), np.float32)


def scores_of_all(S, H, d, worth=None):
    products = H / d[:, None]
    price = np.outer(1 / d, S.diagonal())
    scores = np.triu((products + products.T) ** 2 / (price + price.T), 1)
    return scores if worth is None else scores * worth


@pytest.mark.parametrize("size", [5, 64, 130, 333])
@pytest.mark.parametrize("count", [1, 20, 400])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_pairs_are_the_first_of_a_sort_of_all(size, count, weighted):
    rng = np.random.default_rng(size)
    S = np.cov(rng.normal(size=(size, 40))).astype(np.float32)
    H = rng.normal(size=(size, size)).astype(np.float32)
    d = rng.uniform(0.1, 10, size)
    worth = rng.uniform(0, 2, (size, size)).astype(np.float32) if weighted else None
    rows, columns = gram_scan.best_pairs(S, H, d, 0.0, NO_WORTH if worth is None else worth, count)
    scores = scores_of_all(S, H, d, worth)
    best = np.sort(np.argsort(-scores.ravel(), kind="stable")[: min(count, size * (size - 1) // 2)])
    assert_array_equal(rows * size + columns, best)


def test_a_few_rows_that_promise_too_much_change_nothing():
    size = 400
    S = np.eye(size, dtype=np.float32)
    H = 0.01 * np.random.default_rng(0).normal(size=(size, size)).astype(np.float32)
    first = (size - gram_scan.GROUP) // (2 * gram_scan.GROUPS)
    H[first : first + gram_scan.GROUP] *= 1000  # just the rows that the threshold is guessed from
    rows, columns = gram_scan.best_pairs(S, H, np.ones(size), 0.0, NO_WORTH, 9000)
    best = np.sort(np.argsort(-scores_of_all(S, H, np.ones(size)).ravel(), kind="stable")[:9000])
    assert_array_equal(rows * size + columns, best)
