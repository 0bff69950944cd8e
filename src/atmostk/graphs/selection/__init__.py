"""Which pairs are the edges, when there may be so many: rules that give each pair a score, and the best are chosen.

With many rows all rules agree; with few, which is best depends on the network, and `SparsePrecisionCV` finds out.
"""

from atmostk.graphs.selection.combined import Combined
from atmostk.graphs.selection.growth import Growth
from atmostk.graphs.selection.neighbourhood import Neighbourhood
from atmostk.graphs.selection.rule import Selection
from atmostk.graphs.selection.study import Study

__all__ = ["Combined", "Growth", "Neighbourhood", "Selection", "Study"]
