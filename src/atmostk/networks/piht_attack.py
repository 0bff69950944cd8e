"""The paper's own attack: Algorithm 1 on the Carlini-Wagner objective, in the three forms that exist of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from atmostk.constraints import AtMostGroups
from atmostk.minimize import Result, minimize
from atmostk.networks.images import check_classes, chunk_length, read_images
from atmostk.networks.models import Logits, ready
from atmostk.networks.perturbation import Perturbation
from atmostk.networks.tanh_perturbation import TanhPerturbation
from atmostk.networks.threads import torch_threads
from atmostk.objectives.carlini_wagner import CarliniWagner
from atmostk.objectives.tanh_carlini_wagner import TanhCarliniWagner
from atmostk.problem import Objective, Problem
from atmostk.samplers import Rows
from atmostk.solvers.piht import PIHT
from atmostk.solvers.sample_size import Fixed
from atmostk.stopping import after_seconds, after_steps, radius_below


@dataclass(frozen=True)
class Form:
    """What the objective is, which thresholds accept a step, and what image a solution makes."""

    objective: Callable[[Logits, int | None, float, int], Objective]
    threshold: float  # eta_1 and eta_2
    whole_slope: bool  # of which gradient the test takes the norm (paper note 5)
    answer: Callable[[np.ndarray, int | None], Perturbation | TanhPerturbation]


def _clipped(x: np.ndarray, target: int | None) -> Perturbation:
    # Beyond the width of the box a value changes nothing more.
    return Perturbation(np.clip(x, -1, 1), target=target)


CLIPPED = Form(
    lambda logits, target, weight, chunk: CarliniWagner(logits, target, weight, chunk=chunk), 1e-4, False, _clipped
)
PRINTED = Form(
    lambda logits, target, weight, chunk: CarliniWagner(
        lambda images: logits(images).softmax(1), target, weight, chunk=chunk
    ),
    1e-4,
    False,
    _clipped,
)
RELEASED = Form(
    lambda logits, target, weight, chunk: TanhCarliniWagner(logits, target, weight, chunk), 1e-3, True, TanhPerturbation
)


@dataclass(frozen=True)
class PIHTAttack:
    """One perturbation of at most K pixels, found as the paper finds it: 100 steps, batches of 1000, c = 2.

    | form | scores | box | untargeted | thresholds |
    |---|---|---|---|---|
    | `PRINTED` | probabilities, as the paper's formula has it | clipping | the sample's class | 1e-4 |
    | `CLIPPED` | logits: the paper's formula where it can work (paper note 10) | clipping | the sample's class | 1e-4 |
    | `RELEASED` | logits | tanh, rounded down to grey levels | best minus second best | 1e-3 |

    This is what `SparseAttack` is measured against; for an attack that works with few pixels take that one. Images lie
    between 0 and 1.

        found = PIHTAttack(at_most=50, target=5).fit(network, images, labels)
        print(found.evaluate(network, test_images, test_labels))
    """

    at_most: int
    target: int | None = None
    form: Form = CLIPPED
    weight: float = 2.0
    steps: int = 100
    batch_size: int = 1000
    seed: int = 0
    threads: int = 1
    max_seconds: float | None = None
    least_radius: float = 0.0  # below it the run ends: 1e-12 changes no pixel in single precision
    progress: bool = False

    def fit(self, model: Any, images: Any, labels: Any = None) -> Perturbation | TanhPerturbation:
        """The perturbation that the run ends with; images and model are whatever `SparseAttack` takes."""
        return self.form.answer(self.run(model, images, labels).x, self.target)

    def run(self, model: Any, images: Any, labels: Any = None) -> Result:
        """The run itself, with its history: radii, accepted steps, values."""
        images, labels = read_images(images, labels)
        channels, height, width = (int(size) for size in images.shape[1:])
        constraint = AtMostGroups(self.at_most, groups=np.tile(np.arange(height * width), channels))
        if self.at_most > height * width:
            raise ValueError(
                f"at_most={self.at_most}: an image has {height * width} pixels, so it must be at most that."
            )
        rows = Rows(images.contiguous().view(len(images), -1), labels)
        stop = [after_steps(self.steps)]
        if self.least_radius > 0:
            stop.append(radius_below(self.least_radius))
        if self.max_seconds is not None:
            stop.append(after_seconds(self.max_seconds))
        solver = PIHT(
            decrease=self.form.threshold,
            least_slope=self.form.threshold,
            whole_slope=self.form.whole_slope,
            sample_size=Fixed(self.batch_size),
        )
        with torch_threads(self.threads), ready(model) as logits:
            with torch.no_grad():
                check_classes(labels, logits(images[:2]).shape[1], self.target)
            objective = self.form.objective(logits, self.target, self.weight, chunk_length(images))
            start = np.zeros((channels, height, width), np.float32)
            problem = Problem(objective, rows, constraint)
            return minimize(problem, solver, start, stop=stop, seed=self.seed, progress=self.progress)
