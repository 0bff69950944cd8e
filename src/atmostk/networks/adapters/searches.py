"""What an adapter asks of a search, and how it is given another box, target or budget."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from atmostk import arrays


class Search(Protocol):
    """`SparseAttack`, `PIHTAttack`, or any frozen dataclass like them."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def at_most(self) -> int: ...
    @property
    def target(self) -> int | None: ...
    def fit(self, model: Any, images: Any, labels: Any = None, /) -> Any: ...


SearchT = TypeVar("SearchT", bound=Search)


def within_box(search: SearchT, low: float, high: float) -> SearchT:
    """The search on images from low to high.

    >>> from atmostk.networks import PIHTAttack
    >>> within_box(PIHTAttack(5), 0.0, 1.0).at_most
    5
    """
    if {"low", "high"} <= {field.name for field in fields(search)}:
        return replace(search, low=float(low), high=float(high))
    if (low, high) != (0, 1):
        raise ValueError(f"{type(search).__name__} takes images between 0 and 1, these lie between {low} and {high}.")
    return search


def the_one_target(targets: Any) -> int:
    """The class that all target labels name: a universal perturbation has one.

    >>> the_one_target(np.array([3, 3]))
    3
    """
    classes = np.unique(classes_of(targets))
    if len(classes) != 1:
        raise ValueError(
            f"the target labels name the classes {', '.join(map(str, classes.tolist()))}: one perturbation for all "
            "images has one target, so give every image the same."
        )
    return int(classes[0])


def classes_of(labels: Any) -> np.ndarray:
    """Labels as whole numbers, from whole numbers or from rows with a one at the class.

    >>> classes_of(np.eye(3)[[2, 0]])
    array([2, 0])
    """
    values = arrays.to_numpy(labels)
    return values.argmax(axis=1) if values.ndim == 2 else values
