"""How far each entry may move for the same effect, found from a few products with the Hessian."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

ROUNDS, PROBES = 4, 3


def alike(products: Callable[[np.ndarray], np.ndarray], size: int) -> np.ndarray:
    """The scales d for which all rows of d_i H_ij d_j are about equally long.

    A row's length is seen in products with random signs, and the scales corrected by it a few times over: the diagonal
    itself would take one product for each entry.

    >>> scales = alike(lambda directions: directions * np.array([4.0, 100.0]), 2)
    >>> scales / scales[0]
    array([1. , 0.2])
    """
    rng = np.random.default_rng(0)
    scales = np.ones(size)
    for _ in range(ROUNDS):
        signs = rng.choice((-1.0, 1.0), (PROBES, size))
        lengths = scales * np.sqrt(np.mean(products(signs * scales) ** 2, axis=0))
        seen = lengths > 0
        if not seen.any() or not np.isfinite(lengths).all():
            break
        lengths[~seen] = np.median(lengths[seen])
        scales = scales / np.sqrt(lengths)
    return scales
