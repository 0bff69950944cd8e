"""What the data cannot tell apart, in sentences with the columns' names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpstrf  # pyright: ignore[reportAttributeAccessIssue]

from atmostk import arrays
from atmostk.estimators.linear_search import Found, LinearSearch
from atmostk.estimators.measurements import told
from atmostk.objectives import columns
from atmostk.objectives.centred import Centred

LOOKED_AT = 256  # rows by which dense columns are first compared
ENOUGH = 4096  # rows that show a set of columns to be independent
MOST = 20  # pairs that are compared in full


def sentences(search: LinearSearch, found: Found, names: np.ndarray | None) -> Iterator[str]:
    """One for each thing that makes the answer, or a part of it, arbitrary."""
    X, intercept = raw(search), search.rules.intercept
    flat = constants(search)
    if intercept and flat.size:
        room = search.rules.count - flat.size
        if np.isin(flat, found.support).any() or found.at_most > room:
            yield (
                f"{told(flat, names)} {_is(flat)} constant, which the intercept is already: "
                f"at most {room} features can be told apart."
            )
    chosen = np.setdiff1d(found.support, flat) if intercept else found.support
    for first, second in _twins(X, chosen, search):
        one, other = told(np.array([first]), names), told(np.array([second]), names)
        yield f"{one} and {other} say the same: which of them is in the model is arbitrary."
    if search.ridge is None:
        dependent = _dependent(X, chosen, search)
        if dependent.size:
            yield (
                f"{told(dependent, names)} {_is(dependent)} a combination of the other "
                f"{chosen.size - dependent.size} chosen features on these {X.shape[0]} rows, so that coefficients are "
                "not unique: allow fewer or give a ridge."
            )
    exact = fits_exactly(found)
    short = found.used < found.at_most and found.result.stop.converged and not exact
    if short and not flat.size and search.rules.lower is None:
        others = np.setdiff1d(np.arange(X.shape[1]), found.support)
        yield (
            f"at_most={found.at_most}, but {found.used} are all that these {X.shape[0]} rows can tell apart: "
            f"{told(others, names)} {_is(others)} made of the others."
        )
    if exact and found.at_most > found.used:
        yield (
            f"{told(found.support, names)} fit{'s' * (found.support.size == 1)} all {X.shape[0]} rows exactly: "
            f"with at_most={found.at_most} there are many such answers, allow fewer features."
        )


def fits_exactly(found: Found) -> bool:
    """Whether the search ended because nothing was left to explain."""
    return "fit every row exactly" in found.result.stop.reason


def raw(search: LinearSearch) -> Any:
    """X as it came in."""
    X = search.sampler.X
    return X.X if isinstance(X, Centred) else X


def constants(search: LinearSearch) -> np.ndarray:
    """The columns that never vary."""
    means, variances = search.moments
    rounding = (8 * np.finfo(search.dtype).eps * means) ** 2
    return np.flatnonzero(variances <= rounding)


def _is(places: np.ndarray) -> str:
    return "is" if places.size == 1 else "are"


def _counting(search: LinearSearch, most: int) -> np.ndarray:
    """Rows that count, evenly spread."""
    weights = search.sampler.weights
    rows = np.arange(search.sampler.X.shape[0]) if weights is None else np.flatnonzero(weights)
    return rows[:: max(1, -(-rows.size // most))]


def _standard(A: np.ndarray, intercept: bool) -> np.ndarray:
    """Columns of length 1, about their means where an intercept follows them."""
    A = A.astype(np.float64)
    if intercept:
        A = A - A.mean(axis=0)
    lengths = np.sqrt(np.einsum("ij,ij->j", A, A))
    return A / np.where(lengths > 0, lengths, 1.0)


def _twins(X: Any, chosen: np.ndarray, search: LinearSearch) -> list[tuple[int, int]]:
    """Chosen columns with another one of which they are a multiple (and a shift, with an intercept)."""
    if chosen.size == 0 or X.shape[1] < 2:
        return []
    close = 1e-7 if X.dtype == np.float64 else 1e-3
    intercept = search.rules.intercept
    found: list[tuple[int, int]] = []
    candidates = _alike(X, chosen, search, close)
    for first, second in candidates[:MOST]:
        if (second, first) in found:
            continue
        pair = _standard(columns.taken(X, np.array([first, second])), intercept)
        if abs(float(pair[:, 0] @ pair[:, 1])) >= 1 - close**2 * 100:
            found.append((first, second))
    return found


def _alike(X: Any, chosen: np.ndarray, search: LinearSearch, close: float) -> list[tuple[int, int]]:
    """Pairs of a chosen column and another one that two random combinations of rows cannot tell apart."""
    rng = np.random.default_rng(0)
    if arrays.is_scipy_sparse(X):
        mixes = rng.normal(size=(X.shape[0], 2)).astype(X.dtype)
        if search.rules.intercept:
            mixes -= mixes.mean(axis=0)
        means, variances = search.moments
        scales = np.sqrt(variances if search.rules.intercept else variances + means**2)
        marks = np.abs(np.asarray(X.T @ mixes, np.float64).T) / np.where(scales > 0, scales, 1.0)
        close *= 100
    else:
        part = _standard(X[_counting(search, LOOKED_AT)], search.rules.intercept)
        marks = np.abs(rng.normal(size=(2, len(part))) @ part)
    order = np.argsort(marks[0], kind="stable")
    ranked = marks[0][order]
    pairs = []
    for one in chosen:
        first, second = marks[:, one]
        if first == 0:
            continue  # all its rows that were looked at are alike
        low, high = np.searchsorted(ranked, [first * (1 - close), first * (1 + close)])
        others = order[low:high]
        others = others[(np.abs(marks[1][others] - second) <= close * first) & (others != one)]
        pairs += [(int(one), int(other)) for other in others]
        if len(pairs) > 50 * MOST:
            break
    return pairs


def _dependent(X: Any, chosen: np.ndarray, search: LinearSearch) -> np.ndarray:
    """Those of the chosen columns that are combinations of the others."""
    for most in (max(ENOUGH, 4 * chosen.size), X.shape[0]):
        rows = _counting(search, most)
        A = _standard(columns.taken(X[rows], chosen), search.rules.intercept)
        gram = A.T @ A
        least = 1e-10 if X.dtype == np.float64 else 4e-6
        _, order, rank, _ = dpstrf(gram, tol=least, lower=1)
        if rank >= chosen.size:
            return chosen[:0]
        if rows.size == X.shape[0]:
            break
    return np.sort(chosen[order[rank:] - 1])
