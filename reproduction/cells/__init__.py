"""Experiments made of many cells: run once each, side by side, and kept."""

from reproduction.cells.kept import Kept
from reproduction.cells.sweep import complete

__all__ = ["Kept", "complete"]
