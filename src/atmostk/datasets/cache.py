"""Where downloaded data and trained weights are kept between runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder named by `ATMOSTK_CACHE`, else `atmostk` where this system keeps caches; it may not exist yet.

    >>> import os
    >>> os.environ["ATMOSTK_CACHE"] = "here"
    >>> cache_folder().name
    'here'
    >>> del os.environ["ATMOSTK_CACHE"]
    """
    named = os.environ.get("ATMOSTK_CACHE")
    if named:
        return Path(named)
    system = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(system) if system else Path.home() / ".cache") / "atmostk"
