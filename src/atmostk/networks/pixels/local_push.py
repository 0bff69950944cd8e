"""One changed pixel followed through a chain of stages: only what it touches is computed anew. Compiled.

Activations are kept image by image, channels last, because then the touched patch of a stage is a few runs of numbers
next to each other. What does not change (black background under a rectifier, a maximum that stays) is skipped. Arrays
are flat and read by unsigned places: views and signs of an index would cost more than the sums.
"""

from __future__ import annotations

import math

import numpy as np

from atmostk.compiled import compiled

# Columns of the table of stages.
(KIND, BEFORE, ROWS, COLUMNS, CHANNELS, AFTER, OUT_ROWS, OUT_COLUMNS, OUT, KERNEL_ROWS, KERNEL_COLUMNS) = range(11)
(ROW_STRIDE, COLUMN_STRIDE, ROW_PADDING, COLUMN_PADDING, WEIGHTS, FUNCTION) = range(11, 17)
WIDTH = 17
FAST = {"contract", "reassoc", "nsz", "arcp"}  # nothing is promised about infinities or NaN, and none come in
U = np.uint64


@compiled(fastmath=FAST, error_model="numpy")
def after(kept, numbers, table, slopes, weights, width, pixels, values, first, last, out):
    """Fill `out`, (changes, images, last stage) laid flat, with the last stage's numbers after each change alone.

    `kept` holds so many `numbers` for each image; `values`, (changes, images, channels) laid flat, what pixels become.
    """
    old, new, difference, which, counts = _scratch(table)
    channels = table[0, CHANNELS]
    ends = table[-1, OUT_ROWS] * table[-1, OUT_COLUMNS] * table[-1, OUT]
    images = last - first
    for image in range(images):
        base = (first + image) * numbers
        for change in range(len(pixels)):
            row, column = pixels[change] // width, pixels[change] % width
            place = change * images + image
            _copy(values, place * channels, old, 0, channels)
            _follow(
                kept, base, numbers, table, slopes, weights, row, column, False,
                old, new, difference, which, counts, out, place * ends,
            )  # fmt: skip


@compiled(fastmath=FAST, error_model="numpy")
def change(kept, numbers, table, slopes, weights, width, pixel, values, first, last):
    """Make a change in the activations of these images; `values`, (images, channels) laid flat."""
    old, new, difference, which, counts = _scratch(table)
    channels = table[0, CHANNELS]
    ends = np.empty(table[-1, OUT_ROWS] * table[-1, OUT_COLUMNS] * table[-1, OUT], np.float32)
    row, column = pixel // width, pixel % width
    for image in range(first, last):
        _copy(values, (image - first) * channels, old, 0, channels)
        _follow(
            kept, image * numbers, numbers, table, slopes, weights, row, column, True,
            old, new, difference, which, counts, ends, 0,
        )  # fmt: skip


@compiled
def _scratch(table):
    """Room for the numbers of a region, old and new, and for what differs in it."""
    size = most = positions = 0
    for stage in range(len(table)):
        before = table[stage, ROWS] * table[stage, COLUMNS]
        positions = max(positions, before)
        size = max(size, before * table[stage, CHANNELS])
        size = max(size, table[stage, OUT_ROWS] * table[stage, OUT_COLUMNS] * table[stage, OUT])
        most = max(most, before * (table[stage, CHANNELS] + 4))
    numbers = np.empty(size, np.float32), np.empty(size, np.float32), np.empty(most, np.float32)
    return numbers[0], numbers[1], numbers[2], np.empty(most, np.int64), np.empty(positions, np.int64)


@compiled(fastmath=FAST, error_model="numpy")
def _follow(
    kept, base, numbers, table, slopes, weights, row, column, keep,
    old, new, difference, which, counts, out, place,
):  # fmt: skip
    """The region that has changed, with its new numbers in `old`, goes from stage to stage."""
    top, bottom, left, right = row, row + 1, column, column + 1
    stages = len(table)
    ends = table[stages - 1, OUT_ROWS] * table[stages - 1, OUT_COLUMNS] * table[stages - 1, OUT]
    for stage in range(stages):
        row_stride, row_padding = table[stage, ROW_STRIDE], table[stage, ROW_PADDING]
        column_stride, column_padding = table[stage, COLUMN_STRIDE], table[stage, COLUMN_PADDING]
        out_top = _first(top, table[stage, KERNEL_ROWS], row_stride, row_padding)
        out_bottom = min(table[stage, OUT_ROWS], (bottom - 1 + row_padding) // row_stride + 1)
        out_left = _first(left, table[stage, KERNEL_COLUMNS], column_stride, column_padding)
        out_right = min(table[stage, OUT_COLUMNS], (right - 1 + column_padding) // column_stride + 1)
        if out_top < out_bottom and out_left < out_right:
            if table[stage, KIND] == 0:
                _mix(
                    kept, base, table, stage, weights, top, bottom, left, right,
                    out_top, out_bottom, out_left, out_right, old, new, difference, which, counts,
                )  # fmt: skip
            else:
                _bend(
                    kept, base, table, stage, slopes[stage], top, bottom, left, right,
                    out_top, out_bottom, out_left, out_right, old, new,
                )  # fmt: skip
        if keep:
            channels = table[stage, CHANNELS]
            begin = base + table[stage, BEFORE]
            _write(kept, begin, table[stage, COLUMNS] * channels, channels, top, bottom, left, right, old)
        if out_top >= out_bottom or out_left >= out_right:  # only what a later stage leaves out
            _copy(kept, base + numbers - ends, out, place, ends)
            return
        old, new = new, old
        top, bottom, left, right = out_top, out_bottom, out_left, out_right
    if keep:
        _copy(old, 0, kept, base + numbers - ends, ends)
    _copy(old, 0, out, place, ends)


@compiled
def _first(start, kernel, stride, padding):
    """The first output that a window reaches this input from."""
    over = start + padding - kernel + 1
    return 0 if over <= 0 else (over + stride - 1) // stride


@compiled
def _copy(source, at, to, place, length):
    start, end = U(at), U(place)
    for i in range(U(length)):
        to[end + i] = source[start + i]


@compiled
def _write(kept, begin, line, channels, top, bottom, left, right, numbers):
    length = (right - left) * channels
    for row in range(bottom - top):
        _copy(numbers, row * length, kept, begin + (top + row) * line + left * channels, length)


@compiled(fastmath=FAST, error_model="numpy")
def _mix(
    kept, base, table, stage, weights, top, bottom, left, right,
    out_top, out_bottom, out_left, out_right, old, new, difference, which, counts,
):  # fmt: skip
    """new = what was there + the weights times what the input differs by."""
    channels, out = table[stage, CHANNELS], table[stage, OUT]
    columns, out_rows, out_columns = table[stage, COLUMNS], table[stage, OUT_ROWS], table[stage, OUT_COLUMNS]
    kernel_rows, kernel_columns = table[stage, KERNEL_ROWS], table[stage, KERNEL_COLUMNS]
    row_stride, column_stride = table[stage, ROW_STRIDE], table[stage, COLUMN_STRIDE]
    row_padding, column_padding = table[stage, ROW_PADDING], table[stage, COLUMN_PADDING]
    begins_in, begins_out = base + table[stage, BEFORE], base + table[stage, AFTER]
    length = (out_right - out_left) * out
    for row in range(out_top, out_bottom):
        _copy(kept, begins_out + (row * out_columns + out_left) * out, new, (row - out_top) * length, length)
    step = kernel_rows * kernel_columns * out
    # What differs is gathered first: the weights of one kernel row then stay near the processor for all positions.
    most = channels + 4
    for row in range(top, bottom):
        for column in range(left, right):
            position = (row - top) * (right - left) + column - left
            place, begin = U(begins_in + (row * columns + column) * channels), U(position * channels)
            line = U(position * most)
            count = U(0)
            for channel in range(U(channels)):
                # Written whether it differs or not: to guess which do would cost more.
                apart = old[begin + channel] - kept[place + channel]
                difference[line + count] = apart
                which[line + count] = channel * U(step)
                count += U(apart != 0)
            while count % U(4):
                difference[line + count] = 0
                which[line + count] = 0
                count += U(1)
            counts[U(position)] = count
    for kernel_row in range(kernel_rows):
        for row in range(top, bottom):
            over = row + row_padding - kernel_row
            if over < 0 or (row_stride > 1 and over % row_stride) or over // row_stride >= out_rows:
                continue
            line = (over // row_stride - out_top) * length
            for column in range(left, right):
                position = (row - top) * (right - left) + column - left
                count, begin = counts[U(position)], position * most
                if count == 0:
                    continue
                weighed = table[stage, WEIGHTS] + kernel_row * kernel_columns * out
                if column_stride == 1:
                    # The columns that it reaches lie side by side, as do their weights.
                    reach = column + column_padding - kernel_columns + 1
                    begins, ends = max(reach, 0), min(reach + kernel_columns, out_columns)
                    if begins < ends:
                        _add(
                            new, line + (begins - out_left) * out, (ends - begins) * out, weights,
                            weighed + (begins - reach) * out, difference, which, begin, begin + count,
                        )  # fmt: skip
                    continue
                for kernel_column in range(kernel_columns):
                    across = column + column_padding - kernel_column
                    if across < 0 or across % column_stride or across // column_stride >= out_columns:
                        continue
                    _add(
                        new, line + (across // column_stride - out_left) * out, out, weights,
                        weighed + (kernel_columns - 1 - kernel_column) * out, difference, which, begin, begin + count,
                    )  # fmt: skip


@compiled(fastmath=FAST, error_model="numpy")
def _add(new, place, length, weights, begin, difference, which, first, last):
    """Four input channels at a time, so that the sum is loaded and stored once for four products."""
    to, size, start = U(place), U(length), U(begin)
    for turn in range(U(first), U(last), U(4)):
        a, b, c, d = difference[turn], difference[turn + U(1)], difference[turn + U(2)], difference[turn + U(3)]
        p, q = start + U(which[turn]), start + U(which[turn + U(1)])
        r, s = start + U(which[turn + U(2)]), start + U(which[turn + U(3)])
        for i in range(size):
            new[to + i] += a * weights[p + i] + b * weights[q + i] + c * weights[r + i] + d * weights[s + i]


@compiled(fastmath=FAST, error_model="numpy")
def _bend(
    kept, base, table, stage, slope, top, bottom, left, right, out_top, out_bottom, out_left, out_right, old, new
):  # fmt: skip
    """new = the function of the maximum over each window, taken from the changed region where it lies in it."""
    channels, rows, columns = table[stage, CHANNELS], table[stage, ROWS], table[stage, COLUMNS]
    row_stride, column_stride = table[stage, ROW_STRIDE], table[stage, COLUMN_STRIDE]
    row_padding, column_padding = table[stage, ROW_PADDING], table[stage, COLUMN_PADDING]
    begins_in, function = base + table[stage, BEFORE], table[stage, FUNCTION]
    to = 0
    for row in range(out_top, out_bottom):
        for column in range(out_left, out_right):
            started = False
            for kernel_row in range(table[stage, KERNEL_ROWS]):
                r = row * row_stride - row_padding + kernel_row
                if r < 0 or r >= rows:
                    continue
                for kernel_column in range(table[stage, KERNEL_COLUMNS]):
                    c = column * column_stride - column_padding + kernel_column
                    if c < 0 or c >= columns:
                        continue
                    if top <= r < bottom and left <= c < right:
                        at = ((r - top) * (right - left) + c - left) * channels
                        if started:
                            _raise(new, to, old, at, channels)
                        else:
                            _copy(old, at, new, to, channels)
                    else:
                        at = begins_in + (r * columns + c) * channels
                        if started:
                            _raise(new, to, kept, at, channels)
                        else:
                            _copy(kept, at, new, to, channels)
                    started = True
            to += channels
    end = U(to)
    if function == 1:
        for i in range(end):
            new[i] = max(new[i], slope * new[i])
    elif function == 2:
        for i in range(end):
            new[i] = math.tanh(new[i])
    elif function == 3:
        for i in range(end):
            new[i] = 1 / (1 + math.exp(-new[i]))


@compiled(fastmath=FAST, error_model="numpy")
def _raise(new, place, numbers, at, length):
    """The larger of two, one by one."""
    to, start = U(place), U(at)
    for i in range(U(length)):
        new[to + i] = max(new[to + i], numbers[start + i])
