"""Attack: the paper's network on handwritten digits, and what a few pixels, the same for all images, do to it."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from atmostk.cli.tour.stop import Stop
from atmostk.report import attack_run

WHAT = "attack: the paper's network on handwritten digits, and a few pixels that fool it"
TARGET, SHOWN = 5, 25


def missing() -> str | None:
    """Why this stop has to be left out, if it has."""
    lacking = [name for name in ("torch", "safetensors", "mlxtend") if find_spec(name) is None]
    if not lacking:
        return None
    return f"the attack is left out, {', '.join(lacking)} not being installed: pip install 'atmostk[torch,mnist]'"


def stop(seed: int, quick: bool) -> Stop:
    """Train, attack for every budget, and judge on digits that neither training nor attack has seen."""
    from atmostk.datasets import mnist
    from atmostk.networks import SparseAttack
    from atmostk.networks.paper_cnn import train_paper_cnn

    digits = mnist(subset=True)
    few = 1_000 if quick else len(digits.train_labels)
    budgets = (5, SHOWN) if quick else (5, 10, SHOWN, 50)
    images, labels = digits.train_images[:few], digits.train_labels[:few]
    network = train_paper_cnn(images, labels, seed=seed, epochs=2 if quick else 10)
    attack = SparseAttack(target=TARGET, fast=True, seed=seed, max_seconds=None if quick else 100)
    searched = slice(300) if quick else slice(None)
    deltas = attack.path(budgets, network, images[searched], labels[searched])
    judged = {count: delta.evaluate(network, digits.test_images, digits.test_labels) for count, delta in deltas.items()}
    middle = judged[SHOWN]
    hit = {count: found.hit or 0.0 for count, found in judged.items()}
    headline = (
        f"{deltas[SHOWN].pixels} of 784 pixels, the same for every image, make the network take {hit[SHOWN]:.0%} of "
        f"the other digits for a {TARGET} (accuracy {middle.accuracy_before:.0%} to {middle.accuracy_after:.0%}); "
        f"{budgets[-1]} pixels {hit[budgets[-1]]:.0%}."
    )
    run = attack_run(
        deltas[SHOWN],
        middle,
        digits.test_images,
        title="Attack: handwritten digits",
        headline=headline,
        asked={
            "network": f"the paper's, trained on {few:,} digits for {2 if quick else 10} epochs",
            "target": TARGET,
            "at most": ", ".join(str(count) for count in budgets) + f" pixels; shown: {SHOWN}",
            "judged on": f"{middle.images:,} other digits",
            "seed": seed,
            "chosen budget": SHOWN,
        },
        path={
            "pixels": np.array(budgets),
            "share: right": np.array([judged[count].accuracy_after for count in budgets]),
            f"share: other digits taken for {TARGET}": np.array([hit[count] for count in budgets]),
        },
    )
    return Stop(headline, {f"hit_with_{count}_pixels": hit[count] for count in budgets}, (run,))
