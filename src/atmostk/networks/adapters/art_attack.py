"""A sparse universal attack as an `EvasionAttack` of the Adversarial Robustness Toolbox."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import torch

from atmostk.networks.adapters.searches import Search, classes_of, the_one_target, within_box

try:
    from art.attacks.attack import EvasionAttack
    from art.estimators.classification.classifier import ClassifierMixin
    from art.estimators.pytorch import PyTorchEstimator
except ImportError as error:
    raise ImportError("ArtAttack needs ART: pip install adversarial-robustness-toolbox packaging.") from error


class ArtAttack(EvasionAttack):
    """`generate(x)` finds one perturbation for all of x and returns the changed images; `noise` is the perturbation.

    `search` says what to look for, and how: a `SparseAttack` or a `PIHTAttack`. Box and preprocessing are those of the
    classifier, an `art.estimators.classification.PyTorchClassifier` that gives logits.

        attack = ArtAttack(classifier, SparseAttack(at_most=25, target=5))
        changed = attack.generate(x_train)
        attack.noise                               # of shape (channels, height, width)
        attack.perturbation.apply(x_test)
    """

    attack_params: ClassVar[list[str]] = [*EvasionAttack.attack_params, "search"]  # pyright: ignore  (ART's own way)
    _estimator_requirements = (PyTorchEstimator, ClassifierMixin)

    def __init__(self, classifier: Any, search: Search) -> None:
        super().__init__(estimator=classifier)
        self.search = search
        self._targeted = search.target is not None
        self.perturbation: Any = None

    @property
    def noise(self) -> np.ndarray | None:
        """What is added to every image, once `generate` has found it."""
        return None if self.perturbation is None else self.perturbation.delta

    def generate(self, x: np.ndarray, y: np.ndarray | None = None, **kwargs: Any) -> np.ndarray:
        """Images with the perturbation that was found on them.

        As everywhere in ART, y holds the right labels (those the classifier gives, when it is left out), and in a
        targeted attack the target for each image, which here is the same for all.
        """
        if kwargs:
            raise TypeError(f"generate takes x and y, not {', '.join(sorted(kwargs))}.")
        if self.search.target is not None and y is not None and the_one_target(y) != self.search.target:
            raise ValueError(f"y names the target {the_one_target(y)}, the search was made with {self.search.target}.")
        low, high = (0.0, 1.0) if self.estimator.clip_values is None else map(float, self.estimator.clip_values)
        known = y is not None and self.search.target is None
        labels = classes_of(y if known else self.estimator.predict(x))
        self.perturbation = within_box(self.search, low, high).fit(self._model(), x, labels)
        return self.perturbation.apply(x)

    def _model(self) -> Any:
        """The network itself where nothing is done to the images before it, so that its layers can be seen."""
        if not self.estimator.preprocessing_operations:
            return self.estimator.model
        return self._through_art

    def _through_art(self, images: torch.Tensor) -> torch.Tensor:
        return self.estimator._predict_framework(images)[0]
