"""A sparse universal attack in the calling style of torchattacks: `attack(images, labels)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from atmostk.networks.adapters.searches import Search, the_one_target

try:
    from torchattacks.attack import Attack
except ImportError as error:
    raise ImportError(
        "TorchattacksAttack needs torchattacks, which asks for older versions of much: "
        "pip install --no-deps torchattacks."
    ) from error


class TorchattacksAttack(Attack):
    """Changed images, as every attack of torchattacks gives them; the perturbation itself is `perturbation`.

    `search` says what to look for: a `SparseAttack` or a `PIHTAttack`. One perturbation serves all images, so `fit` it
    on as many as there are; the calls then apply it. A call without `fit` finds it on the images of that call. A target
    set by torchattacks' own modes goes before that of the search, and must be the same for all images.

        attack = TorchattacksAttack(model, SparseAttack(at_most=25, target=5)).fit(train_images, train_labels)
        changed = attack(test_images, test_labels)
    """

    def __init__(self, model: Any, search: Search) -> None:
        super().__init__("TorchattacksAttack", model)
        self.search = search
        self.perturbation: Any = None
        self.supported_mode = ["default", "targeted"]

    def fit(self, images: Any, labels: Any = None) -> TorchattacksAttack:
        """Find the perturbation on these images (tensors, arrays or a DataLoader); the attack itself."""
        search = self.search
        if self.targeted:
            if labels is None:
                raise ValueError("a targeted mode of torchattacks needs images and labels, not a DataLoader.")
            search = replace(search, target=the_one_target(self.get_target_label(images, labels)))
        self.perturbation = search.fit(self._network(), images, labels)
        return self

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor | None = None) -> torch.Tensor:  # pyright: ignore
        """The images with the perturbation."""
        found = self.perturbation if self.perturbation is not None else self.fit(inputs, labels).perturbation
        return found.apply(inputs).to(self.device)

    def _network(self) -> Any:
        """The model, behind torchattacks' normalisation where that is used."""
        return self.model if self.normalization_used is None else self.get_logits
