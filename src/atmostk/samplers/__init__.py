"""Xi: where rows come from. Each is one file."""

from atmostk.samplers.batches import Batches
from atmostk.samplers.mapped_rows import MappedRows, shuffle_rows
from atmostk.samplers.rows import Rows
from atmostk.samplers.simulator import Simulator

__all__ = ["Batches", "MappedRows", "Rows", "Simulator", "shuffle_rows"]
