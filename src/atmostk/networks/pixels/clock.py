"""When a search has to come to its end: after so many seconds, or when somebody presses Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Clock:
    """So many seconds from when it was made; None: no end.

    >>> Clock(0.0).over, Clock(None).over
    (True, False)
    """

    seconds: float | None
    begun: float = field(default_factory=time.perf_counter)
    interrupted: bool = False

    @property
    def over(self) -> bool:
        """Whether the seconds are over, or the search was interrupted."""
        return self.interrupted or (self.seconds is not None and time.perf_counter() - self.begun >= self.seconds)

    @contextmanager
    def heeding_interrupts(self) -> Iterator[None]:
        """While this lasts, the first Ctrl-C ends the search with the best so far, a second one at once.

        Only the main thread hears signals: elsewhere nothing changes.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def heard(number: int, frame: object) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        before = signal.signal(signal.SIGINT, heard)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
