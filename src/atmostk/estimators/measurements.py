"""Rows of variables as they come in: arrays, frames, annotated data; checked at the door, with their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

SHOWN = 5
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def measured(estimator: Any, X: Any, *, fitting: bool, missing: bool = False) -> np.ndarray:
    """X as a matrix of floats, rows in rows; the estimator learns, or is checked against, its variables.

    Where `missing`, NaN may stay for the caller to fill. float32 stays float32; an array that is well is not copied.
    """
    if fitting and type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS and len(X) > 1 and X.shape[1]:
        # What scikit-learn's door does for such an array, without its search for frames of five libraries: a sixth of
        # what a fit of 100 variables takes.
        estimator.n_features_in_ = X.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        if not np.isfinite(X.sum()):
            _check_finite(X, None, missing)
        return X
    X, names = _opened(X)
    more: dict[str, Any] = {"ensure_min_samples": 2} if fitting else {}
    matrix: Any = validate_data(
        estimator, X, reset=fitting, dtype=[np.float64, np.float32], ensure_all_finite=False, **more
    )
    if names is not None and fitting:
        estimator.feature_names_in_ = names
    # A sum is finite if all is: one pass and no array of truths.
    if not np.isfinite(matrix.sum()):
        _check_finite(matrix, getattr(estimator, "feature_names_in_", None), missing)
    return matrix


def _opened(X: Any) -> tuple[Any, np.ndarray | None]:
    """The matrix and the names of what only some libraries know."""
    if isinstance(X, str | Path):
        X = _read(Path(X))
    if hasattr(X, "var_names") and hasattr(X, "X"):  # AnnData
        matrix = X.X
        return (matrix.toarray() if hasattr(matrix, "toarray") else matrix), np.asarray(X.var_names, dtype=object)
    if not hasattr(X, "iloc") and hasattr(X, "to_numpy") and hasattr(X, "columns"):  # polars
        return X.to_numpy(), np.asarray(list(X.columns), dtype=object)
    return X, None


def _read(file: Path) -> Any:
    if file.suffix != ".h5ad":
        raise ValueError(f"{file}: only .h5ad files are read here; open others with atmostk.datasets or pandas.")
    if not file.exists():
        raise FileNotFoundError(f"{file}: there is no such file.")
    try:
        import anndata  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ImportError(f"{file}: reading .h5ad files needs anndata: pip install 'atmostk[anndata]'") from None
    return anndata.read_h5ad(file)


def _check_finite(matrix: np.ndarray, names: np.ndarray | None, missing: bool) -> None:
    bad = ~np.isfinite(matrix)
    if not bad.any():  # finite entries whose sum is not
        return
    if missing:
        bad &= ~np.isnan(matrix)
        if not bad.any():
            empty = np.flatnonzero(np.isnan(matrix).all(axis=0))
            if empty.size:
                raise ValueError(f"{told(empty, names)} without a single value: drop what was never measured.")
            return
        raise ValueError(f"X holds infinity in {told(np.flatnonzero(bad.any(axis=0)), names)}: no mean can replace it.")
    count = int(bad.sum())
    raise ValueError(
        f"X has {count} missing or infinite value{'s' * (count > 1)} (NaN, inf) in "
        f"{told(np.flatnonzero(bad.any(axis=0)), names)}: drop them, fill them, or "
        "say impute=True for the column's mean."
    )


def told(columns: np.ndarray, names: np.ndarray | None) -> str:
    """The columns in words: by name where they have one.

    >>> told(np.array([1, 2]), np.array(["a", "b", "c"]))
    "columns 'b', 'c'"
    """
    some = [repr(str(names[place])) if names is not None else str(place) for place in columns[:SHOWN]]
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    return f"column{'s' * (len(columns) > 1)} {', '.join(some)}{more}"
