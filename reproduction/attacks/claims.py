"""What the paper says of its attack, and what the runs say: one line for each claim and form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reproduction.attacks.figures import best_target, of
from reproduction.attacks.forms import FORMS
from reproduction.attacks.runs import Runs


def table(runs: Runs) -> str:
    """Accuracy and hits at each K: mean of the targets with their spread, the best target, untargeted."""
    lines = [
        "| form | K | accuracy, mean of targets | predicted as target, mean | hit, mean | best target: accuracy / hit "
        "| untargeted accuracy | most pixels changed | accepted of steps |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for form in FORMS:
        targeted, untargeted = of(runs, form, targeted=True), of(runs, form, targeted=False)
        best = best_target(runs, form)
        for K in sorted(targeted.keys() | untargeted.keys()):
            own, free = targeted.get(K, []), untargeted.get(K, [])
            first = [run for run in own if run["target"] == best]
            cells = [
                form,
                str(K),
                _mean([run["accuracy"] for run in own]),
                f"{np.mean([run['predicted'] for run in own]):,.0f} of {own[0]['images']:,}" if own else "-",
                _mean([run["hit"] for run in own]),
                f"{best}: {_mean([r['accuracy'] for r in first])} / {_mean([r['hit'] for r in first])}"
                if first
                else "-",
                _mean([run["accuracy"] for run in free]),
                str(max(run["most_pixels"] for run in own + free)),
                f"{np.mean([r['accepted'] for r in own + free]):.0f} of {np.mean([r['steps'] for r in own + free]):.0f}"
                if all("steps" in run for run in own + free)
                else "-",
            ]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def claims(runs: Runs) -> str:
    """Each claim of section 5.1, form by form."""
    present = [form for form in FORMS if any(run["form"] == form for run in runs)]
    lines = ["| claim of the paper | " + " | ".join(present) + " |", "|---" * (len(present) + 1) + "|"]
    for claim, judge in CLAIMS.items():
        lines.append(f"| {claim} | " + " | ".join(judge(runs, form) for form in present) + " |")
    return "\n".join(lines)


def _few_pixels(runs: Runs, form: str) -> str:
    """From which K on the mean accuracy has lost ten points, and half."""
    means = _curve(of(runs, form, targeted=True), "accuracy")
    before = float(np.mean([run["accuracy_before"] for run in runs if run["form"] == form]))
    told = []
    for name, bound in (("10 points lost", before - 0.1), ("half lost", before / 2)):
        first = next((K for K, value in means.items() if value < bound), None)
        told.append(f"{name} {'at no K' if first is None else f'from K = {first}'}")
    return ", ".join(told)


def _falls(runs: Runs, form: str) -> str:
    means = _curve(of(runs, form, targeted=True), "accuracy")
    return _steps(np.diff(list(means.values())) < 0, means, 100, "%")


def _grows(runs: Runs, form: str) -> str:
    means = _curve(of(runs, form, targeted=True), "hit")
    return _steps(np.diff(list(means.values())) > 0, means, 100, "% hit")


def _untargeted_weaker(runs: Runs, form: str) -> str:
    """At how many K the untargeted attack leaves more accuracy than the mean targeted one."""
    targeted = _curve(of(runs, form, targeted=True), "accuracy")
    untargeted = _curve(of(runs, form, targeted=False), "accuracy")
    both = [K for K in targeted if K in untargeted]
    if not both:
        return "-"
    weaker = [K for K in both if untargeted[K] > targeted[K]]
    gap = np.mean([untargeted[K] - targeted[K] for K in both])
    return f"weaker at {len(weaker)} of {len(both)} K; its accuracy is {100 * gap:+.1f} points from the targets' mean"


def _any_target(runs: Runs, form: str) -> str:
    """The least and the most successful target at the largest K."""
    by_budget = of(runs, form, targeted=True)
    if not by_budget:
        return "-"
    last = max(by_budget)
    hits = {run["target"]: run["hit"] for run in by_budget[last]}
    least, most = min(hits, key=hits.__getitem__), max(hits, key=hits.__getitem__)
    return f"at K = {last}: {hits[least]:.1%} (target {least}) to {hits[most]:.1%} (target {most})"


def _budget_kept(runs: Runs, form: str) -> str:
    own = [run for run in runs if run["form"] == form]
    worst = max(own, key=lambda run: run["most_pixels"] - run["K"])
    if worst["most_pixels"] <= worst["K"]:
        return "kept in every run"
    return f"broken: up to {worst['most_pixels']} pixels change at K = {worst['K']}"


CLAIMS: dict[str, Callable[[Runs, str], str]] = {
    "very few pixels lower the accuracy significantly": _few_pixels,
    "accuracy falls as K grows": _falls,
    "more samples are predicted as the target as K grows": _grows,
    "the untargeted attack is weaker than the targeted one": _untargeted_weaker,
    "any digit can be made any chosen target": _any_target,
    "at most K pixels change": _budget_kept,
}


def _curve(by_budget: dict[int, Runs], name: str) -> dict[int, float]:
    return {K: float(np.mean([run[name] for run in runs])) for K, runs in by_budget.items()}


def _steps(good: np.ndarray, means: dict[int, float], scale: float, unit: str) -> str:
    if len(means) < 2:
        return "-"
    first, last = (scale * means[K] for K in (min(means), max(means)))
    return f"in {int(good.sum())} of {good.size} steps of K: {first:.1f} to {last:.1f} {unit}"


def _mean(values: list[float]) -> str:
    if not values:
        return "-"
    spread = f" ± {100 * np.std(values):.1f}" if len(values) > 1 else ""
    return f"{100 * np.mean(values):.1f}{spread} %"
