"""Numba's compiler, with a cache on disk where one can be written and without where none can.

A package may be installed where its user cannot write, and the user may have no home (containers, services). Numba
then refuses to cache with an error at import; compiling anew in each process is slower, but works.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """`numba.njit(cache=True)`, as a decorator with or without options.

    >>> @compiled(fastmath=True)
    ... def double(number):
    ...     return 2 * number
    >>> double(3)
    6
    """
    if function is None:
        return lambda function: compiled(function, **options)
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:
        return numba.njit(**options)(function)
