"""Whether a sparse symmetric matrix is positive definite, and what would make it so; never by a dense p^3.

The pseudo-likelihood does not see to it: each variable is predicted by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigvalsh
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, eigsh

SMALL = 500  # variables up to which all eigenvalues cost less than Lanczos


def smallest_eigenvalue(matrix: Any, *, tolerance: float = 1e-9) -> float:
    """The smallest eigenvalue of a sparse symmetric matrix, from below: the estimate less its residual's length.

    >>> round(smallest_eigenvalue(sparse.csr_array(np.array([[2.0, 1.0], [1.0, 2.0]]))), 6)
    1.0
    """
    size = matrix.shape[0]
    if size <= SMALL:
        return float(eigvalsh(matrix.toarray(), subset_by_index=[0, 0])[0])
    start = np.random.default_rng(0).standard_normal(size)  # ARPACK's own start is random
    limit: Any = tolerance
    try:
        values, vectors = eigsh(matrix, k=1, which="SA", tol=limit, v0=start, ncv=40, maxiter=4000)
    except ArpackNoConvergence as stopped:
        if not len(stopped.eigenvalues):
            return _gershgorin(matrix)
        values, vectors = stopped.eigenvalues, stopped.eigenvectors
    except ArpackError:
        return _gershgorin(matrix)
    vector = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    residual = float(np.linalg.norm(matrix @ vector - values[0] * vector))
    return float(values[0]) - residual


def is_positive_definite(matrix: Any) -> bool:
    """Whether all eigenvalues are above 0.

    >>> is_positive_definite(sparse.csr_array(np.array([[1.0, 2.0], [2.0, 1.0]])))
    False
    """
    scaled = unit_diagonal(matrix)
    return _gershgorin(scaled) > 0 or smallest_eigenvalue(scaled) > 0


def unit_diagonal(matrix: Any) -> Any:
    """The matrix with rows and columns scaled so that its diagonal is 1: definite if and only if the matrix is."""
    root = sparse.diags_array(1 / np.sqrt(matrix.diagonal()))
    return (root @ matrix @ root).tocsr()


def _gershgorin(matrix: Any) -> float:
    """A number that no eigenvalue is below."""
    diagonal = matrix.diagonal()
    return float((diagonal - (abs(matrix).sum(axis=1) - np.abs(diagonal))).min())
