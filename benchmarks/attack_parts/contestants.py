"""Everything that finds a perturbation of at most K pixels, called alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from atmostk.networks import Perturbation, PIHTAttack, SparseAttack
from atmostk.networks.piht_attack import CLIPPED, RELEASED
from benchmarks.attack_parts.simple import greedy, pruned, random_search

ART_IMAGES = 500  # ART goes through the images one by one


def _piht(form) -> Callable[..., dict[int, Any]]:
    def run(network, images, labels, target, counts, seed):
        return {k: PIHTAttack(k, target, form=form, seed=seed).fit(network, images, labels) for k in counts}

    return run


def _ours(**settings) -> Callable[..., dict[int, Any]]:
    def run(network, images, labels, target, counts, seed):
        return SparseAttack(target=target, seed=seed, **settings).path(counts, network, images, labels)

    return run


def art_cut(network, images, labels, target, counts: Sequence[int], seed: int) -> dict[int, Perturbation]:
    """ART's universal perturbation (targeted where there is a target), cut to the K largest pixels.

    As large as the box lets it be, since what is left is to work with few pixels.
    """
    import torch
    from art.attacks.evasion import TargetedUniversalPerturbation, UniversalPerturbation
    from art.estimators.classification import PyTorchClassifier

    chosen = np.random.default_rng(seed).choice(len(images), ART_IMAGES, replace=False)
    x, y = images[chosen], labels[chosen]
    classifier = PyTorchClassifier(
        network, torch.nn.CrossEntropyLoss(), input_shape=images.shape[1:], nb_classes=10, clip_values=(0, 1),
        device_type="cpu",
    )  # fmt: skip
    common = {"max_iter": 2, "eps": 1.0, "norm": np.inf}
    np.random.seed(seed)  # noqa: NPY002  (ART draws from there)
    if target is None:
        attack = UniversalPerturbation(
            classifier, attacker="fgsm", attacker_params={"eps": 0.1}, verbose=False, **common
        )
        attack.generate(x, y)
    else:
        wanted = np.eye(10, dtype=np.float32)[np.full(len(x), target)]
        params = {"eps": 0.5, "targeted": True}  # with less it reaches the target from no image
        attack = TargetedUniversalPerturbation(classifier, attacker="fgsm", attacker_params=params, **common)
        attack.generate(x, wanted)
    noise = np.asarray(attack.noise, np.float32).reshape(images.shape[1:])
    order = np.argsort(-np.abs(noise).sum(axis=0).ravel(), kind="stable")
    found = {}
    for count in counts:
        mask = np.zeros(order.size, np.float32)
        mask[order[:count]] = 1
        found[count] = Perturbation(noise * mask.reshape(1, *noise.shape[1:]), target=target)
    return found


CONTESTANTS: dict[str, Callable[..., dict[int, Any]]] = {
    "PIHT, tanh, as released": _piht(RELEASED),
    "PIHT, clipped": _piht(CLIPPED),
    "ART universal, cut": art_cut,
    "random search": random_search,
    "greedy": greedy,
    "dense, pruned": pruned,
    "SparseAttack, fast": _ours(fast=True),
    "SparseAttack": _ours(),
}
