"""Graph: a simulated network of genes whose edges are known, learned from few samples and scored against the truth."""

from __future__ import annotations

import numpy as np

from atmostk.cli.tour.stop import Stop
from atmostk.report import graph_run

WHAT = "graph: the network of 1,900 simulated genes from 191 samples"
GENES, SAMPLES = 1_900, 191


def stop(seed: int, quick: bool) -> Stop:
    """Learn, with the number of edges cross-validated, and count which edges are there."""
    from atmostk import SparsePrecisionCV
    from atmostk.datasets import hub_graph

    genes = 100 if quick else GENES
    truth = hub_graph(genes, seed=seed)
    X = truth.draw(SAMPLES, seed=seed + 1)
    model = SparsePrecisionCV(cv=5, rule="best", n_jobs=2, random_state=seed).fit(X)
    edges = model.edges_
    known = {(int(i), int(j)) for i, j in truth.edges}
    found = {(int(i), int(j)) for i, j in zip(edges.i, edges.j, strict=True)}
    right = len(known & found)
    share, recall = right / max(1, len(found)), right / len(known)
    strongest = {(int(i), int(j)) for i, j in zip(*_strongest(edges, len(known)), strict=True)}
    at_truth = len(known & strongest) / max(1, len(strongest))
    pairs = genes * (genes - 1) / 2
    headline = (
        f"{len(found):,} edges among {genes:,} genes from {SAMPLES} samples, the number by cross-validation: {right:,} "
        f"are among the {len(known):,} true ones ({share:.0%} right, {share / (len(known) / pairs):,.0f} times chance; "
        f"of the {len(strongest):,} strongest {at_truth:.0%})."
    )
    run = graph_run(
        model,
        title=f"Graph: {genes:,} genes",
        headline=headline,
        asked={
            "data": f"{SAMPLES} samples of a scale-free Gaussian network of {genes:,} genes, {len(known):,} edges",
            "edges": "chosen by cross-validation",
            "seed": seed,
            "chosen budget": len(found),
        },
        quality={
            "found edges that are true": f"{right:,} of {len(found):,}",
            "true edges that are found": f"{right:,} of {len(known):,}",
            "F1": 2 * share * recall / max(1e-12, share + recall),
            "positive definite": bool(model.is_positive_definite_),
        },
    )
    return Stop(headline, {"edges": len(found), "true": len(known), "right": right}, (run,))


def _strongest(edges: object, count: int) -> tuple[np.ndarray, np.ndarray]:
    table = edges.strongest(count)  # pyright: ignore[reportAttributeAccessIssue]
    return table.i, table.j
