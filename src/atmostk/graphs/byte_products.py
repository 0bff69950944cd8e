"""Products of rows in whole numbers of eight bits, and the test of each, in one kernel: four times the pairs a second.

Sixty-four multiplications and additions are one instruction (`vpdpbusd`) of processors with AVX-512 VNNI. Compiled by
numba from LLVM's own operation; `available()` asks the processor, and tries the kernel once on products that are known.
Where it is not available the kernel in single precision, or BLAS, gives the same answer.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from atmostk.compiled import compiled

ROWS = 6  # of the left matrix at a time
LANES = 16
VECTORS = 4
COLUMNS = LANES * VECTORS  # of the right matrix at a time
BLOCK = 128 * ROWS  # of the left matrix stay in the second cache while the columns of the right pass
LONGEST = 60_000  # numbers in a row: the sum of more products might not fit into 32 bits
OFFSET = 128  # makes the left numbers unsigned, as the instruction wants them


class Rounded(NamedTuple):
    """Rows as whole numbers of eight bits times a `step` for each, and what prices a pair of them.

    `length` is that of the row as it was, `error` that of what rounding took from it. The left matrix has OFFSET added
    to its numbers and ROWS spare rows below; rows are as long as a multiple of four.
    """

    numbers: np.ndarray
    step: np.ndarray
    length: np.ndarray
    error: np.ndarray
    square: np.ndarray
    inverse: np.ndarray


@functools.cache
def available() -> bool:
    """Whether this processor has the instruction, numba compiles for it, and products come out right."""
    settings: Any = config
    if settings.CPU_NAME or settings.CPU_FEATURES:  # numba was told to compile for another processor
        return False
    features = binding.get_host_cpu_features()
    if not all(features.get(name) for name in ("avx512f", "avx512bw", "avx512vnni")):
        return False
    try:
        return _right_on_known_products()
    except Exception:  # a version of LLVM that knows the instruction by another name
        return False


def _right_on_known_products() -> bool:
    numbers = np.random.default_rng(0).integers(-127, 128, (70, 12)).astype(np.int8)
    products = np.triu(np.abs(numbers.astype(np.int64) @ numbers.T.astype(np.int64)), 1)
    one, none, half = np.ones(70, np.float32), np.zeros(70, np.float32), np.full(70, 0.5, np.float32)
    spare = np.zeros((ROWS, 12), np.int8)
    left = Rounded((np.vstack((numbers, spare)).view(np.uint8) ^ OFFSET), one, one, none, half, one)
    rows, columns = np.empty(5000, np.int32), np.empty(5000, np.int32)
    found = screened(left, left._replace(numbers=numbers), 0, np.float32(2e4**2), np.float32(0), rows, columns)
    agree = (products[rows[:found], columns[:found]] > 2e4 * (1 - 1e-4)).all()
    return bool(agree and found >= np.count_nonzero(products > 2e4) > 0)


@intrinsic
def _tile(typing, left, stride, right, groups, start, steps, least, out):
    """ROWS x COLUMNS products; whether any, times its column's step, exceeds its row's least, and to `out` which.

    Arguments are addresses. `start` holds what OFFSET adds to each column's product, with its sign turned.
    """
    signature = types.boolean(*[types.int64] * 8)

    def generate(context, builder, signature, arguments):
        left, stride, right, groups, start, steps, least, out = arguments
        number, whole, narrow = ir.FloatType(), ir.IntType(64), ir.IntType(32)
        vector, floats, mask = ir.VectorType(narrow, LANES), ir.VectorType(number, LANES), ir.IntType(LANES)
        at = lambda value: ir.Constant(whole, value)  # noqa: E731
        function = functools.partial(cgutils.get_or_insert_function, builder.module)
        multiply_add = function(ir.FunctionType(vector, [vector] * 3), "llvm.x86.avx512.vpdpbusd.512")
        magnitude = function(ir.FunctionType(floats, [floats]), f"llvm.fabs.v{LANES}f32")

        def spread(value, kind):
            first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(narrow, 0))
            zeros = ir.Constant(ir.VectorType(narrow, LANES), [0] * LANES)
            return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), zeros)

        def load(address, kind, align=4):
            return builder.load(builder.inttoptr(address, kind.as_pointer()), align=align)

        rows = [builder.add(left, builder.mul(stride, at(r))) for r in range(ROWS)]
        begun = [load(builder.add(start, at(4 * LANES * c)), vector) for c in range(VECTORS)]
        before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        k = builder.phi(whole)
        k.add_incoming(at(0), before)
        sums = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        panel = builder.add(right, builder.mul(k, at(4 * COLUMNS)))
        place = builder.mul(k, at(4))
        columns = [load(builder.add(panel, at(4 * LANES * c)), vector) for c in range(VECTORS)]
        new = []
        for r in range(ROWS):
            value = spread(load(builder.add(rows[r], place), narrow, 1), vector)
            new.append([builder.call(multiply_add, [sums[r][c], value, columns[c]]) for c in range(VECTORS)])
        following = builder.add(k, at(1))
        k.add_incoming(following, loop)
        for r in range(ROWS):
            for c in range(VECTORS):
                sums[r][c].add_incoming(begun[c], before)
                sums[r][c].add_incoming(new[r][c], loop)
        builder.cbranch(builder.icmp_signed("<", following, groups), loop, after)
        builder.position_at_end(after)
        scales = [load(builder.add(steps, at(4 * LANES * c)), floats) for c in range(VECTORS)]
        masks, any_above = [], None
        for r in range(ROWS):
            level = spread(load(builder.add(least, at(4 * r)), number), floats)
            for c in range(VECTORS):
                product = builder.call(magnitude, [builder.sitofp(new[r][c], floats)])
                above = builder.bitcast(builder.fcmp_ordered(">", builder.fmul(product, scales[c]), level), mask)
                masks.append(above)
                any_above = above if any_above is None else builder.or_(any_above, above)
        hit = builder.icmp_unsigned("!=", any_above, ir.Constant(mask, 0))
        with builder.if_then(hit, likely=False):
            for number_of_mask, above in enumerate(masks):
                builder.store(
                    above, builder.inttoptr(builder.add(out, at(2 * number_of_mask)), mask.as_pointer()), align=2
                )
        return hit

    return signature, generate


@compiled(nogil=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
def _levels(left, right, top, last, first, end, least, twice, levels):
    """For each row what |whole product| x step of the column must exceed in some columns, by the easiest of them."""
    square = right.square[first]
    inverse = right.inverse[first]
    longest = right.length[first]
    error = right.error[first]
    for j in range(first + 1, end):
        square = min(square, right.square[j])
        inverse = min(inverse, right.inverse[j])
        longest = max(longest, right.length[j])
        error = max(error, right.error[j])
    for i in range(top, last):
        reached = np.sqrt(least * (square * left.inverse[i] + left.square[i] * inverse + twice))
        missed = (left.length[i] + left.error[i]) * error + left.error[i] * longest
        levels[i - top] = (reached * np.float32(1 - 1e-5) - missed * np.float32(1 + 1e-5)) / left.step[i]
    levels[last - top :] = np.float32(np.inf)


@compiled(nogil=True)
def screened(left, right, begin, least, twice, rows, columns):
    """The pairs i < begin + j that may score above `least`, and no fewer; the rows of `right` begin at `begin`.

    With products b = left_i . right_j the score is b^2 / (square_j inverse_i + square_i inverse_j + twice). A pair is
    left out only if it cannot reach it, by how far rounding can move a product at most (Cauchy and Schwarz).
    How many there are; `rows` and `columns` hold as many of them as they have room for.
    """
    size = left.step.shape[0]
    length = left.numbers.shape[1]
    groups = length // 4
    width = right.step.shape[0]
    panels = (width + COLUMNS - 1) // COLUMNS
    panel = np.zeros((panels, groups, COLUMNS, 4), np.int8)
    start = np.zeros((panels, COLUMNS), np.int32)
    steps = np.zeros((panels, COLUMNS), np.float32)
    for j in range(width):
        t = j // COLUMNS
        c = j % COLUMNS
        total = 0
        for k in range(length):
            value = right.numbers[j, k]
            panel[t, k // 4, c, k % 4] = value
            total += value
        start[t, c] = -OFFSET * total
        steps[t, c] = right.step[j]
    levels = np.empty(BLOCK + ROWS, np.float32)
    masks = np.empty(ROWS * VECTORS, np.uint16)
    found = 0
    for top in range(0, min(size, begin + width), BLOCK):
        last = min(size, top + BLOCK)
        for t in range(panels):
            beginning = begin + t * COLUMNS
            end = min(begin + width, beginning + COLUMNS)
            if end <= top + 1:
                continue
            _levels(left, right, top, last, beginning - begin, end - begin, least, twice, levels)
            for i in range(top, min(last, end), ROWS):
                hit = _tile(  # pyright: ignore[reportCallIssue]
                    left.numbers.ctypes.data + i * length,
                    length,
                    panel.ctypes.data + t * length * COLUMNS,
                    groups,
                    start.ctypes.data + t * COLUMNS * 4,
                    steps.ctypes.data + t * COLUMNS * 4,
                    levels.ctypes.data + (i - top) * 4,
                    masks.ctypes.data,
                )
                if not hit:
                    continue
                for r in range(min(ROWS, size - i)):
                    for c in range(end - beginning):
                        j = beginning + c
                        above = (masks[r * VECTORS + c // LANES] >> (c % LANES)) & 1
                        if above and j > i + r:
                            if found < rows.shape[0]:
                                rows[found] = i + r
                                columns[found] = j
                            found += 1
    return found
