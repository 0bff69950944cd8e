"""Sets of indices, held in ascending order so that a search finds them."""

from __future__ import annotations

import numpy as np


def among(indices: np.ndarray, others: np.ndarray) -> np.ndarray:
    """For each of the indices whether it is one of the others, which ascend."""
    if others.size == 0:
        return np.zeros(indices.size, bool)
    places = np.minimum(others.searchsorted(indices), others.size - 1)
    return others[places] == indices


def without(indices: np.ndarray, others: np.ndarray | None) -> np.ndarray:
    """The indices, in their order, that are not among the others, which ascend."""
    return indices if others is None else indices[~among(indices, others)]


def union(first: np.ndarray, second: np.ndarray | None) -> np.ndarray:
    """The indices in one or both, ascending; both ascend."""
    return first if second is None else np.sort(np.concatenate((first, without(second, first))))
