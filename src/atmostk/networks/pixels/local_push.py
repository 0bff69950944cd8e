"""One changed pixel followed through a chain of stages: only what it touches is computed anew. Compiled.

Activations are kept image by image, channels last, because then the touched patch of a stage is a few runs of numbers
next to each other. What does not change (black background under a rectifier, a maximum that stays) is skipped.
"""

from __future__ import annotations

import math

import numpy as np

from atmostk.compiled import compiled

# Columns of the table of stages.
(KIND, BEFORE, ROWS, COLUMNS, CHANNELS, AFTER, OUT_ROWS, OUT_COLUMNS, OUT, KERNEL_ROWS, KERNEL_COLUMNS) = range(11)
(ROW_STRIDE, COLUMN_STRIDE, ROW_PADDING, COLUMN_PADDING, WEIGHTS, FUNCTION) = range(11, 17)
WIDTH = 17
FAST = {"contract", "reassoc", "nsz", "arcp"}  # no promise about infinities or NaN is made: a maximum starts at -inf


@compiled(fastmath=FAST, error_model="numpy")
def after(kept, table, slopes, weights, width, pixels, values, first, last, out):
    """out[change, image] = the last stage's numbers after it alone; `values` are (changes, images, channels)."""
    old, new, difference, which, counts = _scratch(table)
    for image in range(first, last):
        for change in range(len(pixels)):
            row, column = pixels[change] // width, pixels[change] % width
            _follow(
                kept[image], table, slopes, weights, row, column, values[change, image - first],
                False, old, new, difference, which, counts, out[change, image - first],
            )  # fmt: skip


@compiled(fastmath=FAST, error_model="numpy")
def change(kept, table, slopes, weights, width, pixel, values):
    """Make a change in the activations of every image; `values` are (images, channels)."""
    old, new, difference, which, counts = _scratch(table)
    ends = np.empty(table[-1, OUT_ROWS] * table[-1, OUT_COLUMNS] * table[-1, OUT], np.float32)
    for image in range(len(kept)):
        row, column = pixel // width, pixel % width
        _follow(
            kept[image], table, slopes, weights, row, column, values[image],
            True, old, new, difference, which, counts, ends,
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
def _follow(kept, table, slopes, weights, row, column, value, keep, old, new, difference, which, counts, ends):
    """The region that has changed, with its new numbers in `old`, goes from stage to stage."""
    top, bottom, left, right = row, row + 1, column, column + 1
    for channel in range(len(value)):
        old[channel] = value[channel]
    for stage in range(len(table)):
        about = table[stage]
        rows, columns = about[OUT_ROWS], about[OUT_COLUMNS]
        out_top = _first(top, about[KERNEL_ROWS], about[ROW_STRIDE], about[ROW_PADDING])
        out_bottom = min(rows, (bottom - 1 + about[ROW_PADDING]) // about[ROW_STRIDE] + 1)
        out_left = _first(left, about[KERNEL_COLUMNS], about[COLUMN_STRIDE], about[COLUMN_PADDING])
        out_right = min(columns, (right - 1 + about[COLUMN_PADDING]) // about[COLUMN_STRIDE] + 1)
        if out_top < out_bottom and out_left < out_right:
            if about[KIND] == 0:
                _mix(
                    kept, about, weights, top, bottom, left, right, out_top, out_bottom, out_left, out_right,
                    old, new, difference, which, counts,
                )  # fmt: skip
            else:
                _bend(
                    kept,
                    about,
                    slopes[stage],
                    top,
                    bottom,
                    left,
                    right,
                    out_top,
                    out_bottom,
                    out_left,
                    out_right,
                    old,
                    new,
                )
        if keep:
            _write(
                kept, about[BEFORE], about[COLUMNS] * about[CHANNELS], about[CHANNELS], top, bottom, left, right, old
            )
        if out_top >= out_bottom or out_left >= out_right:  # only what a later stage leaves out
            for place in range(len(ends)):
                ends[place] = kept[len(kept) - len(ends) + place]
            return
        old, new = new, old
        top, bottom, left, right = out_top, out_bottom, out_left, out_right
    about = table[len(table) - 1]
    if keep:
        _write(kept, about[AFTER], about[OUT_COLUMNS] * about[OUT], about[OUT], top, bottom, left, right, old)
    for place in range(len(ends)):
        ends[place] = old[place]


@compiled
def _first(start, kernel, stride, padding):
    """The first output that a window reaches this input from."""
    over = start + padding - kernel + 1
    return 0 if over <= 0 else (over + stride - 1) // stride


@compiled
def _write(kept, begin, row_length, channels, top, bottom, left, right, numbers):
    length = (right - left) * channels
    for row in range(bottom - top):
        place = begin + (top + row) * row_length + left * channels
        kept[place : place + length] = numbers[row * length : (row + 1) * length]


@compiled(fastmath=FAST, error_model="numpy")
def _mix(
    kept, about, weights, top, bottom, left, right, out_top, out_bottom, out_left, out_right,
    old, new, difference, which, counts,
):  # fmt: skip
    """new = what was there + the weights times what the input differs by."""
    channels, out = about[CHANNELS], about[OUT]
    kernel_rows, kernel_columns = about[KERNEL_ROWS], about[KERNEL_COLUMNS]
    row_stride, column_stride = about[ROW_STRIDE], about[COLUMN_STRIDE]
    length = (out_right - out_left) * out
    for row in range(out_top, out_bottom):
        place = about[AFTER] + (row * about[OUT_COLUMNS] + out_left) * out
        begin = (row - out_top) * length
        new[begin : begin + length] = kept[place : place + length]
    step = kernel_rows * kernel_columns * out
    # What differs is gathered first: the weights of one kernel row then stay near the processor for all positions.
    most = channels + 4
    for row in range(top, bottom):
        for column in range(left, right):
            position = (row - top) * (right - left) + column - left
            place = about[BEFORE] + (row * about[COLUMNS] + column) * channels
            begin, line = position * channels, position * most
            count = 0
            for channel in range(channels):
                # Written whether it differs or not: to guess which do would cost more.
                apart = old[begin + channel] - kept[place + channel]
                difference[line + count] = apart
                which[line + count] = channel * step
                count += apart != 0
            while count % 4:
                difference[line + count] = 0
                which[line + count] = 0
                count += 1
            counts[position] = count
    for kernel_row in range(kernel_rows):
        for row in range(top, bottom):
            over = row + about[ROW_PADDING] - kernel_row
            if over < 0 or over % row_stride or over // row_stride >= about[OUT_ROWS]:
                continue
            line = (over // row_stride - out_top) * length
            for column in range(left, right):
                position = (row - top) * (right - left) + column - left
                count, begin = counts[position], position * most
                if count == 0:
                    continue
                weighed = about[WEIGHTS] + kernel_row * kernel_columns * out
                if column_stride == 1:
                    # The columns that it reaches lie side by side, as do their weights.
                    reach = column + about[COLUMN_PADDING] - kernel_columns + 1
                    begins, ends = max(reach, 0), min(reach + kernel_columns, about[OUT_COLUMNS])
                    if begins < ends:
                        _add(
                            new, line + (begins - out_left) * out, (ends - begins) * out, weights,
                            weighed + (begins - reach) * out, difference, which, begin, begin + count,
                        )  # fmt: skip
                    continue
                for kernel_column in range(kernel_columns):
                    across = column + about[COLUMN_PADDING] - kernel_column
                    if across < 0 or across % column_stride or across // column_stride >= about[OUT_COLUMNS]:
                        continue
                    _add(
                        new, line + (across // column_stride - out_left) * out, out, weights,
                        weighed + (kernel_columns - 1 - kernel_column) * out, difference, which, begin, begin + count,
                    )  # fmt: skip


@compiled(fastmath=FAST, error_model="numpy")
def _add(new, place, length, weights, begin, difference, which, first, last):
    """Four input channels at a time, so that the sum is loaded and stored once for four products."""
    to, size = np.uint64(place), np.uint64(length)  # unsigned, so that no index is looked at for being negative
    for turn in range(first, last, 4):
        a, b, c, d = difference[turn], difference[turn + 1], difference[turn + 2], difference[turn + 3]
        p, q = np.uint64(begin + which[turn]), np.uint64(begin + which[turn + 1])
        r, s = np.uint64(begin + which[turn + 2]), np.uint64(begin + which[turn + 3])
        for i in range(size):
            new[to + i] += a * weights[p + i] + b * weights[q + i] + c * weights[r + i] + d * weights[s + i]


@compiled(fastmath=FAST, error_model="numpy")
def _bend(kept, about, slope, top, bottom, left, right, out_top, out_bottom, out_left, out_right, old, new):
    """new = the function of the maximum over each window, taken from the changed region where it lies in it."""
    channels = about[CHANNELS]
    for row in range(out_top, out_bottom):
        for column in range(out_left, out_right):
            begin = ((row - out_top) * (out_right - out_left) + column - out_left) * channels
            most = new[begin : begin + channels]
            started = False
            for kernel_row in range(about[KERNEL_ROWS]):
                r = row * about[ROW_STRIDE] - about[ROW_PADDING] + kernel_row
                if r < 0 or r >= about[ROWS]:
                    continue
                for kernel_column in range(about[KERNEL_COLUMNS]):
                    c = column * about[COLUMN_STRIDE] - about[COLUMN_PADDING] + kernel_column
                    if c < 0 or c >= about[COLUMNS]:
                        continue
                    if top <= r < bottom and left <= c < right:
                        at = ((r - top) * (right - left) + c - left) * channels
                        numbers = old[at : at + channels]
                    else:
                        at = about[BEFORE] + (r * about[COLUMNS] + c) * channels
                        numbers = kept[at : at + channels]
                    if started:
                        for channel in range(channels):
                            most[channel] = max(most[channel], numbers[channel])
                    else:
                        most[:] = numbers
                        started = True
            if about[FUNCTION] == 1:
                for channel in range(channels):
                    most[channel] = max(most[channel], slope * most[channel])
            elif about[FUNCTION] == 2:
                for channel in range(channels):
                    most[channel] = math.tanh(most[channel])
            elif about[FUNCTION] == 3:
                for channel in range(channels):
                    most[channel] = 1 / (1 + math.exp(-most[channel]))
