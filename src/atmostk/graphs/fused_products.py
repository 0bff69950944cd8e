"""Products of rows and the test of each against a threshold in one kernel, for processors with 512-bit vectors.

BLAS writes every product to memory and a second scan reads it; here sixteen products at a time stay in registers until
the few that matter are known. Compiled by numba from LLVM's own vector operations: no compiler is needed, and where the
processor has no such vectors, `available()` says so and BLAS does the work.
"""

from __future__ import annotations

import functools

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from atmostk.compiled import compiled

ROWS = 6  # of the left matrix at a time
LANES = 16
VECTORS = 4
COLUMNS = LANES * VECTORS  # of the right matrix at a time
PANELS = 2  # of COLUMNS, held in the cache while all rows pass


@functools.cache
def available() -> bool:
    """Whether this processor has the vectors that the kernel is made for."""
    return bool(binding.get_host_cpu_features().get("avx512f", False))


@intrinsic
def _tile(typing, left, stride, right, length, least, out):
    """ROWS x COLUMNS products |left_r . right_c| to `out`; whether any exceeds `least`. Arguments are addresses."""
    signature = types.boolean(types.int64, types.int64, types.int64, types.int64, types.float32, types.int64)

    def generate(context, builder, signature, arguments):
        left, stride, right, length, least, out = arguments
        number, whole, narrow = ir.FloatType(), ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(number, LANES)
        at = lambda value: ir.Constant(whole, value)  # noqa: E731
        function = functools.partial(cgutils.get_or_insert_function, builder.module)
        multiply_add = function(ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{LANES}f32")
        magnitude = function(ir.FunctionType(vector, [vector]), f"llvm.fabs.v{LANES}f32")

        def spread(value):
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(narrow, 0))
            return builder.shuffle_vector(
                first, ir.Constant(vector, ir.Undefined), ir.Constant(ir.VectorType(narrow, LANES), [0] * LANES)
            )

        def load(address, kind, align):
            return builder.load(builder.inttoptr(address, kind.as_pointer()), align=align)

        rows = [builder.add(left, builder.mul(stride, at(4 * r))) for r in range(ROWS)]
        before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(whole)
        k.add_incoming(at(0), before)
        sums = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        panel = builder.add(right, builder.mul(k, at(4 * COLUMNS)))
        place = builder.mul(k, at(4))
        columns = [load(builder.add(panel, at(4 * LANES * c)), vector, 4) for c in range(VECTORS)]
        new = []
        for r in range(ROWS):
            value = spread(load(builder.add(rows[r], place), number, 4))
            new.append([builder.call(multiply_add, [value, columns[c], sums[r][c]]) for c in range(VECTORS)])
        following = builder.add(k, at(1))
        k.add_incoming(following, loop)
        for r in range(ROWS):
            for c in range(VECTORS):
                sums[r][c].add_incoming(ir.Constant(vector, [0.0] * LANES), before)
                sums[r][c].add_incoming(new[r][c], loop)
        builder.cbranch(builder.icmp_signed("<", following, length), loop, after)
        builder.position_at_end(after)
        top = None
        for r in range(ROWS):
            for c in range(VECTORS):
                size = builder.call(magnitude, [new[r][c]])
                address = builder.add(out, at((r * VECTORS + c) * 4 * LANES))
                builder.store(size, builder.inttoptr(address, vector.as_pointer()), align=4)
                top = size if top is None else builder.select(builder.fcmp_ordered(">", size, top), size, top)
        above = builder.bitcast(builder.fcmp_ordered(">", top, spread(least)), ir.IntType(LANES))
        return builder.icmp_unsigned("!=", above, ir.Constant(ir.IntType(LANES), 0))

    return signature, generate


@compiled(nogil=True)
def screened(left, right, begin, least, rows, columns):
    """The pairs i < begin + j with |left_i . right_j| above `least`, for the rows of `right`, which begin at `begin`.

    How many there are; `rows` and `columns` hold as many of them as they have room for.
    """
    size, length = left.shape
    width = right.shape[0]
    room = rows.shape[0]
    found = 0
    panel = np.zeros((PANELS, length, COLUMNS), np.float32)
    out = np.empty(ROWS * COLUMNS, np.float32)
    tail = np.zeros((ROWS, length), np.float32)
    for first in range(0, width, PANELS * COLUMNS):
        panels = min(PANELS, (width - first + COLUMNS - 1) // COLUMNS)
        for t in range(panels):
            for c in range(COLUMNS):
                j = first + t * COLUMNS + c
                for k in range(length):
                    panel[t, k, c] = right[j, k] if j < width else np.float32(0)
        stop = min(size, begin + first + panels * COLUMNS)
        for i in range(0, stop, ROWS):
            height = min(ROWS, size - i)
            address = left.ctypes.data + i * length * 4
            if height < ROWS:  # the last rows, with zeros below them
                for r in range(height):
                    tail[r] = left[i + r]
                address = tail.ctypes.data
            for t in range(panels):
                start = begin + first + t * COLUMNS
                if start + COLUMNS <= i:
                    continue
                above = _tile(  # pyright: ignore[reportCallIssue]
                    address, length, panel.ctypes.data + t * length * COLUMNS * 4, length, least, out.ctypes.data
                )
                if not above:
                    continue
                for r in range(height):
                    for c in range(COLUMNS):
                        j = start + c
                        if out[r * COLUMNS + c] > least and j > i + r and j < begin + width:
                            if found < room:
                                rows[found] = i + r
                                columns[found] = j
                            found += 1
    return found
