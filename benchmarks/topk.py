"""What the K largest of n entries cost beside NumPy's own selections, also where selecting is hard.

    python -m benchmarks.topk

CPU milliseconds, the least of several turns; in each turn every contestant runs once, so that all meet the same noise.
Ours ranks |x| itself; NumPy's functions are given |x| ready-made. np.partition finds the threshold and no indices.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from atmostk import arrays

SHARE = 0.003
SIZES = {"1e5": 10**5, "1e6": 10**6, "3.6e6": 3_600_000, "1e8": 10**8}
TARGET = 0.35  # of np.argpartition's CPU time, at 3.6e6 and 1e8


def main() -> None:
    """Print both tables; about a minute."""
    rng = np.random.default_rng(0)
    head = ["n", "K", "ours", "np.argpartition", "np.partition", "ours / np.argpartition"]
    print("float32, standard normal, K = 0.3 % of n, CPU ms\n")
    print(_row(head), _row(["---"] * len(head)), sep="\n")
    for name, size in SIZES.items():
        x = rng.standard_normal(size, dtype=np.float32)
        print(_row([name, *_compared(x, int(SHARE * size), turns=3 if size > 10**7 else 9)]), flush=True)
    print(f"\nThe target for 3.6e6 and 1e8 is a ratio of at most {TARGET}.\n")
    print("float32, n = 3.6e6, other distributions and other K, CPU ms\n")
    head[0] = "distribution"
    print(_row(head), _row(["---"] * len(head)), sep="\n")
    for name, x in _distributions(rng, 3_600_000).items():
        for share in (SHARE, 0.1, 0.5) if name == "normal" else (SHARE,):
            print(_row([name, *_compared(x, int(share * x.size), turns=3)]), flush=True)


def _distributions(rng: np.random.Generator, size: int) -> dict[str, np.ndarray]:
    normal = rng.standard_normal(size, dtype=np.float32)
    return {
        "normal": normal,
        "heavy tails": rng.standard_cauchy(size).astype(np.float32),
        "all zero": np.zeros(size, np.float32),
        "0.1 % nonzero": np.where(rng.random(size) < 0.001, normal, np.float32(0)),
        "five values": rng.integers(-2, 3, size).astype(np.float32),
        "rising": np.arange(size, dtype=np.float32),
        "falling": np.arange(size, dtype=np.float32)[::-1].copy(),
        "256 levels": np.round(normal * 32).astype(np.float32),
    }


def _compared(x: np.ndarray, count: int, turns: int) -> list[str]:
    """The cells of a row; the answer is checked against np.partition before anything is measured."""
    magnitudes = np.abs(x)
    chosen = arrays.largest(x, count)
    threshold = np.partition(magnitudes, x.size - count)[x.size - count]
    assert chosen.size == count
    assert magnitudes[chosen].min() == threshold
    assert np.count_nonzero(magnitudes > threshold) == np.count_nonzero(magnitudes[chosen] > threshold)
    ours, argpartition, partition = _least_times(
        turns,
        lambda: arrays.largest(x, count),
        lambda: np.argpartition(magnitudes, x.size - count)[x.size - count :],
        lambda: np.partition(magnitudes, x.size - count),
    )
    times = [f"{1000 * seconds:.2f}" for seconds in (ours, argpartition, partition)]
    return [str(count), *times, f"{ours / argpartition:.2f}"]


def _least_times(turns: int, *contestants: Callable[[], object]) -> list[float]:
    least = [float("inf")] * len(contestants)
    for _ in range(turns):
        for place, contestant in enumerate(contestants):
            begun = time.process_time()
            contestant()
            least[place] = min(least[place], time.process_time() - begun)
    return least


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
