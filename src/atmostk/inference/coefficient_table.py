"""Coefficients with their errors, one line for each, and a sentence on what the errors are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class CoefficientTable:
    """One line for each coefficient of the chosen features, and for the intercepts, which come last (feature -1).

    `condition` says under which condition the errors, p-values and intervals hold. `covariance` is that of all lines.

    >>> table = CoefficientTable(
    ...     np.array([4]), np.array(["age"]), np.array([""]), np.array([2.0]), np.array([0.5]), np.array([4.0]),
    ...     np.array([1e-4]), np.array([1.0]), np.array([3.0]), np.array([[0.25]]), 0.95, "as an example",
    ... )
    >>> print(table)
    as an example
    feature  coefficient  standard error  statistic  p-value  95 % interval
    age                2             0.5          4   0.0001  1 to 3
    """

    features: np.ndarray
    names: np.ndarray
    outputs: np.ndarray  # of which class a coefficient is, where there are several
    coefficients: np.ndarray
    standard_errors: np.ndarray
    statistics: np.ndarray
    p_values: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray
    level: float
    condition: str

    def columns(self) -> dict[str, np.ndarray]:
        """Column by column, as a frame takes them."""
        named = ("names", "outputs", "coefficients", "standard_errors", "statistics", "p_values", "lower", "upper")
        return {name: getattr(self, name) for name in named}

    def to_frame(self) -> Any:
        """As a pandas frame; `frame.attrs["condition"]` says under which condition it holds."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install 'atmostk[parquet]'") from None
        frame = pandas.DataFrame(self.columns())
        frame.attrs["condition"] = self.condition
        return frame

    def __repr__(self) -> str:
        return f"CoefficientTable({len(self.coefficients)} lines, {self.condition})"

    def __str__(self) -> str:
        numbers = (self.coefficients, self.standard_errors, self.statistics, self.p_values)
        titles = ("feature", "coefficient", "standard error", "statistic", "p-value", f"{self.level:.0%} interval")
        lines: list[tuple[str, ...]] = [(*titles[:5], titles[5].replace("%", " %"))]
        for place, name in enumerate(self.names):
            told = [f"{values[place]:.4g}" for values in numbers]
            label = f"{name} [{self.outputs[place]}]" if self.outputs[place] != "" else str(name)
            lines.append((label, *told, f"{self.lower[place]:.4g} to {self.upper[place]:.4g}"))
        widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
        text = [self.condition]
        for line in lines:
            middle = [line[column].rjust(widths[column]) for column in range(1, 5)]
            text.append("  ".join((line[0].ljust(widths[0]), *middle, line[5])).rstrip())
        return "\n".join(text)
