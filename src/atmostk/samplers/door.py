"""What rows must be before anything is computed with them: one sentence for each way to be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from atmostk import arrays

Array = Any


def checked_features(X: Array) -> Array:
    """X as a matrix of finite numbers, not copied."""
    if arrays.is_scipy_sparse(X):
        if X.format not in ("csr", "csc"):
            raise TypeError(f"X is sparse in {X.format.upper()} form: convert it with X.tocsr() first.")
        stored = X.data
    else:
        if isinstance(X, list | tuple):
            X = np.asarray(X)
        if not hasattr(X, "shape") or not hasattr(X, "dtype"):
            how = "pass X.to_numpy()" if hasattr(X, "to_numpy") else "give a NumPy array, a scipy CSR array or a tensor"
            raise TypeError(f"X is a {type(X).__name__}: {how}.")
        stored = X
    if len(X.shape) != 2:
        raise ValueError(f"X has shape {tuple(X.shape)}: it must be a matrix, rows by columns.")
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"X is empty, {X.shape[0]} rows by {X.shape[1]} columns: there is nothing to learn from.")
    _check_numbers(stored, "X")
    if not arrays.is_finite(stored):
        raise ValueError(f"X holds NaN or infinity{_place(X)}: drop those rows or fill them in first.")
    return X


def checked_target(y: Array, X: Array) -> Array:
    """y as one finite number a row, in X's precision so that float32 stays float32."""
    y = _column(y, X, "y")
    if arrays.is_floating(X) and arrays.is_floating(y) and y.dtype != X.dtype:
        return arrays.like(y, X)
    return y


def checked_weights(weights: Array, X: Array) -> Array:
    """Weights as one number of 0 or more a row, not all of them 0, in X's precision."""
    weights = _column(weights, X, "weights")
    smallest, largest = arrays.span(weights)
    if smallest < 0:
        raise ValueError(f"weights hold {smallest:g}: a row's weight must be 0 or more.")
    if largest == 0:
        raise ValueError("all weights are 0: at least one row must count.")
    return weights if weights.dtype == X.dtype else arrays.like(weights, X)


def _column(values: Array, X: Array, name: str) -> Array:
    if not hasattr(values, "shape") or not hasattr(values, "dtype"):
        values = np.asarray(values)
    rows = int(X.shape[0])
    if tuple(values.shape) != (rows,):
        raise ValueError(
            f"{name} has shape {tuple(values.shape)} but X has {rows} rows: {name} must be of shape ({rows},)."
        )
    _check_numbers(values, name)
    if not arrays.is_finite(values):
        raise ValueError(f"{name} holds NaN or infinity{_place(values)}: drop those rows or fill them in first.")
    if not arrays.is_scipy_sparse(X) and not isinstance(X, np.ndarray):
        return arrays.like(values, X) if isinstance(values, np.ndarray) else values
    return values if isinstance(values, np.ndarray) else arrays.to_numpy(values)


def _check_numbers(values: Array, name: str) -> None:
    kind = getattr(values.dtype, "kind", "f")
    if kind == "O":
        raise TypeError(f"{name} holds Python objects (text, None or mixed types): convert it to numbers first.")
    if kind not in "fiub":
        raise TypeError(f"{name} is of type {values.dtype}: it must be real numbers.")


def _place(values: Array) -> str:
    """Where the first number that is not finite stands."""
    if arrays.is_scipy_sparse(values):
        return ""
    flat = np.flatnonzero(~np.isfinite(arrays.to_numpy(values)).ravel())
    if len(values.shape) == 1:
        return f" in row {flat[0]}"
    row, column = divmod(int(flat[0]), int(values.shape[1]))
    return f" in row {row}, column {column}"
