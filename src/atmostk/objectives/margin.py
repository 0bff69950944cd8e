"""How far a classifier's scores are from being fooled, image by image: below zero it is."""

from __future__ import annotations

import math

import torch


def margins(scores: torch.Tensor, labels: torch.Tensor, target: int | None = None) -> torch.Tensor:
    """One number for each row of scores: what the attack has still to make up for.

    With a target t: max over i != t of z_i - z_t. Without one: z_y - max over i != y of z_i, y being the row's own
    class, so that the easiest other class counts (paper note 13).

    >>> scores = torch.tensor([[3.0, 1.0, 2.0]])
    >>> margins(scores, torch.tensor([0])), margins(scores, torch.tensor([0]), target=1)
    (tensor([1.]), tensor([2.]))
    """
    own = labels[:, None] if target is None else torch.full_like(labels, target)[:, None]
    ahead = scores.scatter(1, own, -math.inf).amax(1) - scores.gather(1, own)[:, 0]
    return -ahead if target is None else ahead
