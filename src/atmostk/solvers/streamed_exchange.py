"""Exchange for rows that cannot be kept: a sample in memory is solved first, then passes over all rows decide."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from atmostk.problem import Problem
from atmostk.solvers.exchange import Exchange, ExchangeRecord, ExchangeState

if TYPE_CHECKING:
    from atmostk.objectives.streamed_landscape import StreamedLandscape

Array = Any


@dataclass(frozen=True)
class StreamedState:
    """Where the search in the sample stands, and where the one on all rows does, which begins when that has ended."""

    sampled: ExchangeState
    whole: ExchangeState
    in_sample: bool
    rows: int

    @property
    def _now(self) -> ExchangeState:
        return self.sampled if self.in_sample else self.whole

    @property
    def value(self) -> float:
        """The objective: in the sample at first, on all rows later."""
        return self._now.value

    @property
    def exact(self) -> bool:
        """Whether the value is that on all rows."""
        return not self.in_sample

    @property
    def x(self) -> Array:
        """The point as it came in."""
        return self._now.x

    @property
    def support(self) -> np.ndarray:
        """The flat indices of the support and the free entries."""
        return self._now.support

    @property
    def finished(self) -> str | None:
        """Why the search on all rows has ended."""
        return None if self.in_sample else self.whole.finished


@dataclass(frozen=True)
class StreamedExchange:
    """`Exchange` with its kicks in a sample of the rows, then without kicks on all of them.

    The sample is a `share` of the rows, but `least` of them and no more than the sampler may keep in memory. It
    decides most; on all rows the values are found anew (a few passes over the support's columns), every entry's
    gradient is taken (one pass over all), and what the sample could not see is exchanged, until nothing gains.

    For rows that are read where they are: on disk, or on a cluster. Rows in memory are searched by `Exchange`.

    >>> import tempfile, pathlib
    >>> from atmostk import AtMost, Problem, minimize
    >>> from atmostk.datasets import open_rows
    >>> from atmostk.objectives import SquaredError
    >>> X = np.random.default_rng(0).normal(size=(1000, 5))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "X.npy", X)
    >>> np.save(folder / "y.npy", X @ [0, 2.0, 0, -1.0, 0])
    >>> rows = open_rows(folder / "X.npy", target="y.npy")
    >>> minimize(Problem(SquaredError(), rows, AtMost(2)), StreamedExchange(), np.zeros(5)).x.round(6)
    array([ 0.,  2.,  0., -1.,  0.])
    """

    exchange: Exchange = field(default_factory=Exchange)
    share: float = 0.05
    least: int = 200_000

    State: ClassVar[type] = StreamedState
    Record: ClassVar[type] = ExchangeRecord
    ends_itself: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(
                f"StreamedExchange(share={self.share}): the sample's share of the rows is above 0, up to 1."
            )
        if isinstance(self.least, bool) or not isinstance(self.least, int | np.integer) or self.least < 1:
            raise ValueError(f"StreamedExchange(least={self.least!r}): a sample has at least one row.")

    def start(self, problem: Problem, x0: Array, rng: np.random.Generator, /) -> StreamedState:
        """The minimum in the sample on the support of x0."""
        whole = self._whole(problem, x0)
        sampler: Any = problem.sampler
        wanted = max(self.least, int(self.share * sampler.size))
        sample = sampler.draw(min(wanted, sampler.sample_rows, sampler.size), rng)
        whole.landscape.look_at(sample)
        sampled = self.exchange.start(_with(problem, sample), x0, rng)
        return StreamedState(sampled, whole, True, sampled.rows)

    def step(
        self, state: StreamedState, problem: Problem, rng: np.random.Generator, /
    ) -> tuple[StreamedState, ExchangeRecord]:
        """One move of the search in the sample, or of that on all rows."""
        if state.in_sample and state.sampled.finished is None:
            sampled, record = self.exchange.step(state.sampled, problem, rng)
            rows = state.rows + sampled.rows - state.sampled.rows
            return replace(state, sampled=sampled, rows=rows), replace(record, rows=rows)
        landscape: StreamedLandscape = state.whole.landscape
        before = landscape.rows
        if state.in_sample:  # what the sample found is where all rows begin
            point = landscape.polish(landscape.unfitted(state.sampled.x))
            whole = replace(state.whole, point=point)
            record = ExchangeRecord("whole", point.value, len(point.units), True, 0)
        else:
            whole, record = replace(self.exchange, kicks=0).step(state.whole, problem, rng)
        rows = state.rows + landscape.rows - before
        return replace(state, whole=whole, in_sample=False, rows=rows), replace(record, rows=rows)

    def _whole(self, problem: Problem, x0: Array) -> ExchangeState:
        from atmostk.objectives.streamed_landscape import StreamedLandscape  # here, because numba is loaded with it

        made = getattr(problem.objective, "landscape", None)
        landscape = None if made is None else made(problem, x0)
        if not isinstance(landscape, StreamedLandscape):
            raise TypeError(
                "StreamedExchange is for a linear predictor's loss on rows from open_rows or from Dask, not for "
                f"{type(problem.objective).__name__} on {type(problem.sampler).__name__}: take Exchange()."
            )
        return ExchangeState(landscape.unfitted(x0), "grow", 0, 0, True, None, landscape)


def _with(problem: Problem, sample: Any) -> Problem:
    """The same problem on rows in memory."""
    from atmostk.objectives.streamed_landscape import Kept

    return Problem(problem.objective, Kept(sample), problem.constraint)  # pyright: ignore[reportArgumentType]
