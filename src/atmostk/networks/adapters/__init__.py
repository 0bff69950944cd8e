"""The attack where people already work: as an attack of ART, of Foolbox, of torchattacks.

Each needs its package, and is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atmostk.networks.adapters.art_attack import ArtAttack
    from atmostk.networks.adapters.foolbox_attack import FoolboxAttack
    from atmostk.networks.adapters.torchattacks_attack import TorchattacksAttack

__all__ = ["ArtAttack", "FoolboxAttack", "TorchattacksAttack"]

_HOME = {"ArtAttack": "art_attack", "FoolboxAttack": "foolbox_attack", "TorchattacksAttack": "torchattacks_attack"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'atmostk.networks.adapters' has no attribute {name!r}")
    return getattr(import_module(f"atmostk.networks.adapters.{_HOME[name]}"), name)
