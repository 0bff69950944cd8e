"""Images as the 256 levels that a file holds, and back."""

from __future__ import annotations

from atmostk import arrays
from atmostk.arrays import Array

LEVELS = 255  # the highest of 256


def is_levels(images: Array) -> bool:
    """Whether the images are whole numbers, which are levels, and not numbers of the box.

    >>> import numpy as np
    >>> is_levels(np.zeros(1, np.uint8))
    True
    """
    return not arrays.is_floating(images)


def from_levels(images: Array, low: float, high: float) -> Array:
    """Levels from 0 to 255 as single-precision numbers from low to high.

    >>> import numpy as np
    >>> from_levels(np.array([0, 255], np.uint8), -1.0, 1.0)
    array([-1.,  1.], dtype=float32)
    """
    xp = arrays.namespace(images)
    return xp.astype(images, xp.float32) * ((high - low) / LEVELS) + low


def to_levels(images: Array, low: float, high: float, like: Array) -> Array:
    """Numbers from low to high as the nearest levels, in the type of `like`.

    >>> import numpy as np
    >>> to_levels(np.array([0.0, 0.5, 1.0]), 0.0, 1.0, np.zeros(1, np.uint8))
    array([  0, 128, 255], dtype=uint8)
    """
    xp = arrays.namespace(images)
    return xp.astype(xp.round((images - low) * (LEVELS / (high - low))), like.dtype)
