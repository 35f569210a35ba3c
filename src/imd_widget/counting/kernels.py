"""Kernels that sum over rows: by code, column after column, or by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes


@dataclass(frozen=True, eq=False)
class Addend:
    """The amount that each row adds, and the channel that it is added to.

    Attributes
    ----------
    index : ndarray of shape (n_rows,) or None
        The channel that the row is added to; None if there is only one.
    size : int
        Number of channels.
    weight : ndarray of shape (n_rows,) or None
        The amount that is added; None means 1.
    """

    index: NDArray[Any] | None
    size: int
    weight: NDArray[np.float64] | None


def sum_by_code(
    codes: Sequence[Codes],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    addends: Sequence[Addend],
) -> NDArray[np.float64]:
    """Sums over rows by bin and channel: shape (n_bins, total size of the addends).

    Parameters
    ----------
    codes : sequence of ndarray
        Codes of all rows, one array per column.
    offsets : ndarray of shape (n_columns + 1,)
        The first bin of each column.
    rows : ndarray of int
        Rows to sum over; an addend has one entry for each of them.
    addends : sequence of Addend
    """
    widest = int(np.diff(offsets).max())
    types: list[Any] = [np.uint16 if widest * a.size < 1 << 16 else np.uint32 for a in addends]
    indices = [
        None if addend.index is None else addend.index.astype(cell_type)
        for addend, cell_type in zip(addends, types, strict=True)
    ]
    result = np.empty((int(offsets[-1]), sum(addend.size for addend in addends)))
    for column_codes, start, stop in zip(codes, offsets[:-1], offsets[1:], strict=True):
        code = column_codes.take(rows)
        first = 0
        for addend, index, cell_type in zip(addends, indices, types, strict=True):
            cell: NDArray[Any] = code
            if index is not None:
                cell = code.astype(cell_type)
                cell *= cell_type(addend.size)
                cell += index
            bins = stop - start
            counted = np.bincount(cell, weights=addend.weight, minlength=bins * addend.size)
            result[start:stop, first : first + addend.size] = counted.reshape(bins, addend.size)
            first += addend.size
    return result


def sum_by_group(
    group: NDArray[Any], n_groups: int, addends: Sequence[Addend]
) -> NDArray[np.float64]:
    """Sums over rows by group and channel: shape (n_groups, total size of the addends).

    ``group`` holds the number of each row's group, from 0 to ``n_groups - 1``.
    """
    sums = []
    for addend in addends:
        index, size = addend.index, addend.size
        cell = group if index is None else group * np.int64(size) + index
        counted = np.bincount(cell, weights=addend.weight, minlength=n_groups * size)
        sums.append(counted.reshape(n_groups, size))
    return np.concatenate(sums, axis=1).astype(float)
