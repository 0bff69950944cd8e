"""Columns far from zero, seen from near by: a shift that is taken off what is read, not off the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Centred:
    """X - origin, of which no copy is made: dense rows stay as they are, and sparse ones sparse.

    With an intercept it spans what X spans; but years or prices, whose mean is many times their spread, would drown
    in the rounding of the intercept's products with them. `columns` reads it in place of X.
    """

    X: Array
    origin: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """As X has it."""
        return self.X.shape

    @property
    def dtype(self) -> Any:
        """As X has it."""
        return self.X.dtype
