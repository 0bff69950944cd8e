"""A linear model in a file: JSON that a person can read, with the chosen features alone; checked when it is read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

FORMAT = "atmostk model 1"
KINDS = ("regressor", "classifier")


@dataclass(frozen=True)
class LinearModel:
    """What `atmostk fit` has found. `coefficients` has a row for each score: one, or one for each of several classes.

    `loss_settings` are the loss' own, such as Huber's threshold. `asked` is what the model was asked for, `quality`
    what was found about it: for a reader, and for `certify`.

    >>> model = LinearModel("regressor", "squared_error", "y", ["a", "b"], [[2.0, -1.0]], [0.5])
    >>> read_model(model.text(), "a file").predict(np.array([[1.0, 1.0]])).tolist()
    [1.5]
    """

    kind: str
    loss: str
    target: str
    features: list[str]
    coefficients: list[list[float]]
    intercept: list[float]
    classes: list[str] | list[float] | None = None
    loss_settings: dict[str, float] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    quality: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def estimator(self) -> Any:
        """The fitted scikit-learn estimator, whose columns are the chosen features in the order of the file."""
        import atmostk

        coefficients = np.array(self.coefficients, dtype=np.float64)
        fitted: Any
        if self.kind == "classifier":
            fitted = atmostk.SparseClassifier(at_most=len(self.features))
            fitted.classes_, fitted.coef_ = np.array(self.classes), coefficients
            fitted.intercept_ = np.array(self.intercept)
        else:
            fitted = atmostk.SparseRegressor(at_most=len(self.features), loss=self.loss)
            fitted.loss_, fitted.coef_, fitted.intercept_ = self.regression_loss(), coefficients[0], self.intercept[0]
        fitted.n_features_in_ = len(self.features)
        fitted.support_ = np.arange(len(self.features))
        return fitted

    def regression_loss(self) -> Any:
        """The loss that a regressor was fitted with, its settings included."""
        from atmostk.estimators.regression_losses import LOSSES, checked_loss

        return LOSSES[self.loss](**self.loss_settings) if self.loss in LOSSES else checked_loss(self.loss)

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for rows of the chosen features."""
        return self.estimator().predict(X)


def read_model(text: str, where: str) -> LinearModel:
    """The model in a file from outside, or one sentence about what is wrong with it."""
    try:
        told = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{where} is no model of atmostk: it is not readable as JSON ({error}).") from None
    if not isinstance(told, dict) or not str(told.get("format", "")).startswith("atmostk model"):
        raise ValueError(f"{where} is no model of atmostk: 'atmostk fit ... --out model.json' writes one.")
    if told["format"] != FORMAT:
        raise ValueError(f"{where} was written by another version of atmostk ({told['format']}), not {FORMAT!r}.")
    try:
        model = LinearModel(**{name: value for name, value in told.items() if name != "format"})
        trouble = _trouble(model)
        if trouble is None and model.kind == "regressor":
            model.regression_loss()
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{where} is a damaged model file: {error}.") from None
    if trouble:
        raise ValueError(f"{where} is a damaged model file: {trouble}.")
    return model


def _trouble(model: LinearModel) -> str | None:
    """What is wrong with a model, if anything is."""
    if model.kind not in KINDS:
        return f"kind is {model.kind!r}, not one of {', '.join(KINDS)}"
    if not all(isinstance(name, str) for name in (model.loss, model.target)):
        return "loss and target must be names"
    if not isinstance(model.features, list) or not all(isinstance(name, str) for name in model.features):
        return "features must be a list of names"
    if len(set(model.features)) < len(model.features):
        return "a feature is in it twice"
    outputs = 1
    if model.kind == "classifier":
        if not isinstance(model.classes, list) or len(model.classes) < 2:
            return "a classifier needs the names of two classes or more"
        outputs = len(model.classes) if len(model.classes) > 2 else 1
    if not _are_numbers(model.intercept, outputs):
        return f"intercept must be a list of {outputs} finite numbers"
    rows: Sequence[Any] = model.coefficients
    if len(rows) != outputs or not all(_are_numbers(row, len(model.features)) for row in rows):
        return f"coefficients must be {outputs} lists of {len(model.features)} finite numbers"
    if not isinstance(model.loss_settings, Mapping) or not _are_numbers(
        list(model.loss_settings.values()), len(model.loss_settings)
    ):
        return "loss_settings must be finite numbers by name"
    if not all(isinstance(part, Mapping) for part in (model.asked, model.quality, model.made)):
        return "asked, quality and made must be objects"
    return None


def _are_numbers(values: Any, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        and all(math.isfinite(value) for value in values)
    )
