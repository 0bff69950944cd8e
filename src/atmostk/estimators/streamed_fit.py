"""`fit` on rows that cannot be kept: what the linear estimators do with rows from `open_rows` and from Dask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from atmostk.certificate import Certificate, from_derivatives
from atmostk.estimators.coefficient_rules import coefficient_rules
from atmostk.estimators.linear_search import NEGLIGIBLE, LinearSearch
from atmostk.estimators.moments_file import kept_variances, sampled_variances
from atmostk.estimators.sources import source_of
from atmostk.minimize import Result, minimize
from atmostk.objectives.row_questions import Labels
from atmostk.samplers.relabelled import Relabelled
from atmostk.solvers.exchange import Exchange
from atmostk.solvers.streamed_exchange import StreamedExchange
from atmostk.stopping import after_seconds

TINY = 1e-5  # a ridge whose answer a percent of a variance does not change


@dataclass(frozen=True)
class Streamed:
    """Rows with what is known of their columns: as `Opened` for rows in memory."""

    source: Any
    names: np.ndarray | None
    checkpoint: Path | None

    @property
    def dtype(self) -> Any:
        """The precision of the coefficients."""
        kind = np.dtype(self.source.dtype)
        return kind if kind.kind == "f" else np.dtype(np.float64)

    def variances(self, ridge: float) -> np.ndarray:
        """The variance of each column: one pass, kept beside the run; a sample where the ridge is so small that it only
        makes the minimum unique.
        """
        if ridge <= TINY:
            return sampled_variances(self.source)
        return kept_variances(self.source, self.checkpoint)


def opened_stream(estimator: Any, X: Any, y: Any, sample_weight: Any, checkpoint: Any) -> Streamed:
    """The rows with a target; the estimator learns how many columns they have, and their names."""
    source, names = source_of(estimator, X, y, sample_weight)
    if not source.supervised:
        raise ValueError(f"{source!r} has no target: name one, as open_rows(..., target='y') does, or give y.")
    return Streamed(source, names, None if checkpoint is None else Path(checkpoint))


def classes_of(data: Streamed, class_weight: Any) -> tuple[np.ndarray, Any]:
    """The classes, ascending, by a pass over the target alone; and the rows with their places in place of them."""
    weighed = data.source.ask(Labels())["labels"].by_value
    classes = np.array(sorted(weighed))
    counting = [value for value in classes if weighed[value] > 0]
    if len(counting) < 2:
        raise ValueError(
            f"y holds only one class, {counting[0]:g}, in the rows that count: there is nothing to tell apart, give "
            "rows of at least two classes."
        )
    by_class = None
    if class_weight is not None:
        share = np.array([weighed[value] for value in classes])
        if class_weight == "balanced":
            by_class = share.sum() / (len(classes) * share)
        else:
            by_class = compute_class_weight(class_weight, classes=_whole(classes), y=_whole(classes))
    return _whole(classes), Relabelled(data.source, classes, by_class)


def _whole(classes: np.ndarray) -> np.ndarray:
    """Whole numbers without their .0."""
    return classes.astype(np.int64) if np.array_equal(classes, classes.round()) else classes


def streamed_search(model: Any, data: Streamed, source: Any, loss: Any, outputs: int) -> StreamedSearch:
    """What to minimise, as the model's parameters say."""
    width = len(data.source.names)
    rules = coefficient_rules(
        width, outputs, data.names, groups=model.groups, always=model.always, bounds=model.bounds,
        intercept=bool(model.fit_intercept), per_output=getattr(model, "per_class", False),
    )  # fmt: skip
    ridge = None
    if model.ridge:
        ridge = model.ridge * (data.variances(model.ridge) if model.standardize else np.ones(width))
    return StreamedSearch(loss, source, rules, ridge, data.dtype, checkpoint=data.checkpoint)


@dataclass(frozen=True)
class StreamedSearch(LinearSearch):
    """The same search where a sample is solved first and passes over all rows decide."""

    checkpoint: Path | None = None

    def run(
        self, at_most: int, *, kicks: int, seed: int, max_seconds: float | None = None, start: np.ndarray | None = None,
        callbacks: Sequence[Any] = (),
    ) -> Result:  # fmt: skip
        """The best model with this budget, saved after every step where that is asked for."""
        x0 = np.zeros(self.rules.shape, self.dtype) if start is None else start
        stop = [] if max_seconds is None else [after_seconds(max_seconds)]
        solver = StreamedExchange(Exchange(kicks=kicks))
        return minimize(
            self.problem(at_most), solver, x0, stop=stop, seed=seed, callbacks=callbacks, checkpoint=self.checkpoint,
            every=1,
        )  # fmt: skip

    def _certificate(self, at_most: int, result: Result) -> Certificate:
        """How good the result is, by what the passes found at it."""
        whole = result.state.whole
        landscape, point = whole.landscape, whole.point
        if result.state.in_sample:  # it ended early
            point = landscape.unfitted(result.x)
        gradient, curvature = landscape.slopes_of(point)
        steepest = float(curvature[point.entries].max(initial=0.0))
        return from_derivatives(
            self.problem(at_most), result.x, result.value, gradient.reshape(result.x.shape),
            curvature.reshape(result.x.shape), rows=self.sampler.size, whole=True,
            tolerance=float(np.sqrt(2 * NEGLIGIBLE * max(abs(result.value), 1e-12) * steepest)),
        )  # fmt: skip
