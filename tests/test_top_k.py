"""The K largest entries, against a plain sort: small arrays by Hypothesis, large ones by hard distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from atmostk import top_k

LARGE = top_k.SCAN_FROM + 12_345


def by_sorting(x, count, prefer=None):
    """Magnitude first, then preference, then the lower index."""
    magnitudes = np.abs(x.ravel()) if x.dtype.kind == "f" else np.abs(x.ravel().astype(object)).astype(float)
    disliked = np.ones(x.size, bool)
    disliked[[] if prefer is None else prefer] = False
    return np.sort(np.lexsort((np.arange(x.size), disliked, -magnitudes))[:count])


@st.composite
def arrays_with_ties(draw):
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.int32]))
    few = st.sampled_from([0, 1, -1, 2, -3, 5])
    elements = few if dtype in (np.int8, np.int32) else few | st.sampled_from([-0.0, 0.5, -np.inf, np.inf, 6e-8])
    x = draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=2, max_side=8, min_side=0), elements=elements))
    count = draw(st.integers(0, x.size + 2))
    prefer = draw(st.lists(st.integers(0, max(0, x.size - 1)), unique=True, max_size=x.size)) if x.size else []
    return x, count, np.array(sorted(prefer), np.int64)


@given(arrays_with_ties())
def test_the_largest_are_those_that_a_sort_puts_first(case):
    x, count, prefer = case
    before = x.copy()
    chosen = top_k.largest(x, count, prefer)
    assert chosen.dtype == np.int64
    assert chosen.tolist() == by_sorting(x, count, prefer).tolist()
    assert top_k.largest(x, count).tolist() == by_sorting(x, count).tolist()
    assert np.array_equal(x, before)


@given(hnp.arrays(np.float64, st.integers(0, 12), elements=st.floats(allow_nan=False)), st.integers(0, 14))
def test_the_largest_of_any_floats(x, count):
    assert top_k.largest(x, count).tolist() == by_sorting(x, count).tolist()


@given(arrays_with_ties())
def test_the_highest_are_the_largest_in_value(case):
    x, count, prefer = case
    disliked = np.ones(x.size, bool)
    disliked[prefer] = False
    expected = np.sort(np.lexsort((np.arange(x.size), disliked, -x.ravel().astype(float)))[:count])
    assert top_k.highest(x, count, prefer).tolist() == expected.tolist()


def hard_distributions():
    rng = np.random.default_rng(0)
    normal = rng.standard_normal(LARGE)
    rare = np.where(rng.random(LARGE) < 1e-4, normal, 0.0)
    return {
        "normal": normal,
        "heavy tails": rng.standard_cauchy(LARGE),
        "all zero": np.zeros(LARGE),
        "all equal": np.full(LARGE, -2.0),
        "two values": np.where(normal > 1, 1.0, -1.0) * np.where(normal > 0, 1.0, 2.0),
        "five values": rng.integers(-2, 3, LARGE).astype(float),
        "mostly zero": rare,
        "rising": np.arange(LARGE, dtype=float),
        "falling": -np.arange(LARGE, dtype=float)[::-1],
        "one spike": np.eye(1, LARGE, LARGE - 1).ravel(),
        "infinities": np.where(normal > 3, np.inf, normal),
        "signed zeros": np.where(normal > 0, 0.0, -0.0),
    }


@pytest.mark.parametrize("name", hard_distributions())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_arrays_are_scanned_to_the_same_answer(name, dtype):
    x = hard_distributions()[name].astype(dtype)
    prefer = np.sort(np.random.default_rng(1).choice(LARGE, 2000, replace=False))
    for count in (1, 10, int(0.003 * LARGE), LARGE // 3, LARGE - 1):
        assert np.array_equal(top_k.largest(x, count, prefer), by_sorting(x, count, prefer)), count


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, bool])
def test_large_arrays_of_every_width(dtype):
    x = (np.random.default_rng(2).standard_normal(LARGE) * 40).astype(dtype)
    for count in (50, LARGE // 50):
        assert np.array_equal(top_k.largest(x, count), by_sorting(x, count))


@pytest.mark.parametrize("told", ["sampled entries are all larger", "sampled entries are all smaller"])
def test_a_sample_that_misleads_costs_time_and_not_the_answer(told):
    sampled = np.random.default_rng(LARGE).integers(0, LARGE, min(LARGE >> 7, 1 << 16))
    x = np.random.default_rng(3).random(LARGE)
    x[sampled] = x[sampled] + 5 if told.endswith("larger") else 0.0
    count = 2000
    assert np.array_equal(top_k.largest(x, count), by_sorting(x, count))


def test_without_numba_the_answer_is_the_same(monkeypatch):
    x = np.random.default_rng(4).standard_normal(LARGE).astype(np.float32)
    scanned = top_k.largest(x, 1000)
    monkeypatch.setattr(top_k, "_compiled", lambda: None)
    assert np.array_equal(top_k.largest(x, 1000), scanned)


@pytest.mark.parametrize("size", [10, LARGE])
@pytest.mark.parametrize("count", [0, 3, 10])
@pytest.mark.parametrize("value", [np.nan, -np.nan])
def test_nan_is_refused_with_its_position(size, count, value):
    x = np.zeros(size, np.float32)
    x[[7, 8]] = value
    for select in (top_k.largest, top_k.highest):
        with pytest.raises(ValueError, match=r"Entry 7 is nan"):
            select(x, count)


def test_a_nan_among_many_is_refused():
    x = np.random.default_rng(5).standard_normal(LARGE)
    x[LARGE - 1] = np.nan
    with pytest.raises(ValueError, match=f"Entry {LARGE - 1} is nan"):
        top_k.largest(x, 100)


def test_any_layout_is_read_in_flat_order():
    x = np.random.default_rng(6).standard_normal((40, 30))
    expected = by_sorting(x, 7)
    for same in (np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], x.astype(">f8")):
        assert np.array_equal(top_k.largest(same, 7), expected)


def test_the_most_negative_integer_is_the_largest():
    assert top_k.largest(np.array([127, -128, 5], np.int8), 1).tolist() == [1]
    assert top_k.highest(np.array([-128, 127, 5], np.int8), 2).tolist() == [1, 2]


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(TypeError, match="complex128 cannot be ranked"):
        top_k.largest(np.ones(3, complex), 1)
    with pytest.raises(ValueError, match="-1 entries cannot be chosen"):
        top_k.largest(np.ones(3), -1)
