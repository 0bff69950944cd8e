"""Models in scikit-learn's manner; each is one file, loaded when first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.estimators.sparse_precision import SparsePrecision

__all__ = ["SparsePrecision"]

_LAZY = {
    "SparsePrecision": "sparse_precision",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.estimators.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.estimators' has no attribute {name!r}")
