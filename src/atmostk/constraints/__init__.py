"""C_K, the allowed points: which entries may stay, and what is the nearest allowed point."""

from atmostk.constraints.always_kept import AlwaysKept
from atmostk.constraints.at_most import AtMost
from atmostk.constraints.at_most_edges import AtMostEdges
from atmostk.constraints.at_most_groups import AtMostGroups
from atmostk.constraints.on_simplex import OnSimplex
from atmostk.constraints.within_box import WithinBox

__all__ = ["AlwaysKept", "AtMost", "AtMostEdges", "AtMostGroups", "OnSimplex", "WithinBox"]
