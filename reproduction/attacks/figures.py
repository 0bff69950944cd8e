"""The paper's figures of the attack experiment, each drawn for every form over the same images."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.attacks.data import images
from reproduction.attacks.forms import FORMS, RELEASED
from reproduction.attacks.runs import Runs

MEAN, BEST, UNTARGETED = "#1f6feb", "#e8871e", "#2e8b57"  # the paper's blue, orange and green


def draw(runs: Runs, folder: Path, caption: str, data: str) -> list[Path]:
    """The curves, and the images where there are any at K = 25 and target 5."""
    import matplotlib

    matplotlib.use("Agg")
    files = [_curves(runs, folder / "curves.png", caption)]
    examples = [run for run in runs if run["K"] == 25 and run["target"] == 5 and run["seed"] == 0]
    if examples:
        files.append(_pictures(examples, folder / "pictures.png", caption, data))
    return files


def of(runs: Runs, form: str, *, targeted: bool) -> dict[int, Runs]:
    """The runs of a form by K, ascending."""
    own = [run for run in runs if run["form"] == form and (run["target"] is not None) == targeted]
    return {K: [run for run in own if run["K"] == K] for K in sorted({run["K"] for run in own})}


def best_target(runs: Runs, form: str) -> int | None:
    """The target that most images are taken for, over all K for which it was sought."""
    own = [run for run in runs if run["form"] == form and run["target"] is not None]
    means = {
        target: np.mean([run["hit"] for run in own if run["target"] == target]) for target in {r["target"] for r in own}
    }
    return max(sorted(means), key=lambda target: means[target], default=None)


def _curves(runs: Runs, file: Path, caption: str) -> Path:
    """Accuracy above, images taken for the target below, against K."""
    import matplotlib.pyplot as plt

    present = [form for form in FORMS if any(run["form"] == form for run in runs)]
    figure, axes = plt.subplots(
        2, len(present), figsize=(3.6 * len(present) + 0.6, 6.8), sharex=True, sharey="row", squeeze=False,
        constrained_layout=True,
    )  # fmt: skip
    for column, form in enumerate(present):
        targeted, untargeted = of(runs, form, targeted=True), of(runs, form, targeted=False)
        best = best_target(runs, form)
        for axis, name in zip(axes[:, column], ("accuracy", "predicted"), strict=True):
            scale = 100 if name == "accuracy" else 1
            _band(axis, targeted, name, scale, "mean and spread of the targets")
            own = {K: [run for run in row if run["target"] == best] for K, row in targeted.items()}
            _line(axis, own, name, scale, BEST, "best target")
            if name == "accuracy":
                _line(axis, untargeted, name, scale, UNTARGETED, "untargeted")
        axes[0, column].set_title(form if best is None else f"{form}\nbest target: {best}", fontsize=11)
        axes[1, column].set_xlabel("K, pixels allowed")
    some = runs[0]
    axes[0, 0].set_ylabel("accuracy, %")
    axes[0, 0].set_ylim(0, 102)
    axes[1, 0].set_ylabel(f"predicted as the target, of {some['images']:,}")
    axes[1, 0].set_ylim(bottom=0)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9)
    figure.suptitle(_wrapped(caption, figure), fontsize=9)
    figure.savefig(file, dpi=120)
    plt.close(figure)
    return file


def _band(axis: Any, by_budget: dict[int, Runs], name: str, scale: float, label: str) -> None:
    if by_budget:
        values = [scale * np.array([run[name] for run in runs]) for runs in by_budget.values()]
        mean, spread = np.array([v.mean() for v in values]), np.array([v.std() for v in values])
        axis.plot(list(by_budget), mean, color=MEAN, marker="o", markersize=3, label=label)
        axis.fill_between(list(by_budget), mean - spread, mean + spread, color=MEAN, alpha=0.2, linewidth=0)


def _line(axis: Any, by_budget: dict[int, Runs], name: str, scale: float, colour: str, label: str) -> None:
    points = {K: scale * float(np.mean([run[name] for run in runs])) for K, runs in by_budget.items() if runs}
    if points:
        axis.plot(list(points), list(points.values()), color=colour, marker="o", markersize=3, label=label)


def _pictures(examples: Runs, file: Path, caption: str, data: str) -> Path:
    """Originals over perturbed images, a pair of rows for each form; what the network takes each for above it."""
    import matplotlib.pyplot as plt

    digits = images(data)
    present = [next(run for run in examples if run["form"] == form) for form in FORMS if any(
        run["form"] == form for run in examples
    )]  # fmt: skip
    columns = max(len(run["shown"]) for run in present)
    figure, axes = plt.subplots(
        2 * len(present), columns, figsize=(1.05 * columns + 0.9, 2.35 * len(present) + 0.6), squeeze=False,
        constrained_layout=True,
    )  # fmt: skip
    for axis in axes.ravel():
        axis.set_xticks([])
        axis.set_yticks([])
    for row, run in enumerate(present):
        perturbed = _perturbation(run)
        for column, (place, before, after) in enumerate(run["shown"]):
            image = digits.test_images[place : place + 1]
            for axis, picture, said in (
                (axes[2 * row, column], image, before),
                (axes[2 * row + 1, column], perturbed.apply(image), after),
            ):
                axis.imshow(np.asarray(picture)[0, 0], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
                axis.set_title(str(said), fontsize=9, pad=2, color="#d1495b" if said == run["target"] else "black")
        axes[2 * row, 0].set_ylabel(run["form"], fontsize=8)
        axes[2 * row + 1, 0].set_ylabel(f"hits {run['hit']:.1%}", fontsize=8)
    title = "K = 25, target 5: originals over perturbed images, above each what the network takes it for"
    figure.suptitle(f"{title}\n{_wrapped(caption, figure)}", fontsize=9)
    figure.savefig(file, dpi=130)
    plt.close(figure)
    return file


def _wrapped(caption: str, figure: Any) -> str:
    return textwrap.fill(caption, int(13 * figure.get_size_inches()[0]))


def _perturbation(run: dict[str, Any]) -> Any:
    from atmostk.networks import Perturbation, TanhPerturbation

    values = np.zeros(784, np.float32)
    values[run["pixels"]] = run["values"]
    kind = TanhPerturbation if run["form"] == RELEASED else Perturbation
    return kind(values.reshape(1, 28, 28), target=run["target"])
