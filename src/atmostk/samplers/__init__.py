"""Xi: where rows come from. Each is one file."""

from atmostk.samplers.arrow_store import ArrowStore
from atmostk.samplers.batches import Batches
from atmostk.samplers.csr_store import CsrStore, CsrWriter, store_csr
from atmostk.samplers.mapped_rows import MappedRows, shuffle_rows
from atmostk.samplers.parquet_store import ParquetStore
from atmostk.samplers.rows import Rows
from atmostk.samplers.simulator import Simulator
from atmostk.samplers.stored_rows import StoredRows

__all__ = [
    "ArrowStore",
    "Batches",
    "CsrStore",
    "CsrWriter",
    "MappedRows",
    "ParquetStore",
    "Rows",
    "Simulator",
    "StoredRows",
    "shuffle_rows",
    "store_csr",
]
