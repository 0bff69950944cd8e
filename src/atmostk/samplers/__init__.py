"""Xi: where rows come from. Each is one file."""

from atmostk.samplers.arrow_store import ArrowStore
from atmostk.samplers.batches import Batches
from atmostk.samplers.csr_store import CsrStore, CsrWriter, store_csr
from atmostk.samplers.dask_rows import DaskRows, connected
from atmostk.samplers.mapped_rows import MappedRows, shuffle_rows
from atmostk.samplers.parquet_store import ParquetStore
from atmostk.samplers.rows import Rows
from atmostk.samplers.simulator import Simulator
from atmostk.samplers.spread_rows import SpreadRows
from atmostk.samplers.stored_rows import StoredRows

__all__ = [
    "ArrowStore",
    "Batches",
    "CsrStore",
    "CsrWriter",
    "DaskRows",
    "MappedRows",
    "ParquetStore",
    "Rows",
    "Simulator",
    "SpreadRows",
    "StoredRows",
    "connected",
    "shuffle_rows",
    "store_csr",
]
