"""Classification on at most K features, in scikit-learn's manner."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from atmostk.estimators.arriving.partial_fit import ArrivingClassifier
from atmostk.estimators.linear_door import Opened, opened
from atmostk.estimators.linear_search import Found, LinearSearch
from atmostk.estimators.sources import is_source, only_for_sources
from atmostk.estimators.sparse_linear import SparseLinear
from atmostk.estimators.streamed_fit import classes_of, opened_stream, streamed_search
from atmostk.objectives import Logistic, Multinomial
from atmostk.objectives.logistic import probability
from atmostk.objectives.multinomial import probabilities


class SparseClassifier(ArrivingClassifier, ClassifierMixin, SparseLinear):
    """The best logistic regression on at most `at_most` features, of two classes or of several.

    It minimises the mean log loss plus ridge / 2 times the squared coefficients (of columns with variance 1, where
    `standardize`) over all coefficients with at most so many nonzeros. With several classes a feature counts once,
    whatever the number of classes that use it; with `per_class` it counts for each class. The intercepts are free.
    The ridge is tiny: it only matters where some features separate the classes and the loss has no minimum.

    The other parameters are those of `SparseRegressor`; arrays of bounds have the shape of `coef_`.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 20))
    >>> y = np.where(X[:, 4] - X[:, 11] + np.random.default_rng(1).logistic(size=200) > 0, "yes", "no")
    >>> model = SparseClassifier(at_most=2).fit(X, y)
    >>> model.support_, model.predict(X[:3])
    (array([ 4, 11]), array(['no', 'yes', 'yes'], dtype='<U3'))
    """

    def __init__(
        self,
        at_most: int = 10,
        *,
        ridge: float = 1e-6,
        bounds: Any = None,
        groups: Any = None,
        always: Any = None,
        per_class: bool = False,
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        kicks: int = 3,
        max_seconds: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.at_most = at_most
        self.ridge = ridge
        self.bounds = bounds
        self.groups = groups
        self.always = always
        self.per_class = per_class
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.kicks = kicks
        self.max_seconds = max_seconds
        self.random_state = random_state

    classes_: np.ndarray
    intercept_: np.ndarray

    def _opened(self, X: Any, y: Any, sample_weight: Any, checkpoint: Any = None) -> LinearSearch:
        self._check_parameters()
        if is_source(X):
            stream = opened_stream(self, X, y, sample_weight, checkpoint)
            self.classes_, rows = classes_of(stream, self.class_weight)
            several = len(self.classes_) > 2
            loss = Multinomial() if several else Logistic()
            return streamed_search(self, stream, rows, loss, len(self.classes_) if several else 1)
        only_for_sources(checkpoint)
        data = opened(self, X, y, sample_weight, numeric=False, about_mean=bool(self.fit_intercept))
        self.classes_, labels, weights = encoded(data, self.class_weight)
        if len(self.classes_) == 2:
            return self._search(data, Logistic(), labels, weights, 1)
        return self._search(data, Multinomial(), labels, weights, len(self.classes_))

    def _learn(self, found: Found) -> None:
        super()._learn(found)
        self.coef_ = found.coefficients
        # The same number added to all scores changes nothing.
        several = len(found.intercepts) > 1
        self.intercept_ = found.intercepts - found.intercepts.mean() if several else found.intercepts

    def decision_function(self, X: Any) -> np.ndarray:
        """The log odds of the second class, or a score for each of several classes."""
        return self._predictor(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        z = self._predictor(X)
        if z.ndim == 1:
            second = probability(z)
            return np.column_stack((1 - second, second))
        return probabilities(z)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        z = self._predictor(X)
        return self.classes_[(z > 0).astype(np.int64) if z.ndim == 1 else z.argmax(axis=1)]


def encoded(data: Opened, class_weight: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The classes, each row's place among them, and weights with those of the classes."""
    check_classification_targets(data.y)
    classes, labels = np.unique(data.y, return_inverse=True)
    counting = labels if data.weights is None else labels[data.weights > 0]
    if len(classes) < 2 or (counting == counting[0]).all():
        raise ValueError(
            f"y holds only one class, {str(classes[counting[0]])!r}, in the rows that count: there is nothing to tell "
            "apart, give rows of at least two classes."
        )
    weights = data.weights
    if class_weight is not None:
        more: dict[str, Any] = {} if weights is None else {"sample_weight": weights}
        by_class = compute_class_weight(class_weight, classes=classes, y=data.y, **more)
        weights = by_class[labels] * (1.0 if weights is None else weights)
    return classes, labels.astype(np.float64), weights
