"""The minimum of any smooth function of a few values within bounds, when a Hessian from nearby is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from atmostk.objectives.support_fit import newton_step

Evaluate = Callable[[np.ndarray], tuple[float, np.ndarray]]


def settled(
    evaluate: Evaluate,
    start: np.ndarray,
    hessian: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    *,
    tolerance: float,
    floor: float,
    steps: int,
) -> tuple[np.ndarray, float, np.ndarray]:
    """Values, the function and its gradient there, once no step promises more than `tolerance` of the value.

    A value below `floor` counts as the floor, so that there is an end where the function falls to zero for ever.
    Newton's steps with the Hessian given, which each step corrects by what it saw of the gradient (BFGS): on a
    quadratic function the first step arrives, elsewhere a Hessian from another point becomes the right one in use.

    >>> hessian, slope = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, -1.0])
    >>> free = np.full(2, np.inf)
    >>> evaluate = lambda v: (float(v @ hessian @ v / 2 - slope @ v), hessian @ v - slope)
    >>> settled(evaluate, np.zeros(2), np.eye(2), -free, free, tolerance=1e-12, floor=1e-9, steps=20)[0].round(6)
    array([ 1., -1.])
    """
    values = np.clip(start, lower, upper)
    value, gradient = evaluate(values)
    stalled = 0
    for _ in range(steps):
        step = newton_step(hessian, gradient, values, lower, upper)
        promised = -float(gradient @ step) / 2
        if not promised > tolerance * max(abs(value), floor):
            return values, value, gradient
        found = _shortened(evaluate, values, step, value, promised, lower, upper)
        if found is None:
            stalled += 1
            if stalled > 1:
                return values, value, gradient
            # Its own curvature without the couplings: what is left when the model misleads.
            hessian = np.diag(np.maximum(np.abs(np.diag(hessian)), 1e-300))
            continue
        moved, then, slopes = found
        hessian = _corrected(hessian, moved - values, slopes - gradient)
        values, value, gradient = moved, then, slopes
    return values, value, gradient


def _shortened(
    evaluate: Evaluate,
    values: np.ndarray,
    step: np.ndarray,
    value: float,
    promised: float,
    lower: np.ndarray,
    upper: np.ndarray,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """The first of step, step / 2, step / 4, ... after which the value has fallen enough."""
    length = 1.0
    while length > 1e-6:
        trial = np.clip(values + length * step, lower, upper)
        then, slopes = evaluate(trial)
        if np.isfinite(then) and np.isfinite(slopes).all() and then <= value - 1e-4 * length * promised:
            return trial, then, slopes
        length /= 2 if length > 0.2 else 8
    return None


def _corrected(hessian: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The nearest Hessian that turns this step into this change of the gradient; as it was where that bends down."""
    bent = hessian @ step
    along, known = float(step @ change), float(step @ bent)
    if not along > 1e-10 * float(np.linalg.norm(step) * np.linalg.norm(change)) or not known > 0:
        return hessian
    return hessian + np.outer(change, change) / along - np.outer(bent, bent) / known
