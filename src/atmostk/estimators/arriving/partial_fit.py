"""`partial_fit` of the linear estimators: from a batch as it comes in to coefficients with at most K nonzeros."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from atmostk.estimators.arriving.stream import Stream
from atmostk.estimators.coefficient_rules import coefficient_rules
from atmostk.estimators.linear_door import Opened, opened
from atmostk.estimators.regression_losses import checked_loss
from atmostk.objectives import Logistic, Multinomial


def _has_one_budget(estimator: Any) -> bool:
    """Folds need all rows at once: who chooses the budget by them has no partial_fit."""
    return not hasattr(estimator, "cv")


class ArrivingRegressor:
    """A regressor that also learns from data that arrives batch by batch: what `SparseRegressor` has from here.

    >>> from atmostk import SparseRegressor
    >>> issubclass(SparseRegressor, ArrivingRegressor)
    True
    """

    @available_if(_has_one_budget)
    def partial_fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from a batch more, and forget its rows: the model has at most `at_most` nonzeros at every moment.

        Signed gradients are remembered over batches (decay 0.95 for a thousand rows); a feature enters in exchange for
        another when that gains more than chance does on as many rows, and when the last 10,000 rows agree. A model
        that was fitted before goes on from its coefficients.

        >>> import numpy as np
        >>> from atmostk import SparseRegressor
        >>> rng, model = np.random.default_rng(0), SparseRegressor(at_most=2)
        >>> for _ in range(20):
        ...     X = rng.normal(size=(500, 40))
        ...     model = model.partial_fit(X, 3 * X[:, 4] - 0.2 * X[:, 11] + rng.normal(size=500))
        >>> model.support_
        array([ 4, 11])
        """
        data, stream = arrived(self, X, y, sample_weight, numeric=True)
        if stream is None:
            loss = checked_loss(self.loss)
            stream = begun(self, data, loss, 1)
            self.loss_ = loss
        self.loss_.check_target(data.y, False)
        coefficients, intercepts = learned(self, stream, data, data.y, data.weights)
        self.coef_, self.intercept_ = coefficients[0], intercepts[0]
        return self


class ArrivingClassifier:
    """A classifier that also learns from data that arrives batch by batch: what `SparseClassifier` has from here.

    >>> from atmostk import SparseClassifier
    >>> issubclass(SparseClassifier, ArrivingClassifier)
    True
    """

    @available_if(_has_one_budget)
    def partial_fit(self: Any, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn from a batch more, as `SparseRegressor.partial_fit` does.

        `classes` names all classes, on the first call; a batch need not hold them all.

        >>> import numpy as np
        >>> from atmostk import SparseClassifier
        >>> rng, model = np.random.default_rng(0), SparseClassifier(at_most=1)
        >>> for _ in range(10):
        ...     X = rng.normal(size=(500, 40))
        ...     y = np.where(2 * X[:, 7] + rng.logistic(size=500) > 0, "yes", "no")
        ...     model = model.partial_fit(X, y, classes=["no", "yes"])
        >>> model.support_
        array([7])
        """
        data, stream = arrived(self, X, y, sample_weight, numeric=False)
        check_classification_targets(data.y)
        known = self.classes_ if stream is not None or hasattr(self, "coef_") else None
        named = _named(classes, known)
        binary = len(named) == 2
        places = np.searchsorted(named, data.y)
        found = np.minimum(places, len(named) - 1)
        if (named[found] != data.y).any():
            wrong = data.y[named[found] != data.y][0]
            raise ValueError(
                f"y holds {wrong!r}, which is none of the classes {list(named)}: name all classes at first."
            )
        if stream is None:
            stream = begun(self, data, Logistic() if binary else Multinomial(), 1 if binary else len(named))
        weights = _weighted(self.class_weight, named, places, data.weights)
        coefficients, intercepts = learned(self, stream, data, places.astype(np.float64), weights)
        self.classes_, self.coef_ = named, coefficients
        self.intercept_ = intercepts if binary else intercepts - intercepts.mean()
        return self


def arrived(estimator: Any, X: Any, y: Any, sample_weight: Any, *, numeric: bool) -> tuple[Opened, Stream | None]:
    """The batch, checked, and the stream so far."""
    estimator._check_parameters()
    stream = estimator.__dict__.get("_stream")
    first = stream is None and not hasattr(estimator, "coef_")
    data = opened(
        estimator, X, y, sample_weight, numeric=numeric, about_mean=bool(estimator.fit_intercept), arriving=not first
    )
    if stream is not None and (stream.at_most, stream.ridge) != (estimator.at_most, estimator.ridge):
        raise ValueError(
            f"{type(estimator).__name__}.partial_fit: at_most or ridge were changed after the first batch: make a new "
            "model, or call fit."
        )
    return data, stream


def begun(estimator: Any, data: Opened, loss: Any, outputs: int) -> Stream:
    """The stream before its first batch; at the coefficients of a model that was fitted before."""
    rules = coefficient_rules(
        data.X.shape[1], outputs, getattr(estimator, "feature_names_in_", None), groups=estimator.groups,
        always=estimator.always, bounds=estimator.bounds, intercept=bool(estimator.fit_intercept),
        per_output=getattr(estimator, "per_class", False),
    )  # fmt: skip
    at_most = estimator._checked_budget(estimator.at_most, rules)
    stream = Stream.opened(loss, rules, at_most, ridge=estimator.ridge, standardize=bool(estimator.standardize))
    if not hasattr(estimator, "coef_"):
        return stream
    x = np.atleast_2d(estimator.coef_).T
    if rules.intercept:
        x = np.concatenate((x, np.reshape(estimator.intercept_, (1, -1))))
    return stream.starting_at(x)


def learned(
    estimator: Any, stream: Stream, data: Opened, target: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients, a row for each output, and intercepts after the batch; the estimator keeps the stream."""
    kind = data.X.dtype
    X = data.X if not hasattr(data.X, "format") else data.X.tocsr()
    weights = None if weights is None else weights.astype(kind, copy=False)
    stream = stream.seen(X, target.astype(kind, copy=False), weights, data.moments)
    estimator._stream = stream
    estimator.n_iter_ = stream.batches
    for old in ("result_", "certificate_"):
        estimator.__dict__.pop(old, None)  # they told of a fit to other rows
    features = stream.rules.units.shape[0]
    table = stream.dense().reshape(stream.rules.shape[0], -1).astype(kind)
    coefficients = table[:features].T.copy()
    kept = np.flatnonzero((stream.rules.units < 0).any(axis=1))
    estimator.support_ = np.union1d(np.flatnonzero(coefficients.any(axis=0)), kept)
    return coefficients, table[features].copy() if stream.rules.intercept else np.zeros(table.shape[1], kind)


def _named(classes: Any, known: np.ndarray | None) -> np.ndarray:
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit: name all classes of the stream.")
        return known
    named = np.unique(np.asarray(classes))
    if known is not None and not np.array_equal(named, known):
        raise ValueError(f"classes={list(named)} are not those of the first call, {list(known)}.")
    if len(named) < 2:
        raise ValueError(f"classes={list(named)}: there is nothing to tell apart, name at least two classes.")
    return named


def _weighted(
    class_weight: Any, named: np.ndarray, places: np.ndarray, weights: np.ndarray | None
) -> np.ndarray | None:
    if class_weight is None:
        return weights
    if class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' needs all rows at once: give partial_fit a dictionary {class: weight}, or weights "
            "with sample_weight."
        )
    by_class = np.array([class_weight.get(name, 1.0) for name in named.tolist()], np.float64)
    return by_class[places] * (1.0 if weights is None else weights)
