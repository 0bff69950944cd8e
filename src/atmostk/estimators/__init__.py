"""Models in scikit-learn's manner; each is one file, loaded when first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.estimators.as_networkx import as_networkx
    from atmostk.estimators.graph_files.write_network import write_network
    from atmostk.estimators.sparse_precision import SparsePrecision
    from atmostk.estimators.sparse_precision_cv import SparsePrecisionCV

__all__ = ["SparsePrecision", "SparsePrecisionCV", "as_networkx", "write_network"]

_LAZY = {
    "SparseClassifier": "sparse_classifier",
    "SparsePrecision": "sparse_precision",
    "SparsePrecisionCV": "sparse_precision_cv",
    "as_networkx": "as_networkx",
    "write_network": "graph_files.write_network",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.estimators.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.estimators' has no attribute {name!r}")
