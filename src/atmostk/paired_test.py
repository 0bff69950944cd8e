"""Whether a change lowers a mean over rows, decided on as few rows as its noise needs.

The losses of the same rows before and after the change are subtracted row by row, so that what is common to both
cancels. With m of n rows, drawn without repetition, the mean difference is known to z s / sqrt(m) sqrt(1 - m / n).
The sample doubles until that interval excludes zero; with all n rows read, the sign decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from atmostk import arrays

Array = Any
Verdict = Literal["lower", "higher", "unsure"]

# On an exact tie, looked at nine times, z = 3 errs once in ninety; z = 2 would once in eight.
Z = 3.0
FIRST = 500  # fewer rows do not show how heavy the tails are


@dataclass(frozen=True)
class PairedTest:
    """The sums that a decision needs; `seen` returns the test with some rows more.

    `size` is how many rows there are (None: endless), `margin` by how much the mean must fall to count as lower.

    >>> rng = np.random.default_rng(0)
    >>> before = rng.normal(size=10_000) ** 2
    >>> after = before - 0.1 + rng.normal(size=10_000)
    >>> test = PairedTest(size=10_000)
    >>> while test.verdict == "unsure":
    ...     rows = slice(test.rows, test.rows + test.more)
    ...     test = test.seen(before[rows], after[rows])
    >>> test.verdict, test.rows
    ('lower', 1000)
    """

    size: int | None
    margin: float = 0.0
    z: float = Z
    first: int = FIRST
    rows: int = 0
    weight: float = 0.0
    total: float = 0.0  # of weight x difference
    squares: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of weights, times difference to the power 0, 1, 2
    barred: bool = False  # after the change a row has no finite loss
    rescued: bool = False  # before it one had none

    def seen(self, before: Array, after: Array, weights: Array = None) -> PairedTest:
        """The test with the losses of these rows, none of which it has seen before."""
        old, new = (arrays.to_numpy(losses).astype(np.float64) for losses in (before, after))
        if old.shape != new.shape or old.ndim != 1:
            raise ValueError(f"PairedTest takes one loss for each row twice, not shapes {old.shape} and {new.shape}.")
        bad, mended = not np.isfinite(new).all(), not np.isfinite(old).all()
        if bad or mended:
            return replace(self, rows=self.rows + old.size, barred=self.barred or bad, rescued=self.rescued or mended)
        difference = old - new
        weighed = np.ones(old.size) if weights is None else arrays.to_numpy(weights).astype(np.float64)
        double, weighted = weighed * weighed, weighed * difference
        sums = float(double.sum()), float(weighed @ weighted), float(weighted @ weighted)
        return replace(
            self,
            rows=self.rows + old.size,
            weight=self.weight + float(weighed.sum()),
            total=self.total + float(weighted.sum()),
            squares=tuple(have + new for have, new in zip(self.squares, sums, strict=True)),
        )

    @property
    def mean(self) -> float:
        """By how much the (weighted) mean loss fell on the rows seen."""
        return self.total / self.weight if self.weight else 0.0

    @property
    def error(self) -> float:
        """The standard error of `mean`, less what the finite number of rows takes from it."""
        if self.rows < 2 or not self.weight:
            return math.inf
        zeroth, first, second = self.squares
        mean = self.mean
        spread = max(second - 2 * mean * first + mean * mean * zeroth, 0.0) * self.rows / (self.rows - 1)
        left = 1.0 if self.size is None else max(1 - self.rows / self.size, 0.0)
        return math.sqrt(spread * left) / self.weight

    @property
    def verdict(self) -> Verdict:
        """Whether the mean is lower after the change, higher (or not lower), or whether more rows are needed."""
        if self.barred:
            return "higher"
        if self.rescued:
            return "lower"
        gain = self.mean - self.margin
        if self.size is not None and self.rows >= self.size:
            return "lower" if gain > 0 else "higher"
        if self.rows < self.first or abs(gain) <= self.z * self.error:
            return "unsure"
        return "lower" if gain > 0 else "higher"

    @property
    def more(self) -> int:
        """How many rows to look at next: as many as were seen, 0 once it is decided."""
        if self.verdict != "unsure":
            return 0
        wanted = max(self.rows, self.first - self.rows)
        return wanted if self.size is None else min(wanted, self.size - self.rows)


def rows_to_decide(noise: float, decrease: float, z: float = Z) -> float:
    """How many rows a decision takes: 2 z^2 noise / decrease.

    `noise` is 1 for a well specified likelihood and the noise's variance for squared error; `decrease` the mean
    decrease. For a change of the fit, the variance of a row's difference is about twice noise x decrease.

    >>> rows_to_decide(1.0, 0.01)
    1800.0
    """
    return 2 * z * z * noise / decrease if decrease > 0 else math.inf


def sampling_pays(noise: float, least_decrease: float, size: int | None) -> bool:
    """Whether samples can win: when the hardest decision takes a third of all rows, they do not.

    >>> sampling_pays(1.0, 1e-3, 2_000_000), sampling_pays(1.0, 1e-3, 10_000)
    (True, False)
    """
    return size is None or rows_to_decide(noise, least_decrease) <= size / 3
