"""The rule that says where more entries stop paying."""

from __future__ import annotations

import numpy as np


def enough(budgets: list[int], losses: np.ndarray) -> int:
    """The smallest budget that no larger one beats by more than one standard error.

    `losses` has a row for each budget, in ascending order, and a column for each row of validation data: because all
    budgets are judged on the same rows, it is the standard error of the paired differences.

    >>> enough([5, 6, 7], np.array([[9.0, 3.0, 5.0], [5.0, 0.0, 2.0], [5.2, -0.1, 1.9]]))
    6
    """
    for place, budget in enumerate(budgets):
        gains = losses[place] - losses[place + 1 :]
        errors = gains.std(axis=1, ddof=1) / np.sqrt(losses.shape[1])
        if not (gains.mean(axis=1) > errors).any():
            return budget
    raise AssertionError("the largest budget is beaten by none")
