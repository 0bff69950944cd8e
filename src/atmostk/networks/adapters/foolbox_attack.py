"""A sparse universal attack as an attack of Foolbox, whose epsilon is the number of pixels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from atmostk.networks.adapters.searches import Search, the_one_target, within_box

try:
    from eagerpy.astensor import astensor, astensor_, astensors_
    from foolbox.attacks.base import FixedEpsilonAttack
    from foolbox.criteria import Misclassification, TargetedMisclassification
    from foolbox.distances import Distance
except ImportError as error:
    raise ImportError("FoolboxAttack needs Foolbox: pip install foolbox.") from error


class Pixels(Distance):
    """How many pixels differ: a pixel counts once, whatever its channels."""

    def __call__(self, reference: Any, perturbed: Any) -> Any:
        """One number for each image, (N, channels, height, width)."""
        (before, after), restore = astensors_(reference, perturbed)
        changed = (before != after).any(axis=1)
        return restore(changed.astype(before.dtype).flatten(start=1).sum(axis=1))

    def clip_perturbation(self, references: Any, perturbed: Any, epsilon: float) -> Any:
        """The images as they are: the search keeps its budget."""
        return perturbed


class FoolboxAttack(FixedEpsilonAttack):
    """One perturbation for the whole batch, of at most epsilon pixels.

    `search` says how to look for it: a `SparseAttack` or a `PIHTAttack`, whose number of pixels and target give way to
    Foolbox's epsilon and criterion (`Misclassification`, or `TargetedMisclassification` with one target for all).
    `perturbations` holds what was found for each number of pixels.

        attack = FoolboxAttack(SparseAttack(at_most=25))
        raw, clipped, is_adversarial = attack(fmodel, images, labels, epsilons=[5, 25])
        attack.perturbations[25].save("delta.safetensors")
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        self.perturbations: dict[int, Any] = {}

    @property
    def distance(self) -> Distance:
        """The number of pixels."""
        return Pixels()

    def run(self, model: Any, inputs: Any, criterion: Any, *, epsilon: float, **kwargs: Any) -> Any:
        """The images with the perturbation that was found on them."""
        if kwargs:
            raise TypeError(f"FoolboxAttack takes no {', '.join(sorted(kwargs))}.")
        if epsilon != int(epsilon) or epsilon < 1:
            raise ValueError(f"epsilon={epsilon}: here it is a number of pixels, a whole number of 1 or more.")
        x, restore = astensor_(inputs)
        images = x.raw
        if not isinstance(images, torch.Tensor):
            raise TypeError(f"FoolboxAttack takes PyTorch tensors, these images are {type(images).__name__}.")
        if isinstance(criterion, TargetedMisclassification):
            target = the_one_target(criterion.target_classes.raw)
            with torch.no_grad():
                labels = model(images).argmax(1)
        elif isinstance(criterion, Misclassification):
            target, labels = None, criterion.labels.raw
        else:
            raise ValueError(f"FoolboxAttack aims at misclassification, targeted or not, and not at {criterion!r}.")
        low, high = model.bounds
        search = within_box(replace(self.search, at_most=int(epsilon), target=target), low, high)
        found = search.fit(lambda changed: model(changed), images, labels)
        self.perturbations[int(epsilon)] = found
        return restore(astensor(found.apply(images)))
