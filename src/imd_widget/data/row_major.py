"""Columns of arrays that are stored row by row, read a few at a time.

The values of one column of such an array are far apart, and a pass over them reads nearly all of
the memory of the array. So a few neighbouring columns are copied together, a block of rows after
the other, and every pass over a column then reads neighbouring values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.native import NativeColumn, array_column
from imd_widget.data.table import Table

#: Bytes of a row that are copied together: at least a line of the cache of a processor.
TOGETHER = 128
#: Rows that are copied at a time, and the smallest number of rows for which it is done.
BLOCK = 8192


def column_groups(
    table: Table, positions: Collection[int]
) -> Iterator[tuple[Table, Collection[int]]]:
    """Yield tables from which some of the columns are read quickly, until all were yielded.

    The values are the same; only one of the tables is needed at a time.
    """
    array = table.native
    if not _is_row_major(array) or len(positions) < 2:
        yield table, positions
        return
    size = max(TOGETHER // array.itemsize, 1)
    ordered = sorted(positions)
    for start in range(0, len(ordered), size):
        group = ordered[start : start + size]
        yield replace(table, read=_reader(array, group)), group


def _is_row_major(array: Any) -> bool:
    return (
        type(array) is np.ndarray
        and array.dtype.kind in "fiub"
        and len(array) >= BLOCK
        and array.strides[1] == array.itemsize < abs(array.strides[0])
    )


def _reader(array: NDArray[Any], group: list[int]) -> Any:
    """Return a function that reads the columns at the given positions from a copy."""
    neighbours = group[-1] - group[0] == len(group) - 1
    wanted: Any = slice(group[0], group[-1] + 1) if neighbours else group
    copy = np.empty((len(group), len(array)), dtype=array.dtype)
    for start in range(0, len(array), BLOCK):
        copy[:, start : start + BLOCK] = array[start : start + BLOCK, wanted].T
    place = {position: number for number, position in enumerate(group)}

    def read(position: int) -> NativeColumn:
        return array_column(copy.T, place[position])

    return read
