"""A table of measurements (gene expression, most often): samples by variables, with the names of both."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, repr=False)
class Expression:
    """Samples in rows, variables (genes) in columns.

    `names` are the variables' names, `identifiers` their probes where the two differ, `samples` the samples' names, `y`
    a label for each sample where there is one, `groups` named sets of samples.

    >>> names = np.array(["a", "b", "c"])
    >>> table = Expression(np.array([[1.0, 5.0, 2.0], [2.0, 1.0, 2.0]]), names, np.array(["s1", "s2"]), names)
    >>> table.most_variable(2).names
    array(['a', 'b'], dtype='<U1')
    """

    X: np.ndarray
    names: np.ndarray
    samples: np.ndarray
    identifiers: np.ndarray
    y: np.ndarray | None = None
    title: str = ""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        n, p = self.X.shape
        return f"Expression({n} samples x {p} variables{': ' + self.title if self.title else ''})"

    def most_variable(self, count: int) -> Expression:
        """The same samples on the `count` variables of the largest variance, in the order they stand in."""
        if not 1 <= count <= self.X.shape[1]:
            raise ValueError(f"most_variable({count}): there are {self.X.shape[1]} variables.")
        kept = np.sort(np.argsort(-self.X.var(axis=0), kind="stable")[:count])
        return Expression(
            self.X[:, kept], self.names[kept], self.samples, self.identifiers[kept], self.y, self.title, self.groups
        )


def load_expression(file: str | Path) -> Expression:
    """A `.npz` file with X (samples x variables) and, where there are such, `genes`, `samples` and labels `y`.

    >>> import numpy as np, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "small.npz"
    >>> np.savez(file, X=np.eye(3), genes=np.array(["a", "b", "c"]))
    >>> load_expression(file)
    Expression(3 samples x 3 variables: small)
    """
    arrays = opened_archive(file, needs=("X",))
    X = arrays["X"]
    if X.ndim != 2 or X.dtype.kind not in "fiu":
        raise ValueError(f"{file}: X has shape {X.shape} and type {X.dtype}; it must be a matrix of numbers.")
    n, p = X.shape
    names = _labels(arrays, "genes", p, "V", file)
    samples = _labels(arrays, "samples", n, "S", file)
    y = _labels(arrays, "y", n, "", file) if "y" in arrays else None
    return Expression(X, names, samples, names, y, Path(file).stem)


def opened_archive(file: str | Path, *, needs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Every array of a `.npz` file from outside: nothing is unpickled."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise FileNotFoundError(f"{file}: there is no such file.") from None
    except (ValueError, OSError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{file} is not a readable .npz file of plain arrays ({error}).") from None
    missing = [name for name in needs if name not in arrays]
    if missing:
        held = ", ".join(sorted(arrays)) or "nothing"
        raise ValueError(f"{file} has no array {' and no '.join(missing)}: it holds {held}.")
    return arrays


def _labels(arrays: dict[str, np.ndarray], name: str, count: int, letter: str, file: Any) -> np.ndarray:
    if name not in arrays:
        return np.array([f"{letter}{place}" for place in range(count)])
    labels = arrays[name]
    if labels.shape != (count,):
        raise ValueError(f"{file}: {name} has shape {labels.shape}, but X asks for {count} of them.")
    return labels
