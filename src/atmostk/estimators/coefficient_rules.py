"""What may become of the coefficients: which count as one, which are always kept, between which bounds they lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atmostk.constraints import AlwaysKept, AtMost, AtMostGroups, WithinBox
from atmostk.estimators.named_features import place, places


@dataclass(frozen=True)
class CoefficientRules:
    """The rules for coefficients of shape (features, outputs), an intercept below them where there is one.

    `units` numbers what each coefficient enters and leaves the model with, -1 for what is always kept; the kept ones
    use `kept` of the budget. Bounds are None where there are none.
    """

    units: np.ndarray
    kept: int
    intercept: bool
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None

    @property
    def count(self) -> int:
        """How many units there are, the kept ones too."""
        return int(self.units.max(initial=-1)) + 1 + self.kept

    @property
    def shape(self) -> tuple[int, ...]:
        """That of x: a vector for one output, else a matrix."""
        features, outputs = self.units.shape
        rows = features + self.intercept
        return (rows,) if outputs == 1 else (rows, outputs)

    def used(self, coefficients: np.ndarray) -> int:
        """How much of the budget these coefficients (a row for each output) take."""
        units = self.units[coefficients.T != 0]
        return np.unique(units[units >= 0]).size + self.kept

    def constraint(self, at_most: int) -> Any:
        """The constraint under which x has at most so many units."""
        units = np.concatenate((self.units, np.full((int(self.intercept), self.units.shape[1]), -1))).ravel()
        free = np.flatnonzero(units < 0)
        limit = min(at_most, self.count) - self.kept
        competing = units[units >= 0]
        if np.array_equal(competing, np.arange(competing.size)) and (units[: competing.size] >= 0).all():
            made: Any = AtMost(limit)
        else:
            # What is kept is numbered last, so that the numbers of the others leave no gap.
            made = AtMostGroups(limit, groups=np.where(units < 0, units.max() + 1, units))
        if free.size:
            made = AlwaysKept(made, free)
        if self.lower is None or self.upper is None:
            return made
        lower, upper = (self._below(bound, far) for bound, far in ((self.lower, -np.inf), (self.upper, np.inf)))
        return WithinBox(made, lower=lower, upper=upper)

    def _below(self, bound: np.ndarray, far: float) -> np.ndarray:
        """With the intercept's bound, which is none, below the features'."""
        rows = np.full((int(self.intercept), bound.shape[1]), far)
        return np.concatenate((bound, rows)).reshape(self.shape)


def coefficient_rules(
    features: int, outputs: int, names: np.ndarray | None, *, groups: Any, always: Any, bounds: Any, intercept: bool,
    per_output: bool = False,
) -> CoefficientRules:  # fmt: skip
    """The rules as a person states them, checked.

    >>> coefficient_rules(3, 1, None, groups=["a", "a", "b"], always=None, bounds=None, intercept=True).units.T
    array([[0, 0, 1]])
    """
    unit = _units(groups, features)
    each = unit[:, None] * outputs + np.arange(outputs) if per_output else np.repeat(unit[:, None], outputs, axis=1)
    named = places(always, features, names, "always")
    kept = np.unique(each[named])
    each = np.where(np.isin(each, kept), -1, each)
    numbered = np.unique(each[each >= 0], return_inverse=True)[1]
    each[each >= 0] = numbered
    lower, upper = _bounds(bounds, features, outputs, names)
    if lower is not None and upper is not None:
        _check_zero_allowed(lower, upper, each, names)
    return CoefficientRules(each, kept.size, intercept, lower, upper)


def _units(groups: Any, features: int) -> np.ndarray:
    if groups is None:
        return np.arange(features)
    labels = np.asarray(groups)
    if labels.shape != (features,):
        raise ValueError(f"groups has shape {labels.shape}: give one label for each of the {features} features.")
    if labels.dtype == object:
        labels = labels.astype(str)
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def _bounds(
    bounds: Any, features: int, outputs: int, names: np.ndarray | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """As arrays of shape (features, outputs)."""
    if bounds is None:
        return None, None
    lower, upper = np.full((features, outputs), -np.inf), np.full((features, outputs), np.inf)
    if isinstance(bounds, Mapping):
        for feature, pair in bounds.items():
            at = place(feature, features, names, "bounds")
            lower[at], upper[at] = (_bound(one, far, (outputs,)) for one, far in zip(_pair(pair), _FAR, strict=True))
    else:
        # Arrays come in the shape of coef_, which has a row for each output.
        low, high = (
            _bound(one, far, (outputs, features)).T for one, far in zip(_pair(bounds), _FAR, strict=True)
        )  # fmt: skip
        lower, upper = np.ascontiguousarray(low), np.ascontiguousarray(high)
    crossed = np.flatnonzero((lower > upper).any(axis=1))
    if crossed.size:
        raise ValueError(f"bounds leave no room for {_told(crossed[0], names)}: its lower bound is above its upper.")
    return lower, upper


_FAR = (-np.inf, np.inf)


def _pair(pair: Any) -> tuple[Any, Any]:
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise ValueError(f"bounds={pair!r}: give (lower, upper), such as (0, None) for coefficients of 0 or more.")
    return pair[0], pair[1]


def _bound(bound: Any, far: float, shape: tuple[int, ...]) -> np.ndarray:
    if bound is None:
        return np.full(shape, far)
    try:
        values = np.asarray(bound, np.float64)
        found = np.array(np.broadcast_to(values, shape))
    except (TypeError, ValueError):
        raise ValueError(
            f"a bound is None, a number, or one number for each of the {shape[-1]} features, not {bound!r}."
        ) from None
    if np.isnan(found).any():
        raise ValueError("bounds hold NaN: write None where there is no bound.")
    return found


def _check_zero_allowed(lower: np.ndarray, upper: np.ndarray, units: np.ndarray, names: np.ndarray | None) -> None:
    never = np.flatnonzero((((lower > 0) | (upper < 0)) & (units >= 0)).any(axis=1))
    if never.size:
        raise ValueError(
            f"bounds do not allow {_told(never[0], names)} to be zero, and the budget may drop it: name it in always, "
            "or let its bounds include 0."
        )


def _told(feature: int, names: np.ndarray | None) -> str:
    return f"feature {feature}" if names is None else f"feature {str(names[feature])!r}"
