"""A small image as a PNG inside the page: a few lines, where an imaging library would be a dependency."""

from __future__ import annotations

import base64
import zlib

import numpy as np


def address(image: np.ndarray) -> str:
    """An image of numbers from 0 to 1 as a data address: height x width, channels first or last.

    >>> address(np.zeros((2, 3)))[:27]
    'data:image/png;base64,iVBOR'
    """
    image = np.asarray(image, dtype=float)
    if image.ndim == 3 and image.shape[0] in (1, 3):
        image = np.moveaxis(image, 0, -1)
    pixels = np.round(255 * np.clip(image, 0, 1)).astype(np.uint8).reshape(*image.shape[:2], -1)
    height, width, channels = pixels.shape
    if channels not in (1, 3):
        raise ValueError(f"an image of shape {image.shape} has {channels} channels: a report shows 1 or 3.")
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))
    file = b"\x89PNG\r\n\x1a\n"
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0 if channels == 1 else 2, 0, 0, 0])
    for name, content in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")):
        file += len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")
    return "data:image/png;base64," + base64.b64encode(file).decode()
