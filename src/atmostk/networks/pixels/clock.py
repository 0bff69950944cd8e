"""When a search has to come to its end."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clock:
    """So many seconds from when it was made; None: no end.

    >>> Clock(0.0).over, Clock(None).over
    (True, False)
    """

    seconds: float | None
    begun: float = field(default_factory=time.perf_counter)

    @property
    def over(self) -> bool:
        """Whether the seconds are over."""
        return self.seconds is not None and time.perf_counter() - self.begun >= self.seconds
