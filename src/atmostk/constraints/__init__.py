"""C_K, the allowed points: which entries may stay, and what is the nearest allowed point."""

from atmostk.constraints.at_most import AtMost

__all__ = ["AtMost"]
