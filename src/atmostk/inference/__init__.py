"""What can be said after features were chosen: errors of a refit, p-values from split data, frequencies of choice."""

from atmostk.inference.coefficient_table import CoefficientTable
from atmostk.inference.refit import refit_table
from atmostk.inference.split_p_values import SplitPValues, split_p_values
from atmostk.inference.stability import Stability, stability_selection

__all__ = [
    "CoefficientTable",
    "SplitPValues",
    "Stability",
    "refit_table",
    "split_p_values",
    "stability_selection",
]
