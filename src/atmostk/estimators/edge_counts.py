"""The numbers of edges to try: as given, or multiples of the number of variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def edge_counts(edges: Any, size: int, shares: Sequence[float], *, owner: str) -> list[int]:
    """Ascending, none twice, none more than there are pairs; `shares` of the variables where nothing is given.

    >>> edge_counts([5, 2, 99], 4, (0.5, 1.0), owner="path"), edge_counts(None, 4, (0.5, 1.0), owner="path")
    ([2, 5, 6], [2, 4])
    """
    if edges is None:
        edges = [round(share * size) for share in shares]
    given = np.atleast_1d(edges).tolist()
    if not given or any(isinstance(count, bool) or not isinstance(count, int) or count < 0 for count in given):
        raise ValueError(f"{owner}: edges={edges!r} must be whole numbers of 0 or more, at least one, or None.")
    most = size * (size - 1) // 2
    return sorted({min(count, most) for count in given})
