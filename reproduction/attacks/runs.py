"""One cell of the attack experiment: a form of the attack, a target (None: untargeted), and K, or all K of a path."""

from __future__ import annotations

from typing import Any

import numpy as np

from reproduction.attacks.data import attacked, shown
from reproduction.attacks.forms import LOGITS, OURS, PRINTED, RELEASED

# A step this short changes no pixel in single precision: the run has come to its end.
LEAST_RADIUS = 1e-12
Runs = list[dict[str, Any]]


def one_run(cell: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """What the perturbation does to the test images, and what happened on the way."""
    from atmostk.networks import SparseAttack, piht_attack

    given = attacked(settings["data"])
    train = given.digits.train_images, given.digits.train_labels
    target, seed = cell["target"], cell["seed"]
    if cell["form"] == OURS:
        attack = SparseAttack(target=target, seed=seed, fast=cell["fast"])
        path = attack.path(cell["K"], given.network, *train)
        return {"path": [{"K": K} | _judged(path[K], given) for K in cell["K"]]}
    form = {
        PRINTED: piht_attack.PRINTED, LOGITS: piht_attack.CLIPPED, RELEASED: piht_attack.RELEASED
    }[cell["form"]]  # fmt: skip
    attack = piht_attack.PIHTAttack(
        cell["K"],
        target,
        form=form,
        steps=settings["steps"],
        batch_size=settings["batch"],
        seed=seed,
        least_radius=LEAST_RADIUS,
    )
    result = attack.run(given.network, *train)
    told = {
        "accepted": int(np.sum(result.history.column("accepted"))),
        "steps": result.steps,
        "reason": result.stop.reason,
    }
    return _judged(form.answer(result.x, target), given) | told


def flat(cell: dict[str, Any], result: dict[str, Any]) -> Runs:
    """A line for each K, whether it was a cell of its own or part of a path."""
    if "path" in result:
        return [cell | line for line in result["path"]]
    return [cell | result]


def _judged(found: Any, given: Any) -> dict[str, Any]:
    """The figures' numbers, and the perturbation itself, so that its images can be drawn without it being sought."""
    import torch

    images, labels = given.digits.test_images, given.digits.test_labels
    told = found.evaluate(given.network, images, labels)
    values = np.asarray(found.shift if hasattr(found, "shift") else found.delta)[0].ravel()
    with torch.no_grad():
        before, after = (
            torch.cat([given.network(part).argmax(1) for part in torch.from_numpy(x).split(250)]).numpy()
            for x in (images, found.apply(images))
        )
    return {
        "images": told.images,
        "accuracy_before": told.accuracy_before,
        "accuracy": told.accuracy_after,
        "hit_before": told.hit_before,
        "hit": told.hit,
        "predicted_before": None if found.target is None else int(told.confusion_before[:, found.target].sum()),
        "predicted": told.predicted_as_target,
        "most_pixels": told.most_pixels,
        "mean_pixels": told.mean_pixels,
        "l2": told.norms["l2"],
        "pixels": found.support.tolist(),
        "values": [round(float(value), 5) for value in values[found.support]],
        "shown": shown(before, after, labels, found.target),
    }
