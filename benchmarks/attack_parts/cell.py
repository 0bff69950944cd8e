"""One contestant on one network, in a process of its own: a line of JSON for each target, seed and number of pixels."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from atmostk.datasets import mnist
from atmostk.datasets.cache import cache_folder
from atmostk.networks import train
from atmostk.networks.lenet import lenet
from atmostk.networks.paper_cnn import train_paper_cnn
from benchmarks.attack_parts.contestants import CONTESTANTS


def trained(name: str, digits: Any) -> Any:
    """The network, trained once and then read from the cache."""
    images, labels = digits.train_images, digits.train_labels
    if name == "paper_cnn":
        return train_paper_cnn(images, labels, cache=cache_folder(), progress=True)
    return train(lenet(), images, labels, cache=cache_folder(), progress=True)


def main() -> None:
    """Read what to do as JSON from the command line; print what came out."""
    asked = json.loads(sys.argv[1])
    digits = mnist(subset=asked["subset"])
    networks = {name: trained(name, digits) for name in ("paper_cnn", "lenet")}
    network = networks.pop(asked["network"])
    (other,) = networks.values()
    test = digits.test_images, digits.test_labels
    if asked["method"].startswith("SparseAttack"):  # compiling, once on a machine, is not measured
        CONTESTANTS["SparseAttack, fast"](network, digits.train_images[:100], digits.train_labels[:100], 5, [2], 0)
    for target in asked["targets"]:
        for seed in asked["seeds"]:
            begun = time.process_time()
            counts = sorted(asked["counts"])
            found = CONTESTANTS[asked["method"]](
                network, digits.train_images, digits.train_labels, target, counts, seed
            )
            seconds = time.process_time() - begun
            for count, perturbation in found.items():
                told, over = perturbation.evaluate(network, *test), perturbation.evaluate(other, *test)
                row = {"network": asked["network"], "method": asked["method"], "target": target, "seed": seed}
                row |= {"K": count, "accuracy": told.accuracy_after, "hit": told.hit, "pixels": told.most_pixels}
                row |= {"accuracy elsewhere": over.accuracy_after, "hit elsewhere": over.hit}
                row |= {"CPU s, all K": round(seconds, 2), "numbers of K": len(counts)}
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
