"""Kernels that sum over rows: by code, column after column, or by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes

#: Parts with fewer rows are counted together; more rows than this fill the cache.
FEW_ROWS = 1 << 15
#: Largest number of cells of one column that parts are counted together in.
MOST_CELLS = 1 << 14


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


def sum_each_by_code(
    codes: Sequence[Codes],
    offsets: NDArray[np.int64],
    rows: Sequence[NDArray[np.int32]],
    addends: Sequence[Addend],
) -> list[NDArray[np.float64]]:
    """Sums over each of several parts of the rows, as `sum_by_code` returns them.

    Small parts are counted in one pass: a call of NumPy costs as much time as hundreds of rows, and
    threads that only make short calls wait for each other.

    Parameters
    ----------
    codes, offsets
        See `sum_by_code`.
    rows : sequence of ndarray of int
        The rows of each part.
    addends : sequence of Addend
        One for each part, with an ``index``, all of the same size.
    """
    if not rows:
        return []
    size = addends[0].size
    most = MOST_CELLS // (int(np.diff(offsets).max()) * size)
    sums: list[NDArray[np.float64]] = []
    for start, stop in _batches([len(part) for part in rows], most):
        together = _joined(addends[start:stop])
        table = sum_by_code(codes, offsets, np.concatenate(rows[start:stop]), [together])
        sums += np.split(table, stop - start, axis=1)
    return sums


def _batches(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Iterate over start and stop of runs of at most ``most`` parts with about `FEW_ROWS` rows."""
    start = total = 0
    for number, size in enumerate(sizes):
        if number > start and (number - start >= most or total + size > FEW_ROWS):
            yield start, number
            start, total = number, 0
        total += size
    yield start, len(sizes)


def _joined(addends: Sequence[Addend]) -> Addend:
    """Return the addends of several parts as one, with the channels of each part apart."""
    if len(addends) == 1:
        return addends[0]
    size = addends[0].size
    index = np.concatenate([a.index.astype(np.uint16) for a in addends if a.index is not None])
    n_rows = [len(addend.index) for addend in addends if addend.index is not None]
    index += np.repeat(np.arange(len(addends), dtype=np.uint16) * np.uint16(size), n_rows)
    weights = [addend.weight for addend in addends if addend.weight is not None]
    return Addend(index, size * len(addends), np.concatenate(weights) if weights else None)


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
