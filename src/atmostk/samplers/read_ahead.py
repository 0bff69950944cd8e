"""Reading the next block while this one is worked on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def read_ahead(items: Iterable[T]) -> Iterator[T]:
    """The items in their order, made by a thread that is one item ahead.

    What goes wrong in the thread is raised here. Whoever stops in the middle (a break, Ctrl-C) stops the thread too.

    >>> list(read_ahead(range(3)))
    [0, 1, 2]
    """
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    stopped = threading.Event()
    end = object()

    def put(item: Any) -> bool:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            for item in items:
                if not put((item, None)):
                    return
            put((end, None))
        except BaseException as error:
            put((end, error))

    thread = threading.Thread(target=work, name="atmostk-read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = waiting.get()
            if error is not None:
                raise error
            if item is end:
                return
            yield item
            del item  # or a third block would wait here while the next is taken
    finally:
        stopped.set()
        thread.join()
