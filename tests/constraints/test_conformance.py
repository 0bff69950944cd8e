"""What every constraint keeps to, each against the truth of `conftest.py`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from atmostk import problem

torch = pytest.importorskip("torch")

VALUES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 0.1]) | st.floats(-5, 5).map(
    lambda value: round(value, 3)
)


@st.composite
def points(draw, case) -> np.ndarray:
    values = draw(st.lists(VALUES, min_size=case.size, max_size=case.size))
    return np.array(values).reshape(case.shape)


def nearest(constraint, v, current=None):
    return constraint.restrict(v, constraint.choose(v, current))


def budgets(case) -> range:
    return range(case.smallest, len(case.units) + 3)


def entries_of(units) -> list[int]:
    return sorted(entry for unit in units for entry in unit)


@given(data=st.data())
def test_the_nearest_point_is_allowed_and_no_other_support_is_nearer(case, data):
    v = data.draw(points(case))
    budget = data.draw(st.sampled_from(budgets(case)))
    x = nearest(case.make(budget), v)
    assert case.contains(x, budget)
    assert np.sum((v - x) ** 2) == pytest.approx(case.nearest_distance(v, budget), abs=1e-9)


@given(data=st.data())
def test_exactly_the_budget_is_chosen_in_whole_units(case, data):
    v = data.draw(points(case))
    for budget in budgets(case):
        chosen = case.make(budget).choose(v)
        assert isinstance(chosen, np.ndarray)
        assert chosen.dtype == np.int64
        kept = [unit for unit in case.units if set(unit) <= set(chosen)]
        assert len(kept) == min(budget, len(case.units))
        assert chosen.tolist() == entries_of([*kept, *case.free])


@given(data=st.data())
def test_an_allowed_point_stays_where_it_is(case, data):
    constraint = case.make(data.draw(st.sampled_from(budgets(case))))
    x = nearest(constraint, data.draw(points(case)))
    if case.total is None:
        assert np.array_equal(nearest(constraint, x), x)
    else:
        assert nearest(constraint, x) == pytest.approx(x, abs=1e-12)


@given(data=st.data())
def test_the_argument_is_not_written_to_nor_shared(case, data):
    v = data.draw(points(case))
    before = v.copy()
    v.flags.writeable = False
    x = nearest(case.make(2), v)
    x[...] = 99.0
    assert np.array_equal(v, before)


def test_when_all_are_worth_the_same_the_current_support_stays_and_then_the_first_come(case):
    v = np.zeros(case.shape)
    for budget in budgets(case):
        constraint = case.make(budget)
        first = entries_of([*case.units[:budget], *case.free])
        assert constraint.choose(v).tolist() == first
        assert constraint.choose(v, np.empty(0, np.int64)).tolist() == first
        count = min(budget, len(case.units))
        last = np.array(entries_of([*case.units[len(case.units) - count :], *case.free]), np.int64)
        assert constraint.choose(v, last).tolist() == last.tolist()
        one_more = case.units[-1:] if budget else ()
        current = np.array(entries_of([*one_more, *case.free]), np.int64)
        expected = entries_of([*case.units[: count - len(one_more)], *one_more, *case.free])
        if budget <= len(case.units):
            assert constraint.choose(v, current).tolist() == expected


@given(data=st.data())
def test_a_current_support_never_makes_the_point_farther(case, data):
    v = data.draw(points(case))
    budget = data.draw(st.sampled_from(budgets(case)))
    current = np.array(sorted(data.draw(st.sets(st.integers(0, case.size - 1)))), np.int64)
    constraint = case.make(budget)
    distance = np.sum((v - nearest(constraint, v, current)) ** 2)
    assert distance == pytest.approx(np.sum((v - nearest(constraint, v)) ** 2), abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numpy_and_pytorch_give_the_same_point_of_the_same_kind(case, dtype):
    rng = np.random.default_rng(0)
    for _ in range(10):
        v = rng.standard_normal(case.shape).astype(dtype)
        tensor = torch.tensor(v, requires_grad=True)
        constraint = case.make(2)
        current = np.array(entries_of([*case.units[-1:], *case.free]), np.int64)
        support = constraint.choose(v, current)
        assert constraint.choose(tensor, current).tolist() == support.tolist()
        x, on_torch = constraint.restrict(v, support), constraint.restrict(tensor, support)
        assert isinstance(on_torch, torch.Tensor)
        assert on_torch.dtype == tensor.dtype
        assert not on_torch.requires_grad
        assert x.dtype == dtype
        assert x.shape == on_torch.shape == case.shape
        assert np.array_equal(on_torch.numpy(), x)


@given(data=st.data())
def test_the_support_may_come_from_elsewhere(case, data):
    """`restrict` is the nearest point on any support of whole units, not only on the chosen one."""
    v = data.draw(points(case))
    units = data.draw(st.lists(st.sampled_from(case.units), min_size=1, max_size=2, unique=True))
    x = case.make(2).restrict(v, np.array(entries_of([*units, *case.free])))
    assert case.contains(x, len(units))
    assert np.sum((v - x) ** 2) == pytest.approx(case._distance(v, tuple(units)), abs=1e-9)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_point_that_is_not_finite_is_refused(case, wrong):
    v = np.ones(case.shape)
    v.flat[1] = wrong
    for kind in (v, torch.from_numpy(v)):
        with pytest.raises(ValueError, match=r"finds no nearest point: entry 1 is -?(nan|inf), which is not finite\."):
            case.make(1).choose(kind)


def test_it_is_a_constraint_that_fits_points_of_its_shape(case):
    constraint = case.make(2)
    assert isinstance(constraint, problem.Constraint)
    constraint.check(np.zeros(case.shape))
    constraint.check(torch.zeros(case.shape, dtype=torch.float32))
    with pytest.raises(TypeError, match="is not an array"):
        constraint.check([0.0] * case.size)


def test_it_cannot_be_changed_and_shows_what_it_is(case):
    constraint = case.make(2)
    assert repr(constraint).startswith(type(constraint).__name__ + "(")
    for name in vars(constraint):
        with pytest.raises(AttributeError):
            setattr(constraint, name, 3)
