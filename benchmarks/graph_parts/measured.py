"""What a process has used so far: processor seconds, the most memory, and how fast BLAS multiplies here and now."""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def peak_megabytes() -> float:
    """The most memory that this process has held; on Windows, where nobody tells, not a number."""
    try:
        import resource
    except ImportError:
        return float("nan")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 1024)


def blas_rate(length: int, *, size: int = 1024, seconds: float = 0.3) -> float:
    """Operations a second (thousand millions) of single precision products of blocks, the best of many."""
    left = np.random.default_rng(0).standard_normal((size, length), dtype=np.float32)
    right, product = left[::-1].copy(), np.empty((size, size), np.float32)
    best, begun = float("inf"), time.process_time()
    while time.process_time() - begun < seconds:
        start = time.process_time()
        for _ in range(8):
            np.matmul(left, right.T, out=product)
        best = min(best, (time.process_time() - start) / 8)
    return 2 * length * size * size / best / 1e9


def tell(**facts: object) -> None:
    """One line of JSON."""
    print(json.dumps(facts), flush=True)
