"""What `atmostk fit` asks of the linear estimators, and what it has to tell, to write and to report afterwards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from atmostk.cli import outputs
from atmostk.cli.model_file import LinearModel
from atmostk.cli.options import numbers
from atmostk.cli.shell import note
from atmostk.datasets.table import Table

CLASS_LOSSES = ("logistic", "multinomial")
MOST_TRIED = 30  # budgets of a cross-validation for which none were named


@dataclass(frozen=True)
class Asked:
    """What a person wants of the fit; `at_most` is empty where cross-validation may try whatever it likes."""

    at_most: tuple[int, ...] = ()
    cv: bool = False
    folds: int = 5
    frugal: bool = False  # the smallest budget within one standard error of the best
    classify: bool | None = None
    loss: str | None = None
    ridge: float = 0.0
    always: tuple[str, ...] = ()
    non_negative: bool = False
    kicks: int | None = None
    seed: int = 0
    max_seconds: float | None = None


def budgets(text: str | None, cv: bool) -> tuple[int, ...]:
    """The numbers of features that --at-most names."""
    if text is None:
        if not cv:
            raise ValueError("say how many features with --at-most 10, or let cross-validation choose with --cv.")
        return ()
    found = tuple(numbers(text, "--at-most"))
    if len(found) > 1 and not cv:
        raise ValueError(f"--at-most {text} names {len(found)} budgets: add --cv to choose among them, or name one.")
    return found


def classes_wanted(classify: bool | None, loss: str | None) -> bool | None:
    """Whether the target holds classes, where the options say so."""
    by_loss = None if loss is None else loss in CLASS_LOSSES
    if classify is not None and by_loss is not None and classify != by_loss:
        raise ValueError(f"--loss {loss} is for {'classes' if by_loss else 'amounts'}: drop one of the two options.")
    return by_loss if classify is None else classify


def fitted(
    asked: Asked, table: Table, target: str, where: str, working: Callable[[str], AbstractContextManager[None]]
) -> Found:
    """Fit, with a line about what is done."""
    assert table.y is not None
    classify = are_classes(table.y) if asked.classify is None else asked.classify
    if not classify and table.y.dtype.kind == "U":
        word = next(word for word in table.y if not _is_number(word))
        raise ValueError(f"{where}: the target {target!r} holds words ({word!r}): --regress needs numbers.")
    n, p = table.X.shape
    if asked.cv and n < asked.folds:
        raise ValueError(f"{where} has {n} rows, too few for --folds {asked.folds}: name at most so many.")
    tried = asked.at_most or tuple(range(1, min(MOST_TRIED, p, max(1, n // 2)) + 1))
    y = _labels(table.y) if classify else table.y
    told = f"{'classes' if classify else 'amounts'} of {target!r}, {n:,} rows, {p:,} features"
    if asked.cv:
        what = f"choosing among {tried[0]} to {tried[-1]} features by {asked.folds}-fold cross-validation ({told})"
    else:
        what = f"choosing {tried[0]} features ({told})"
    with working(what):
        model = estimator(asked, tried, classify, table).fit(table.X, y, sample_weight=table.weights)
    return Found(replace(asked, at_most=tried, classify=classify), table, target, where, model)


def estimator(asked: Asked, tried: tuple[int, ...], classify: bool, table: Table) -> Any:
    """The estimator that is asked for, not yet fitted."""
    import atmostk

    for name in asked.always:
        if name not in table.names:
            raise ValueError(f"--always {name}: there is no such feature.")
    more: dict[str, Any] = {"ridge": asked.ridge, "random_state": asked.seed, "max_seconds": asked.max_seconds}
    if asked.always:
        more["always"] = [table.names.index(name) for name in asked.always]
    if asked.non_negative:
        more["bounds"] = (0.0, None)
    if asked.kicks is not None:
        more["kicks"] = asked.kicks
    if not classify and asked.loss is not None:
        more["loss"] = asked.loss
    if asked.cv:
        from sklearn.model_selection import KFold, StratifiedKFold

        # Files are often sorted, by the target as likely as not: the folds are drawn.
        drawn = StratifiedKFold if classify else KFold
        folds = drawn(asked.folds, shuffle=True, random_state=asked.seed)
        kind = atmostk.SparseClassifierCV if classify else atmostk.SparseRegressorCV
        return kind(at_most=list(tried), cv=folds, one_standard_error=asked.frugal, **more)
    return (atmostk.SparseClassifier if classify else atmostk.SparseRegressor)(at_most=tried[0], **more)


@dataclass(frozen=True)
class Found:
    """A fitted model and where it comes from."""

    asked: Asked
    table: Table
    target: str
    where: str
    fitted: Any
    held_out: float | None = None

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return "interrupted" in self.fitted.result_.stop.reason

    @property
    def chosen(self) -> list[str]:
        """The names of the features in the model."""
        return [self.table.names[place] for place in self.fitted.support_]

    @property
    def measure(self) -> str:
        """What a score is called."""
        return "accuracy" if self.asked.classify else "R^2"

    def scored(self, held: Table) -> Found:
        """With the score on rows that were kept apart."""
        y = _labels(held.y) if self.asked.classify else held.y
        return replace(self, held_out=float(self.fitted.score(held.X, y)))

    def quality(self) -> dict[str, Any]:
        """Scores, as far as they are known."""
        y = _labels(self.table.y) if self.asked.classify else self.table.y
        told = {f"{self.measure} on these rows": float(self.fitted.score(self.table.X, y, self.table.weights))}
        if self.held_out is not None:
            told[f"{self.measure} on held-out rows"] = self.held_out
        return told

    def told(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and tables for standard output."""
        from atmostk.report.feature_run import answer, linear_path
        from atmostk.report.made import said_of_exchange

        certificate = self.fitted.certificate_
        facts = {
            "features": len(self.chosen),
            "candidates": len(self.table.names),
            **self.quality(),
            "objective": certificate.value,
            "best exchange": outputs.Said(said_of_exchange(certificate.best_exchange), certificate.best_exchange),
            "ended": self.fitted.result_.stop.reason,
        }
        chosen = {"chosen": answer(self.fitted, self.table.names, self._spread())}
        path = linear_path(self.fitted)
        return facts, chosen if path is None else {"path": path, **chosen}

    def model(self) -> LinearModel:
        """What is written to the model's file."""
        from atmostk import __version__

        classes = getattr(self.fitted, "classes_", None)
        coefficients = np.atleast_2d(self.fitted.coef_)[:, self.fitted.support_]
        certificate = self.fitted.certificate_
        loss = ("logistic" if len(classes) == 2 else "multinomial") if classes is not None else self.asked.loss
        return LinearModel(
            kind="regressor" if classes is None else "classifier",
            loss=loss or "squared_error",
            target=self.target,
            features=self.chosen,
            coefficients=np.asarray(coefficients, dtype=np.float64).tolist(),
            intercept=np.atleast_1d(np.asarray(self.fitted.intercept_, dtype=np.float64)).tolist(),
            classes=None if classes is None else classes.tolist(),
            loss_settings={} if classes is not None else _settings(self.fitted.loss_),
            asked={
                "at_most": len(self.chosen) if self.asked.cv else self.asked.at_most[0],
                "ridge": self.asked.ridge,
                "always": list(self.asked.always),
                "non_negative": self.asked.non_negative,
                "seed": self.asked.seed,
            },
            quality={**self.quality(), "objective": float(certificate.value)},
            made={"atmostk": __version__, "data": self.where, "rows": self.table.X.shape[0]},
        )

    def run(self) -> Any:
        """The run, to be kept for a report."""
        from atmostk.report.feature_run import feature_run, linear_path

        n, p = self.table.X.shape
        asked = {
            "data": self.where,
            "rows": n,
            "features": p,
            "target": self.target,
            "at most": "chosen by cross-validation" if self.asked.cv else self.asked.at_most[0],
            "loss": self.model().loss,
            "ridge": self.asked.ridge,
            "seed": self.asked.seed,
            "chosen budget": len(self.chosen),
        }
        *_, (measure, score) = [("objective", float(self.fitted.certificate_.value)), *self.quality().items()]
        return feature_run(
            self.fitted,
            self.table.names,
            title=f"{self.target} from {self.where}",
            headline=f"{len(self.chosen)} of {p} features; {measure}: {score:.3f}.",
            spread=self._spread(),
            asked=asked,
            quality=self.quality(),
            path=linear_path(self.fitted),
        )

    def _spread(self) -> np.ndarray | None:
        from atmostk.estimators.column_variances import column_variances

        return np.sqrt(column_variances(self.table.X, self.table.weights, True))


def _settings(loss: Any) -> dict[str, float]:
    """The numbers of a loss, such as the threshold that Huber's has from the data."""
    return {part.name: float(getattr(loss, part.name)) for part in fields(loss)}


def are_classes(y: np.ndarray) -> bool:
    """Words, or two different numbers; a note where that could have been meant otherwise."""
    if y.dtype.kind == "U":
        return True
    values = np.unique(y)
    if len(values) == 2:
        return True
    if len(values) <= 10 and np.array_equal(values, values.round()):
        note(f"the target holds {len(values)} different whole numbers, read as amounts; --classify makes them classes.")
    return False


def _labels(y: Any) -> np.ndarray:
    """Classes as they are told: whole numbers without their .0."""
    if y.dtype.kind == "f" and np.array_equal(y, y.round()):
        return y.astype(np.int64)
    return y


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
