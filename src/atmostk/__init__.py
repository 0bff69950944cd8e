"""Learning models with at most K nonzeros: K features, K edges, K pixels.

Importing this package loads NumPy and the loop; scikit-learn, PyTorch and the rest are loaded when something of
theirs is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from atmostk.certificate import Certificate, certify
from atmostk.constraints import AtMost
from atmostk.minimize import Result, minimize
from atmostk.problem import Problem
from atmostk.sample import Sample
from atmostk.solvers.exchange import Exchange
from atmostk.solvers.iht import IHT
from atmostk.solvers.piht import PIHT

if TYPE_CHECKING:
    from atmostk import datasets, estimators, inference, networks, report
    from atmostk.estimators.sparse_classifier import SparseClassifier
    from atmostk.estimators.sparse_classifier_cv import SparseClassifierCV
    from atmostk.estimators.sparse_paths import sparse_path
    from atmostk.estimators.sparse_precision import SparsePrecision
    from atmostk.estimators.sparse_precision_cv import SparsePrecisionCV
    from atmostk.estimators.sparse_regressor import SparseRegressor
    from atmostk.estimators.sparse_regressor_cv import SparseRegressorCV

__version__ = "0.1.0"

__all__ = [
    "IHT",
    "PIHT",
    "AtMost",
    "Certificate",
    "Exchange",
    "Problem",
    "Result",
    "Sample",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparsePrecision",
    "SparsePrecisionCV",
    "SparseRegressor",
    "SparseRegressorCV",
    "certify",
    "datasets",
    "estimators",
    "inference",
    "minimize",
    "networks",
    "report",
    "sparse_path",
]

# Loaded when it is first asked for: folders, and names out of a folder.
_FOLDERS = ("datasets", "estimators", "inference", "networks", "report")
_HOME: dict[str, str] = {
    "SparseClassifier": "estimators.sparse_classifier",
    "SparseClassifierCV": "estimators.sparse_classifier_cv",
    "SparsePrecision": "estimators.sparse_precision",
    "SparsePrecisionCV": "estimators.sparse_precision_cv",
    "SparseRegressor": "estimators.sparse_regressor",
    "SparseRegressorCV": "estimators.sparse_regressor_cv",
    "sparse_path": "estimators.sparse_paths",
}


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return import_module(f"atmostk.{name}")
    if name in _HOME:
        return getattr(import_module(f"atmostk.{_HOME[name]}"), name)
    raise AttributeError(f"module 'atmostk' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
