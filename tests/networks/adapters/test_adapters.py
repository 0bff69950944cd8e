"""The attack inside ART, Foolbox and torchattacks is the attack itself, behind their own calls."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from atmostk.networks import PIHTAttack, SparseAttack

SEARCH = PIHTAttack(10, target=1, steps=25, batch_size=100)
UNTARGETED = PIHTAttack(10, steps=25, batch_size=100)


@pytest.fixture
def tensors(pictures):
    images, labels = pictures
    return torch.from_numpy(images), torch.from_numpy(labels)


@pytest.fixture
def predicted(network, tensors):
    with torch.no_grad():
        return network(tensors[0]).argmax(1)


class TestArt:
    @pytest.fixture
    def classifier(self, network):
        classification = pytest.importorskip("art.estimators.classification")
        loss = torch.nn.CrossEntropyLoss()
        return lambda **more: classification.PyTorchClassifier(
            network, loss, (1, 8, 8), 4, clip_values=(0.0, 1.0), device_type="cpu", **more
        )

    def test_generate_changes_the_images_by_the_noise(self, classifier, network, pictures, predicted) -> None:
        from atmostk.networks.adapters import ArtAttack

        images, _ = pictures
        attack = ArtAttack(classifier(), SEARCH)
        assert attack.targeted
        assert attack.noise is None
        changed = attack.generate(images)
        assert_array_equal(changed, np.clip(images + attack.noise, 0, 1))
        assert_allclose(attack.noise, SEARCH.fit(network, images, predicted).delta, atol=1e-5)
        assert (attack.noise != 0).sum() <= 10
        hits = attack.estimator.predict(changed).argmax(1) == 1
        assert hits.mean() > (predicted == 1).float().mean() + 0.1

    def test_labels_may_be_one_hot_or_numbers_and_default_to_the_predictions(self, classifier, pictures, predicted):
        from atmostk.networks.adapters import ArtAttack

        images, _ = pictures
        ways = (None, predicted.numpy(), np.eye(4)[predicted.numpy()])
        noises = []
        for way in ways:
            attack = ArtAttack(classifier(), UNTARGETED)
            attack.generate(images, way)
            noises.append(attack.noise)
        assert_array_equal(noises[1], noises[0])
        assert_array_equal(noises[2], noises[0])

    def test_the_classifiers_preprocessing_is_gone_through(self, classifier, network, pictures) -> None:
        from atmostk.networks.adapters import ArtAttack

        images, labels = pictures
        attack = ArtAttack(classifier(preprocessing=(0.25, 0.5)), UNTARGETED)
        attack.generate(images, labels)
        wanted = UNTARGETED.fit(lambda x: network((x - 0.25) / 0.5), images, labels)
        assert_array_equal(attack.perturbation.support, wanted.support)

    def test_targets_that_do_not_agree_are_refused(self, classifier, pictures) -> None:
        from atmostk.networks.adapters import ArtAttack

        images, labels = pictures
        with pytest.raises(ValueError, match="one perturbation for all images has one target"):
            ArtAttack(classifier(), SEARCH).generate(images, labels)
        with pytest.raises(ValueError, match="y names the target 2, the search was made with 1"):
            ArtAttack(classifier(), SEARCH).generate(images, np.full(len(images), 2))
        with pytest.raises(TypeError, match="takes x and y, not mask"):
            ArtAttack(classifier(), SEARCH).generate(images, mask=0)


class TestFoolbox:
    @pytest.fixture
    def fmodel(self, network):
        foolbox = pytest.importorskip("foolbox")
        return foolbox.PyTorchModel(network, bounds=(0, 1))

    def test_epsilons_are_numbers_of_pixels(self, fmodel, network, tensors) -> None:
        from atmostk.networks.adapters import FoolboxAttack

        images, labels = tensors
        attack = FoolboxAttack(UNTARGETED)
        _, clipped, fooled = attack(fmodel, images, labels, epsilons=[4, 10])
        for epsilon, changed, success in zip((4, 10), clipped, fooled, strict=True):
            pixels = (changed != images).flatten(1).sum(1)
            assert pixels.max() <= epsilon
            assert torch.equal(attack.distance(images, changed), pixels.float())
            with torch.no_grad():
                assert torch.equal(success, network(changed).argmax(1) != labels)
        wanted = UNTARGETED.fit(network, images, labels)
        assert_allclose(attack.perturbations[10].delta, wanted.delta, atol=1e-5)

    def test_the_criterion_names_the_target(self, fmodel, tensors, predicted) -> None:
        from foolbox.criteria import TargetedMisclassification

        from atmostk.networks.adapters import FoolboxAttack

        images, _ = tensors
        attack = FoolboxAttack(SEARCH)
        criterion = TargetedMisclassification(torch.full((len(images),), 2))
        _, _, fooled = attack(fmodel, images, criterion, epsilons=10)
        assert attack.perturbations[10].target == 2
        assert fooled.float().mean() > (predicted == 2).float().mean()
        with pytest.raises(ValueError, match="one target"):
            attack(fmodel, images, TargetedMisclassification(predicted), epsilons=10)

    def test_half_a_pixel_is_refused(self, fmodel, tensors) -> None:
        from atmostk.networks.adapters import FoolboxAttack

        with pytest.raises(ValueError, match=r"epsilon=0\.5: here it is a number of pixels"):
            FoolboxAttack(SEARCH)(fmodel, *tensors, epsilons=0.5)


class TestTorchattacks:
    @pytest.fixture(autouse=True)
    def installed(self):
        pytest.importorskip("torchattacks")

    def test_a_fitted_attack_is_applied_and_an_unfitted_one_fits_on_its_images(self, network, tensors) -> None:
        from atmostk.networks.adapters import TorchattacksAttack

        images, labels = tensors
        wanted = SEARCH.fit(network, images, labels)
        fitted = TorchattacksAttack(network, SEARCH).fit(images, labels)
        assert torch.equal(fitted(images[:7], labels[:7]), wanted.apply(images[:7]))
        assert torch.equal(TorchattacksAttack(network, SEARCH)(images, labels), wanted.apply(images))

    def test_the_modes_of_torchattacks_set_the_target(self, network, tensors, capsys) -> None:
        from atmostk.networks.adapters import TorchattacksAttack

        attack = TorchattacksAttack(network, SEARCH)
        attack.set_mode_targeted_by_function(lambda images, labels: torch.full_like(labels, 3))
        attack(*tensors)
        assert attack.perturbation.target == 3
        other = TorchattacksAttack(network, SEARCH)
        other.set_mode_targeted_by_label()
        with pytest.raises(ValueError, match="one target"):
            other(*tensors)

    def test_normalised_images_are_changed_behind_the_normalisation(self, network, tensors) -> None:
        from atmostk.networks.adapters import TorchattacksAttack

        images, labels = tensors

        class Normalised(torch.nn.Module):
            def forward(self, x):
                return network(x * 0.5 + 0.25)

        attack = TorchattacksAttack(Normalised(), UNTARGETED)
        attack.set_normalization_used(mean=[0.25], std=[0.5])
        changed = attack((images - 0.25) / 0.5, labels) * 0.5 + 0.25
        pixels = ((changed - images).abs() > 1e-5).flatten(1).sum(1)
        assert 0 < pixels.max() <= 10
        assert changed.min() > -1e-5
        assert changed.max() < 1 + 1e-5


def test_a_missing_package_is_named_with_its_command(monkeypatch) -> None:
    import importlib
    import sys

    for package, module, command in (
        ("art", "art_attack", "pip install adversarial-robustness-toolbox"),
        ("foolbox", "foolbox_attack", "pip install foolbox"),
        ("torchattacks", "torchattacks_attack", "pip install --no-deps torchattacks"),
    ):
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.delitem(sys.modules, f"atmostk.networks.adapters.{module}", raising=False)
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=command):
            importlib.import_module(f"atmostk.networks.adapters.{module}")


def test_a_search_without_a_box_of_its_own_says_so() -> None:
    from atmostk.networks.adapters.searches import within_box

    with pytest.raises(ValueError, match="PIHTAttack takes images between 0 and 1, these lie between -1 and 1"):
        within_box(SEARCH, -1, 1)


class TestSparseAttackInside:
    """The search itself may be `SparseAttack`; its box is then that of the framework's model."""

    search = SparseAttack(4, target=1, fast=True)

    def test_art_with_another_box(self, network, pictures) -> None:
        classification = pytest.importorskip("art.estimators.classification")
        from atmostk.networks.adapters import ArtAttack

        centred = torch.nn.Sequential(_Halved(), network)
        classifier = classification.PyTorchClassifier(
            centred, torch.nn.CrossEntropyLoss(), (1, 8, 8), 4, clip_values=(-1.0, 1.0), device_type="cpu"
        )
        images = pictures[0] * 2 - 1
        attack = ArtAttack(classifier, self.search)
        changed = attack.generate(images)
        assert attack.perturbation.low == -1
        assert attack.perturbation.pixels <= 4
        assert changed.min() >= -1
        assert (classifier.predict(changed).argmax(1) == 1).mean() > 0.5

    def test_foolbox(self, network, tensors, predicted) -> None:
        foolbox = pytest.importorskip("foolbox")
        from atmostk.networks.adapters import FoolboxAttack

        attack = FoolboxAttack(SparseAttack(2, fast=True))
        model = foolbox.PyTorchModel(network, bounds=(0, 1), device="cpu")
        criterion = foolbox.criteria.TargetedMisclassification(torch.ones_like(predicted))
        _, clipped, fooled = attack(model, tensors[0], criterion, epsilons=[4])
        assert attack.perturbations[4].pixels <= 4
        assert fooled.float().mean() > 0.5
        assert ((clipped[0] != tensors[0]).any(1).flatten(1).sum(1) <= 4).all()

    def test_torchattacks(self, network, tensors) -> None:
        pytest.importorskip("torchattacks")
        from atmostk.networks.adapters import TorchattacksAttack

        attack = TorchattacksAttack(network, self.search).fit(*tensors)
        with torch.no_grad():
            assert (network(attack(*tensors)).argmax(1) == 1).float().mean() > 0.5
        assert attack.perturbation.pixels <= 4


class _Halved(torch.nn.Module):
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return (images + 1) / 2
