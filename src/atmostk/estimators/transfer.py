"""One estimator with the parameters and the knowledge of another."""

from __future__ import annotations

from typing import Any

KNOWN = ("n_features_in_", "feature_names_in_", "loss_", "classes_")


def same_but(model: Any, kind: type) -> Any:
    """An estimator of another kind with those parameters that it knows, and what the model has learned of its data.

    >>> from atmostk import SparseRegressor, SparseRegressorCV
    >>> same_but(SparseRegressorCV(ridge=0.5), SparseRegressor).ridge
    0.5
    """
    names = kind._get_param_names()  # pyright: ignore[reportAttributeAccessIssue]
    made = kind(**{name: getattr(model, name) for name in names})
    for name in KNOWN:
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
    return made
