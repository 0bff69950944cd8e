"""At most so many edges."""

import numpy as np
import pytest

from atmostk.constraints import AlwaysKept, AtMostEdges, WithinBox


def project(constraint, v):
    return constraint.restrict(v, constraint.choose(v))


def test_the_diagonal_is_free_and_both_entries_of_an_edge_stay_together():
    v = np.array([[1e-9, 3.0, 1.0], [3.0, 1e-9, 2.0], [1.0, 2.0, 1e-9]])
    x = project(AtMostEdges(1), v)
    assert np.array_equal(x, [[1e-9, 3, 0], [3, 1e-9, 0], [0, 0, 1e-9]])


def test_an_edge_counts_with_the_mean_of_its_entries():
    v = np.array([[1.0, 5.0, 2.0], [-5.0, 1.0, 0.0], [2.0, 0.0, 1.0]])
    assert np.array_equal(project(AtMostEdges(1), v), [[1, 0, 2], [0, 1, 0], [2, 0, 1]])


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_against_a_sort_of_all_pairs_with_many_ties(size):
    rng = np.random.default_rng(size)
    v = rng.integers(-3, 4, (size, size)).astype(float)
    symmetric = (v + v.T) / 2
    pairs = list(zip(*np.triu_indices(size, 1), strict=True))
    for edges in range(0, len(pairs) + 2, max(1, len(pairs) // 7)):
        current = [pair for pair in pairs if rng.random() < 0.3]
        flat = np.sort(np.array([[i * size + j, j * size + i] for i, j in current], np.int64).ravel())
        best = sorted(pairs, key=lambda pair: (-abs(symmetric[pair]), pair not in current, pair))[:edges]
        expected = sorted(
            [i * (size + 1) for i in range(size)] + [e for i, j in best for e in (i * size + j, j * size + i)]
        )
        assert AtMostEdges(edges).choose(v, flat).tolist() == expected


def test_half_an_edge_as_current_support_stands_for_the_edge():
    assert AtMostEdges(1).choose(np.zeros((3, 3)), np.array([7])).tolist() == [0, 4, 5, 7, 8]


def test_only_square_matrices_are_constrained():
    for shape in ((3,), (2, 3), (2, 2, 2)):
        with pytest.raises(ValueError, match=r"constrains a square matrix, not an array of shape"):
            AtMostEdges(1).check(np.ones(shape))
    with pytest.raises(ValueError, match=r"AtMostEdges\(1.5\): edges must be a whole number"):
        AtMostEdges(1.5)


def test_an_edge_is_always_kept_with_both_its_entries():
    AlwaysKept(AtMostEdges(1), [1, 3, 4]).check(np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"\(0, 1\) is always kept, so \(1, 0\) must be too"):
        AlwaysKept(AtMostEdges(1), [1]).check(np.ones((3, 3)))


def test_a_box_around_edges_must_be_symmetric():
    upper = np.array([[1.0, 2.0], [3.0, 1.0]])
    with pytest.raises(ValueError, match="needs a symmetric array of upper bounds"):
        WithinBox(AtMostEdges(1), 0.0, upper).check(np.ones((2, 2)))


def test_a_positive_diagonal_is_a_box():
    lower = np.where(np.eye(3) > 0, 0.1, -np.inf)
    constraint = WithinBox(AtMostEdges(1), lower)
    constraint.check(np.ones((3, 3)))
    x = project(constraint, np.array([[-1.0, 2.0, 0.0], [2.0, 1.0, -3.0], [0.0, -3.0, 1.0]]))
    assert np.array_equal(x, [[0.1, 0, 0], [0, 1, -3], [0, -3, 1]])
