"""Work done by several threads, its results taken in the order of one: the same answer with any number of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_turn(work: Callable[[Any], T], pieces: Iterable[Any], threads: int) -> Iterator[T]:
    """The result of each piece of work, in order; no more than two for each thread are ahead of what is taken.

    >>> list(in_turn(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads <= 1:
        yield from map(work, pieces)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Any] = deque()
        try:
            for piece in pieces:
                waiting.append(pool.submit(work, piece))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # interrupted: what has not begun is not begun
            for future in waiting:
                future.cancel()
