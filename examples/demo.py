"""The tour: a real data set, every budget from 1 to 10, and what can be proved about each answer."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_diabetes

from atmostk import PIHT, AtMost, Problem, certify, minimize
from atmostk.objectives import SquaredError
from atmostk.samplers import Rows
from atmostk.stopping import radius_below


def main() -> None:
    """Choose among the ten measurements of 442 diabetes patients, and print a table."""
    data = load_diabetes(scaled=False)
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    y = data.target - data.target.mean()
    rows = Rows(X, y)
    total = np.mean(y**2)

    table = Table(title="Disease progression after one year, predicted from at most K measurements")
    for name in ("K", "features", "R^2", "objective", "L-stationary from L =", "best exchange would gain"):
        table.add_column(name, justify="left" if name == "features" else "right")
    x = np.zeros(X.shape[1])
    for at_most in range(1, 11):
        problem = Problem(SquaredError(), rows, AtMost(at_most))
        # The radius starts at the scale of the answer: the coefficients are in units of y.
        solver = PIHT(radius=float(y.std()), largest_radius=10 * float(y.std()))
        result = minimize(problem, solver, x, stop=radius_below(1e-6), seed=0)
        x = result.x  # the next budget starts from this answer
        # The gradient counts as zero where it is below a ten-thousandth of a standard deviation of y.
        certificate = certify(problem, result.x, tolerance=1e-4 * float(y.std()))
        table.add_row(
            str(at_most),
            " ".join(np.array(data.feature_names)[result.support]),
            f"{1 - 2 * result.value / total:.3f}",
            f"{result.value:.1f}",
            f"{certificate.l_bar:.3f}" if certificate.basic_feasible else "-",
            f"{certificate.best_exchange:.1f}" if certificate.best_exchange > 0 else "nothing",
        )
    Console().print(table)
    print(
        "The smallest L says how firmly the budget holds: no feature outside would replace one inside after a\n"
        "gradient step of 1/L. The last column is the gain that the curvature predicts for the best single exchange."
    )


if __name__ == "__main__":
    main()
