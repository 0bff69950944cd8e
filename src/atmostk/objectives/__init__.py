"""F: the losses. Each is one file; those of a library or of compiled code load it when first asked for."""

from typing import TYPE_CHECKING, Any

from atmostk.objectives.functions import Functions
from atmostk.objectives.huber import Huber
from atmostk.objectives.intercept import WithIntercept
from atmostk.objectives.logistic import Logistic
from atmostk.objectives.multinomial import Multinomial
from atmostk.objectives.poisson import Poisson
from atmostk.objectives.ridge import WithRidge, with_ridge
from atmostk.objectives.squared_error import SquaredError

if TYPE_CHECKING:
    from atmostk.objectives.gaussian_graph import GaussianGraph
    from atmostk.objectives.jax_loss import JaxLoss
    from atmostk.objectives.torch_loss import TorchLoss

__all__ = [
    "Functions",
    "GaussianGraph",
    "Huber",
    "JaxLoss",
    "Logistic",
    "Multinomial",
    "Poisson",
    "SquaredError",
    "TorchLoss",
    "WithIntercept",
    "WithRidge",
    "with_ridge",
]

_LAZY = {"GaussianGraph": "gaussian_graph", "JaxLoss": "jax_loss", "TorchLoss": "torch_loss"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.objectives.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.objectives' has no attribute {name!r}")
