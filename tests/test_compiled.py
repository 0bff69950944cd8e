"""Compiled code works where numba finds no place to cache it."""

from __future__ import annotations

from typing import Any

import pytest


def test_without_a_place_for_the_cache_a_function_still_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    numba = pytest.importorskip("numba")
    from atmostk.compiled import compiled

    njit, asked = numba.njit, []

    def no_place(*functions: Any, **options: Any) -> Any:
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'double': no locator available")
        return njit(*functions, **options)

    monkeypatch.setattr(numba, "njit", no_place)

    @compiled(nogil=True)
    def double(number: int) -> int:
        return 2 * number

    assert double(4) == 8
    assert hasattr(double, "nopython_signatures")
    assert asked[:2] == [{"cache": True, "nogil": True}, {"nogil": True}]
