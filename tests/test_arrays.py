"""The operations on NumPy arrays, tensors in memory, and arrays that only the array API reaches: the same answers."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmostk import array_kinds, arrays

torch = pytest.importorskip("torch")

KINDS = ["numpy", "torch", "elsewhere"]


@pytest.fixture(params=KINDS)
def made(request, monkeypatch):
    """Makes an array of each kind; `elsewhere` is a tensor whose memory NumPy is not allowed to see."""
    if request.param == "numpy":
        return lambda values, dtype="float64": np.array(values, dtype=dtype)
    if request.param == "elsewhere":
        for module in (arrays, array_kinds):
            monkeypatch.setattr(module, "in_memory", lambda x: np.asarray(x) if isinstance(x, np.ndarray) else None)
    return lambda values, dtype="float64": torch.tensor(np.array(values), dtype=getattr(torch, dtype))


def same(result, expected):
    assert np.array_equal(arrays.to_numpy(result), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_new_arrays_are_of_the_same_kind_dtype_and_shape_and_share_nothing(made, dtype):
    x = made([[1.0, -2.0], [0.0, 4.0]], dtype)
    before = arrays.to_numpy(x).copy()
    results = {
        "keep": arrays.keep(x, np.array([1, 2])),
        "copy": arrays.copy(x),
        "clip": arrays.clip(x, -1.0, 3.0),
        "place": arrays.place(np.array([7.0]), np.array([3]), x),
    }
    for result in results.values():
        assert type(result) is type(x)
        assert result.dtype == x.dtype
        assert result.shape == x.shape
        result[0, 0] = 99.0
    same(x, before)
    same(results["keep"], [[99, -2], [0, 0]])
    same(results["copy"], [[99, -2], [0, 4]])
    same(results["clip"], [[99, -1], [0, 3]])
    same(results["place"], [[99, 0], [0, 7]])


def test_entries_are_taken_in_flat_order(made):
    taken = arrays.take(made([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 3]))
    assert taken.shape == (2,)
    same(taken, [1, 4])
    assert arrays.take(made([1.0]), np.empty(0, np.int64)).shape == (0,)


def test_the_support_is_where_nonzeros_are(made):
    x = made([[0.0, -0.0, 3.0], [1e-300, 0.0, -1.0]])
    support = arrays.support(x)
    assert isinstance(support, np.ndarray)
    assert support.dtype == np.int64
    assert support.tolist() == [2, 3, 5]
    assert arrays.count_nonzero(x) == 3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_the_norm_is_added_up_in_float64(made, dtype, scale):
    x = made(np.random.default_rng(0).standard_normal(200_000) * scale, dtype)
    assert arrays.norm(x) == pytest.approx(
        math.sqrt(math.fsum(arrays.to_numpy(x).astype(float) ** 2)), rel=1e-12 if dtype == "float64" else 1e-6
    )


def test_the_norm_neither_overflows_nor_vanishes(made):
    assert arrays.norm(made([3e200, -4e200])) == pytest.approx(5e200)
    assert arrays.norm(made([3e-200, -4e-200])) == pytest.approx(5e-200)
    assert arrays.norm(made([0.0, 0.0])) == 0.0
    assert arrays.norm(made([])) == 0.0
    assert arrays.norm(made([1.0, -np.inf])) == np.inf
    assert math.isnan(arrays.norm(made([1.0, np.nan])))


def test_float32_in_memory_keeps_double_accuracy():
    x = np.full(10_000_000, 0.1, np.float32)
    assert arrays.norm(x) == pytest.approx(float(x[0]) * math.sqrt(x.size), rel=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_finite_is_told_from_infinite_and_from_large(made, dtype):
    largest = float(np.finfo(dtype).max)
    assert arrays.is_finite(made([1.0, largest, -largest], dtype))
    assert arrays.is_finite(made([], dtype))
    for wrong in (np.inf, -np.inf, np.nan):
        assert not arrays.is_finite(made([1.0, wrong], dtype))


def test_integers_are_finite(made):
    assert arrays.is_finite(made([1, 2], "int64"))


@given(
    st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, np.inf]), max_size=10),
    st.integers(0, 12),
    st.sets(st.integers(0, 9)),
)
def test_tensors_elsewhere_give_the_largest_that_numpy_gives(values, count, preferred):
    x = np.array(values)
    prefer = np.array(sorted(i for i in preferred if i < x.size), np.int64)
    expected = arrays.largest(x, count, prefer)
    assert arrays.largest(torch.from_numpy(x), count, prefer).tolist() == expected.tolist()
    assert arrays._largest_elsewhere(torch.from_numpy(x), count, prefer).tolist() == expected.tolist()
    assert arrays._largest_elsewhere(x, count, None).tolist() == arrays.largest(x, count).tolist()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int32"])
def test_the_largest_of_every_dtype_of_pytorch(dtype):
    x = torch.tensor([1, -3, 2, 3], dtype=getattr(torch, dtype))
    assert arrays.largest(x, 2).tolist() == [1, 3]
    assert arrays.highest(x, 2).tolist() == [2, 3]


def test_nan_is_refused_wherever_it_is(made):
    with pytest.raises(ValueError, match="Entry 1 is nan"):
        arrays.largest(made([0.0, np.nan, 1.0]), 1)


def test_a_tensor_that_wants_a_gradient_gives_results_that_do_not():
    x = torch.tensor([1.0, -3.0, 2.0], requires_grad=True)
    assert arrays.largest(x, 1).tolist() == [1]
    for result in (arrays.keep(x, np.array([1])), arrays.copy(x), arrays.clip(x, 0.0, 1.0), arrays.take(x, [0])):
        assert not result.requires_grad
    assert arrays.norm(x) == pytest.approx(math.sqrt(14))


def test_values_become_like_the_array(made):
    x = made([1.0, 2.0], "float32")
    frozen = np.array([3.0, 4.0])
    frozen.flags.writeable = False
    for values in (frozen, np.array([4.0, 3.0])[::-1], torch.tensor([3.0, 4.0]), [3.0, 4.0]):
        result = arrays.like(values, x)
        assert type(result) is type(x)
        assert result.dtype == x.dtype
        same(result, [3, 4])


def test_bounds_may_be_arrays_of_another_precision(made):
    clipped = arrays.clip(made([-2.0, 0.5, 2.0], "float32"), np.array([-1.0, 0.0, 0.0]), np.float64(1.0))
    assert str(clipped.dtype).endswith("float32")
    same(clipped, [-1.0, 0.5, 1.0])


def test_what_is_no_array_is_refused():
    for thing in ([1.0], 3.0, None, "x"):
        with pytest.raises(TypeError, match="is not an array: pass a NumPy array or a PyTorch tensor"):
            arrays.namespace(thing)


def test_jax_arrays_go_through_the_array_api():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.asarray([[0.0, -3.0], [2.0, 3.0]])
    assert arrays.largest(x, 2, np.array([3])).tolist() == [1, 3]
    assert arrays.support(x).tolist() == [1, 2, 3]
    assert arrays.norm(x) == pytest.approx(math.sqrt(22))
    kept = arrays.keep(x, np.array([1]))
    assert type(kept) is type(x)
    same(kept, [[0, -3], [0, 0]])
    same(arrays.take(x, np.array([1])), [-3])
    same(arrays.clip(x, -1.0, np.full((2, 2), 2.5)), [[0, -1], [2, 2.5]])
    assert arrays.is_finite(x)


def test_neither_torch_nor_numba_is_loaded_for_small_numpy_arrays():
    program = (
        "import sys, numpy as np; from atmostk import arrays; "
        "arrays.keep(np.ones(9), arrays.largest(np.ones(9), 3)); arrays.norm(np.ones(9)); "
        "assert not {'torch', 'numba'} & set(sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=environment)
