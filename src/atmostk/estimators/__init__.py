"""Models in scikit-learn's manner; each is one file, loaded when first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.estimators.as_networkx import as_networkx
    from atmostk.estimators.graph_files.write_network import write_network
    from atmostk.estimators.precision_paths import PrecisionPath, precision_path
    from atmostk.estimators.sparse_precision import SparsePrecision
    from atmostk.estimators.sparse_precision_cv import SparsePrecisionCV
    from atmostk.estimators.stability_selection import EdgeStability, edge_stability

__all__ = [
    "EdgeStability",
    "PrecisionPath",
    "SparsePrecision",
    "SparsePrecisionCV",
    "as_networkx",
    "edge_stability",
    "precision_path",
    "write_network",
]

_LAZY = {
    "EdgeStability": "stability_selection",
    "PrecisionPath": "precision_paths",
    "SparseClassifier": "sparse_classifier",
    "SparsePrecision": "sparse_precision",
    "SparsePrecisionCV": "sparse_precision_cv",
    "as_networkx": "as_networkx",
    "edge_stability": "stability_selection",
    "precision_path": "precision_paths",
    "write_network": "graph_files.write_network",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.estimators.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.estimators' has no attribute {name!r}")
