"""F: the losses. Each is one file; those of a library or of compiled code load it when first asked for."""

from typing import TYPE_CHECKING, Any

from atmostk.objectives.functions import Functions
from atmostk.objectives.gamma import Gamma
from atmostk.objectives.huber import Huber
from atmostk.objectives.intercept import WithIntercept
from atmostk.objectives.logistic import Logistic
from atmostk.objectives.multinomial import Multinomial
from atmostk.objectives.poisson import Poisson
from atmostk.objectives.quantile import Quantile
from atmostk.objectives.ridge import WithRidge, with_ridge
from atmostk.objectives.squared_error import SquaredError
from atmostk.objectives.tweedie import Tweedie

if TYPE_CHECKING:
    from atmostk.objectives.carlini_wagner import CarliniWagner
    from atmostk.objectives.gaussian_graph import GaussianGraph
    from atmostk.objectives.jax_loss import JaxLoss
    from atmostk.objectives.tanh_carlini_wagner import TanhCarliniWagner
    from atmostk.objectives.torch_loss import TorchLoss

__all__ = [
    "CarliniWagner",
    "Functions",
    "Gamma",
    "GaussianGraph",
    "Huber",
    "JaxLoss",
    "Logistic",
    "Multinomial",
    "Poisson",
    "Quantile",
    "SquaredError",
    "TanhCarliniWagner",
    "TorchLoss",
    "Tweedie",
    "WithIntercept",
    "WithRidge",
    "with_ridge",
]

_LAZY = {
    "CarliniWagner": "carlini_wagner",
    "GaussianGraph": "gaussian_graph",
    "JaxLoss": "jax_loss",
    "TanhCarliniWagner": "tanh_carlini_wagner",
    "TorchLoss": "torch_loss",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(f"atmostk.objectives.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'atmostk.objectives' has no attribute {name!r}")
