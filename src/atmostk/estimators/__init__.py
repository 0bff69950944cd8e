"""Models in scikit-learn's manner; each is one file, loaded when first asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.estimators.as_networkx import as_networkx
    from atmostk.estimators.graph_files.write_network import write_network
    from atmostk.estimators.path_plots import plot_cv, plot_path
    from atmostk.estimators.precision_paths import PrecisionPath, precision_path
    from atmostk.estimators.sparse_classifier import SparseClassifier
    from atmostk.estimators.sparse_classifier_cv import SparseClassifierCV
    from atmostk.estimators.sparse_paths import SparsePath, sparse_path
    from atmostk.estimators.sparse_precision import SparsePrecision
    from atmostk.estimators.sparse_precision_cv import SparsePrecisionCV
    from atmostk.estimators.sparse_regressor import SparseRegressor
    from atmostk.estimators.sparse_regressor_cv import SparseRegressorCV
    from atmostk.estimators.stability_selection import EdgeStability, edge_stability

__all__ = [
    "EdgeStability",
    "PrecisionPath",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparsePath",
    "SparsePrecision",
    "SparsePrecisionCV",
    "SparseRegressor",
    "SparseRegressorCV",
    "as_networkx",
    "edge_stability",
    "plot_cv",
    "plot_path",
    "precision_path",
    "sparse_path",
    "write_network",
]

_LAZY = {
    "EdgeStability": "stability_selection",
    "PrecisionPath": "precision_paths",
    "SparseClassifier": "sparse_classifier",
    "SparseClassifierCV": "sparse_classifier_cv",
    "SparsePath": "sparse_paths",
    "SparsePrecision": "sparse_precision",
    "SparsePrecisionCV": "sparse_precision_cv",
    "SparseRegressor": "sparse_regressor",
    "SparseRegressorCV": "sparse_regressor_cv",
    "as_networkx": "as_networkx",
    "edge_stability": "stability_selection",
    "precision_path": "precision_paths",
    "plot_cv": "path_plots",
    "plot_path": "path_plots",
    "sparse_path": "sparse_paths",
    "write_network": "graph_files.write_network",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.estimators.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.estimators' has no attribute {name!r}")
