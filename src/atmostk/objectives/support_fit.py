"""The minimum of a linear predictor's loss on a few of its columns: Newton's method, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any


@dataclass(frozen=True)
class Evaluation:
    """The loss at a point of the support: gradient and predictor always, the Hessian when asked for."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray | None
    predictor: Any


Evaluate = Callable[[np.ndarray, bool], Evaluation]


def fitted(
    evaluate: Evaluate,
    start: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    tolerance: float,
    keep_hessian: bool,
    hessian: np.ndarray | None = None,
    others: Sequence[Callable[[float], np.ndarray | None]] = (),
    steps: int = 50,
) -> tuple[np.ndarray, Evaluation]:
    """Newton steps, halved until the value falls, until none promises `tolerance` of the value.

    `others` say, given the value at the start, where else to look; the best place is started from.

    `keep_hessian` says that one Hessian serves for all steps: it is constant, or costs so much more than a gradient
    that it is only taken again when progress is slow. `hessian` is that at the start, where it is known.
    """
    values = np.clip(start, lower, upper)
    now = evaluate(values, hessian is None)
    for other in others:
        place = other(now.value)
        if place is None:
            continue
        place = np.clip(place, lower, upper)
        there = evaluate(place, hessian is None)
        if not now.value <= there.value:
            values, now = place, there
    hessian = now.hessian if hessian is None else hessian
    promised = np.inf
    fresh = True
    for _ in range(steps):
        assert hessian is not None
        step = newton_step(hessian, now.gradient, values, lower, upper)
        if not np.isfinite(step).all():
            # No row bends here (a quantile far from its data): down the slope, as far as would take the value to 0.
            step = -now.gradient * (max(abs(now.value), 1e-12) / max(float(now.gradient @ now.gradient), 1e-300))
        before, promised = promised, -float(now.gradient @ step + 0.5 * step @ hessian @ step)
        if not promised > tolerance * max(abs(now.value), 1e-12):
            break
        if not fresh and promised > 0.1 * before:
            now = evaluate(values, True)
            hessian, fresh, promised = now.hessian, True, np.inf
            continue
        then = _shortened(evaluate, values, step, now, promised, not keep_hessian, lower, upper)
        if then is None:
            if fresh:
                break
            now = evaluate(values, True)
            hessian, fresh, promised = now.hessian, True, np.inf
            continue
        values, now = then
        fresh = now.hessian is not None
        hessian = now.hessian if fresh else hessian
    return values, now


def _shortened(
    evaluate: Evaluate,
    values: np.ndarray,
    step: np.ndarray,
    now: Evaluation,
    promised: float,
    with_hessian: bool,
    lower: np.ndarray,
    upper: np.ndarray,
) -> tuple[np.ndarray, Evaluation] | None:
    """The first of step, step / 2, step / 4, ... after which the value has fallen enough."""
    length = 1.0
    while length > 1e-6:
        trial = np.clip(values + length * step, lower, upper)
        then = evaluate(trial, with_hessian)
        if np.isfinite(then.value) and then.value <= now.value - 1e-4 * length * promised:
            return trial, then
        length /= 2 if length > 0.2 else 8
    return None


def newton_step(
    hessian: np.ndarray, gradient: np.ndarray, values: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """The minimum of the quadratic model within the bounds, as a step."""
    from atmostk.quadratic.model import inverted  # here, because numba is loaded with it

    step = -inverted(hessian, np.diag(hessian)) @ gradient
    if ((values + step < lower) | (values + step > upper)).any():
        from atmostk.quadratic.gains import boxed_minimum

        room = lower - values, upper - values
        step = boxed_minimum(hessian, -gradient, np.clip(step, *room), *room)
    return step


def summed(parts: Iterable[tuple[float, np.ndarray, np.ndarray | None, Any]]) -> Evaluation:
    """The evaluations of pieces of the rows, added up."""
    value, gradient, hessian = 0.0, None, None
    predictors = []
    for part_value, part_gradient, part_hessian, predictor in parts:
        value += part_value
        gradient = part_gradient if gradient is None else gradient + part_gradient
        if part_hessian is not None:
            hessian = part_hessian if hessian is None else hessian + part_hessian
        predictors.append(predictor)
    assert gradient is not None
    return Evaluation(value, gradient, hessian, predictors[0] if len(predictors) == 1 else np.concatenate(predictors))
