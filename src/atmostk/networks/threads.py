"""How many threads PyTorch uses, for as long as a piece of work lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """So many threads inside, as many as before afterwards.

    One thread gives the same numbers on every machine, and is the fastest choice for small networks on shared cores:
    there a second thread mostly waits.

    >>> with torch_threads(1):
    ...     torch.get_num_threads()
    1
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f"threads={count!r}: it must be a whole number of 1 or more.")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
