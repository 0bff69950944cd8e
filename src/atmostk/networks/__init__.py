"""Front-end for networks: one perturbation of at most K pixels for a whole data set. Needs PyTorch.

What is named here is loaded when it is first asked for. The networks of the experiments are in `paper_cnn` and `lenet`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.networks.evaluation import Evaluation, evaluate, spread
    from atmostk.networks.models import LogProbabilities
    from atmostk.networks.perturbation import Perturbation
    from atmostk.networks.piht_attack import PIHTAttack
    from atmostk.networks.sparse_attack import SparseAttack
    from atmostk.networks.tanh_perturbation import TanhPerturbation
    from atmostk.networks.training import train

__all__ = [
    "Evaluation",
    "LogProbabilities",
    "PIHTAttack",
    "Perturbation",
    "SparseAttack",
    "TanhPerturbation",
    "evaluate",
    "spread",
    "train",
]

_HOME = {
    "Evaluation": "evaluation",
    "LogProbabilities": "models",
    "PIHTAttack": "piht_attack",
    "Perturbation": "perturbation",
    "SparseAttack": "sparse_attack",
    "TanhPerturbation": "tanh_perturbation",
    "evaluate": "evaluation",
    "spread": "evaluation",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'atmostk.networks' has no attribute {name!r}")
    try:
        return getattr(import_module(f"atmostk.networks.{_HOME[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors"):
            raise
        raise ImportError(f"atmostk.networks.{name} needs PyTorch: pip install 'atmostk[torch]'.") from None
