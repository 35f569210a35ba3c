"""Kernels that sum over rows: by code, column after column, or by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from imd_widget.data.columns import Codes

#: Number of rows that are summed at a time, so that arrays in between stay in the cache.
BLOCK = 1 << 18
#: With fewer rows, `numpy.bincount` takes less time than a sparse matrix.
MANY_CELLS = 1 << 13
#: Parts with fewer rows are counted together; more rows than this fill the cache.
FEW_ROWS = 1 << 15
#: Largest number of cells of one column that parts are counted together in.
MOST_CELLS = 1 << 14


@dataclass(frozen=True, eq=False)
class Addend:
    """The amount that each row adds, and the channel that it is added to."""

    #: The channel that the row is added to; None if there is only one.
    index: NDArray[Any] | None
    #: Number of channels.
    size: int
    #: The amount that is added; None means 1.
    weight: NDArray[np.float64] | None

    def __getitem__(self, block: slice) -> Addend:
        """Return the addend of some of the rows."""
        index = None if self.index is None else self.index[block]
        return Addend(index, self.size, None if self.weight is None else self.weight[block])


def sum_by_code(
    codes: Sequence[Codes],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    addends: Sequence[Addend],
) -> NDArray[np.float64]:
    """Sums over rows by channel and bin: shape (total size of the addends, n_bins).

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
    result = np.zeros((sum(addend.size for addend in addends), int(offsets[-1])))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, start + BLOCK)
        _add_by_code(result, codes, offsets, rows[block], [addend[block] for addend in addends])
    return result


def _add_by_code(
    result: NDArray[np.float64],
    codes: Sequence[Codes],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    addends: Sequence[Addend],
) -> None:
    """Add the sums over some rows to ``result``, which is as in `sum_by_code`."""
    widest = int(np.diff(offsets).max())
    types: list[Any] = [np.uint16 if widest * a.size < 1 << 16 else np.uint32 for a in addends]
    indices = [
        None if addend.index is None else addend.index.astype(cell_type)
        for addend, cell_type in zip(addends, types, strict=True)
    ]
    sums = [CellSums(widest * addend.size, len(rows), addend.weight) for addend in addends]
    rows = rows.astype(np.intp)  # what `take` would convert them to for each column
    for column_codes, start, stop in zip(codes, offsets[:-1], offsets[1:], strict=True):
        code = column_codes.take(rows)
        first = 0
        for addend, index, cell_type, by_cell in zip(addends, indices, types, sums, strict=True):
            cell: NDArray[Any] = code
            if index is not None:
                cell = code.astype(cell_type)
                cell *= cell_type(addend.size)
                cell += index
            bins = stop - start
            summed = by_cell.of(cell, bins * addend.size)
            result[first : first + addend.size, start:stop] += summed.reshape(bins, addend.size).T
            first += addend.size


class CellSums:
    """Sums of the same addends by cell, for one array of cells after another.

    A sparse matrix with one column, times 1, gives the sums of `numpy.bincount` in about half of
    its time: the cells stay 32 bits wide, and their least and greatest are not searched for.

    Parameters
    ----------
    n_cells : int
        Largest number of cells of an array.
    n_rows : int
        Length of each array of cells.
    weight : ndarray of shape (n_rows,) or None
        What each row adds; None means 1.
    """

    def __init__(self, n_cells: int, n_rows: int, weight: NDArray[np.float64] | None) -> None:
        self._weight = weight
        self._matrix: Any = None
        if n_rows >= max(n_cells, MANY_CELLS):
            data = np.ones(n_rows, dtype=np.int32) if weight is None else weight
            self._matrix = csc_array((n_cells, 1), dtype=data.dtype)
            self._matrix.data = data
            self._matrix.indptr = np.array([0, n_rows], dtype=np.int32)
            self._one = np.ones(1, dtype=data.dtype)

    def of(self, cell: NDArray[Any], n_cells: int) -> NDArray[Any]:
        """Return the sums by cell: shape (n_cells,).

        Raises IndexError if a cell is not from 0 to ``n_cells - 1``.
        """
        if self._matrix is None:
            sums = np.bincount(cell, weights=self._weight, minlength=n_cells)
            if len(sums) > n_cells:
                raise IndexError(f"cell {len(sums) - 1} of {n_cells}")
            return sums
        narrow = cell.astype(np.int32, copy=False)
        greatest = int(narrow.view(np.uint32).max())  # the product would write anywhere
        if greatest >= n_cells:
            raise IndexError(f"cell {greatest} of {n_cells}")
        self._matrix.indices = narrow
        return np.asarray((self._matrix @ self._one)[:n_cells])


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
        sums += np.split(table, stop - start)
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
    group: NDArray[Any] | None, n_groups: int, addends: Sequence[Addend]
) -> NDArray[np.float64]:
    """Sums over rows by group and channel: shape (n_groups, total size of the addends).

    ``group`` holds the number of each row's group, from 0 to ``n_groups - 1``; None if there is one
    group.
    """
    sums = []
    for addend in addends:
        n_cells = n_groups * addend.size
        cell = _cells(group, n_cells, addend)
        summed = CellSums(n_cells, len(cell), addend.weight).of(cell, n_cells)
        sums.append(summed.reshape(n_groups, addend.size))
    return np.concatenate(sums, axis=1).astype(float)


def _cells(group: NDArray[Any] | None, n_cells: int, addend: Addend) -> NDArray[Any]:
    """Return ``group * size + index`` for each row."""
    if addend.index is None:
        assert addend.weight is not None
        return np.zeros(len(addend.weight), dtype=np.uint8) if group is None else group
    if group is None:
        return addend.index
    width: Any = np.int32 if n_cells < 1 << 31 else np.int64
    cell: NDArray[Any] = group.astype(width)
    cell *= width(addend.size)
    cell += addend.index.astype(width, copy=False)
    return cell
