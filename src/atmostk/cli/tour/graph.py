"""Graph: a simulated network of genes whose edges are known, learned from few samples and scored against the truth."""

from __future__ import annotations

from atmostk.cli.tour.stop import Stop
from atmostk.report import graph_run

WHAT = "graph: the network of 1,900 simulated genes from 191 samples"
GENES, SAMPLES = 1_900, 191


def stop(seed: int, quick: bool) -> Stop:
    """Learn, with the number of edges cross-validated, and count which edges are there."""
    from atmostk import SparsePrecisionCV
    from atmostk.datasets import block_graph

    genes = 100 if quick else GENES
    truth = block_graph(genes, seed=seed)
    X = truth.draw(SAMPLES, seed=seed + 1)
    model = SparsePrecisionCV(cv=5, rule="best", n_jobs=2, random_state=seed).fit(X)
    edges = model.edges_
    known = {(int(i), int(j)) for i, j in truth.edges}
    found = {(int(i), int(j)) for i, j in zip(edges.i, edges.j, strict=True)}
    right = len(known & found)
    share, recall = right / max(1, len(found)), right / len(known)
    strongest = edges.strongest(max(1, len(known) // 6))
    top = {(int(i), int(j)) for i, j in zip(strongest.i, strongest.j, strict=True)}
    chance = len(known) / (genes * (genes - 1) / 2)
    headline = (
        f"{len(found):,} edges among {genes:,} genes from {SAMPLES} samples, their number by cross-validation: "
        f"{share:.0%} are true ({share / chance:,.0f} times chance), {len(known & top) / len(top):.0%} of the "
        f"{len(top):,} strongest; {recall:.0%} of the {len(known):,} true ones are found."
    )
    run = graph_run(
        model,
        title=f"Graph: {genes:,} genes",
        headline=headline,
        asked={
            "data": f"{SAMPLES} samples of a Gaussian network of {genes:,} genes in modules, {len(known):,} edges",
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
