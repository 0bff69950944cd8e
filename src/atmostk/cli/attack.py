"""`atmostk attack`: one change of a few pixels that fools a network on a whole data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from atmostk.cli import options, outputs
from atmostk.cli.shell import Interrupted, note
from atmostk.cli.working import working


def attack(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="TorchScript, torch.export, or weights (safetensors, state_dict)."),
    ],
    data: Annotated[Path, typer.Argument(metavar="IMAGES", help="An npz file with images and labels.")],
    at_most: Annotated[
        str, typer.Option("--at-most", "-k", help="How many pixels; several make a curve: 5,10,25 or 10-100:10.")
    ],
    target: Annotated[
        int | None, typer.Option("--target", "-t", min=0, help="The class to be taken for; without it, any wrong one.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The perturbation, as safetensors; of a curve one file for each budget."),
    ] = None,
    test: Annotated[Path | None, typer.Option("--test", help="Images kept apart, to judge the attack on.")] = None,
    network: Annotated[
        str | None,
        typer.Option("--network", help="What the weights belong to: paper_cnn, lenet, or module:function."),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="The network ends in a softmax: take the logarithm.")
    ] = False,
    amplitude: Annotated[
        float | None, typer.Option("--amplitude", help="The most that a pixel may change; without it, the whole box.")
    ] = None,
    mask: Annotated[
        Path | None, typer.Option("--mask", help="An npy file, height x width: nonzero where pixels may change.")
    ] = None,
    low: Annotated[float, typer.Option("--low", help="The smallest value of a pixel.")] = 0.0,
    high: Annotated[float, typer.Option("--high", help="The largest value of a pixel.")] = 1.0,
    fast: Annotated[
        bool, typer.Option("--fast", help="One start and no kicks: a quarter of the time, somewhat weaker.")
    ] = False,
    kicks: options.Kicks = None,
    seed: options.Seed = 0,
    max_seconds: options.MaxSeconds = None,
    run: options.RunFolder = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Find one change of at most K pixels that fools a network on all images.

    It is a test of how robust a network of yours is. The images are those to find the change on; how it does is told of
    the images of --test, else of the same ones. Ctrl-C ends the search with the best change so far.

    \b
    Examples:
      atmostk attack model.pt images.npz --at-most 25 --target 5 --out delta.safetensors
      atmostk attack model.pt2 images.npz -k 5,10,25,50 --test held-out.npz --run run/
      atmostk attack weights.safetensors images.npz --network paper_cnn -k 25 --json
    """
    from atmostk.cli import attack_fit

    asked = attack_fit.Asked(
        at_most=attack_fit.budgets(at_most),
        target=target,
        amplitude=amplitude,
        low=low,
        high=high,
        fast=fast,
        kicks=kicks,
        seed=seed,
        max_seconds=max_seconds,
    )
    places = attack_fit.places(out, asked.at_most)
    outputs.free(*places, run, force=force)
    loaded = attack_fit.model(model, network, probabilities)
    images = attack_fit.read_images(data)
    held = None if test is None else attack_fit.read_images(test)
    allowed = None if mask is None else attack_fit.read_mask(mask, images)
    found = attack_fit.fitted(asked, loaded, images, held, allowed, f"{model.name} on {data.name}", working)
    _leave(found, places, run, as_json)


def _leave(found: Any, places: list[Path], run: Path | None, as_json: bool) -> None:
    """Write what was asked for, and tell what was found."""
    for place, perturbation in zip(places, found.perturbations, strict=False):
        perturbation.save(place)
    if run is not None:
        from atmostk.report import save_run

        save_run(found.run(), run)
        note(f"'atmostk report {run}' makes the page of this run.")
    facts, tables = found.told()
    outputs.tell(facts, tables, as_json=as_json)
    if found.interrupted:
        where = " and ".join(str(place) for place in (*places, run) if place is not None)
        raise Interrupted(f"interrupted: the best change so far {f'is in {where}' if where else 'is told above'}.")
