"""What any run can say of itself: how it was made, its steps, its certificate, in the words of a report."""

from __future__ import annotations

import platform
from datetime import datetime
from typing import Any

import numpy as np

from atmostk.certificate import Certificate
from atmostk.report.saved_run import Fact, Table


def made(result: Any = None, **more: Fact) -> dict[str, Fact]:
    """The versions, the day, the seconds, and why it ended."""
    from atmostk import __version__

    told: dict[str, Fact] = dict(more)
    if result is not None:
        told |= {"seconds": round(float(result.seconds), 3), "steps": result.steps, "ended because": result.stop.reason}
    told["on"] = datetime.now().strftime("%Y-%m-%d %H:%M")
    told["with"] = f"atmostk {__version__}, Python {platform.python_version()}, NumPy {np.__version__}"
    return told


def convergence(result: Any) -> dict[str, Table]:
    """The numbers of each step, those that all steps have: a table for the report, or none."""
    if result is None or len(result.history) < 2:
        return {}
    known = ("value", "accepted", "radius", "gradient_rows", "value_rows", "rows", "units")
    columns = {}
    for name in known:
        if all(hasattr(record, name) for record in result.history):
            values = np.asarray(result.history.column(name))
            if values.dtype.kind in "fiub":
                columns[name] = values
    return {"convergence": columns} if "value" in columns else {}


def certified(certificate: Certificate | None) -> dict[str, Fact]:
    """What a certificate says, in words."""
    if certificate is None:
        return {}
    seen = "all" if certificate.whole else "a sample of"
    return {
        "objective": certificate.value,
        "best single exchange": said_of_exchange(certificate.best_exchange),
        "gradient on the support": certificate.slope,
        "largest gradient outside": certificate.slope_outside,
        "L-stationary from L =": certificate.l_bar,
        "certified on": f"{seen} {certificate.rows:,} rows",
    }


def said_of_exchange(gain: float) -> str:
    """What the best single exchange would gain, in words.

    >>> said_of_exchange(0.25)
    'predicted to gain 0.25'
    """
    if np.isnan(gain):
        return "not known for this loss"
    return "none is predicted to help" if gain <= 0 else f"predicted to gain {gain:.3g}"
