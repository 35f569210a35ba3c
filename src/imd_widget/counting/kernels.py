"""The kernels that add up rows: by code, column after column, or by the place they are in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes


@dataclass(frozen=True, eq=False)
class Part:
    """What is added up of each row.

    Attributes
    ----------
    index : ndarray of shape (n_rows,) or None
        Which of ``size`` channels the row counts in; None: in the only one.
    size : int
    weight : ndarray of shape (n_rows,) or None
        How much it counts; None: 1.
    """

    index: NDArray[Any] | None
    size: int
    weight: NDArray[np.float64] | None


def by_code(
    codes: Sequence[Codes],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    parts: Sequence[Part],
) -> NDArray[np.float64]:
    """Rows by bin and channel: shape (n_bins, sum of the sizes of the parts).

    Parameters
    ----------
    codes : sequence of ndarray
        Of all rows, one array a column.
    offsets : ndarray of shape (n_columns + 1,)
        Where the bins of each column begin.
    rows : ndarray of int
        Those that count; the parts speak of these alone.
    """
    widest = int(np.diff(offsets).max())
    types: list[Any] = [np.uint16 if widest * p.size < 1 << 16 else np.uint32 for p in parts]
    indices = [
        None if part.index is None else part.index.astype(cell_type)
        for part, cell_type in zip(parts, types, strict=True)
    ]
    result = np.empty((int(offsets[-1]), sum(part.size for part in parts)))
    for own, start, stop in zip(codes, offsets[:-1], offsets[1:], strict=True):
        code = own.take(rows)
        first = 0
        for part, index, cell_type in zip(parts, indices, types, strict=True):
            cell: NDArray[Any] = code
            if index is not None:
                cell = code.astype(cell_type)
                cell *= cell_type(part.size)
                cell += index
            bins = stop - start
            counted = np.bincount(cell, weights=part.weight, minlength=bins * part.size)
            result[start:stop, first : first + part.size] = counted.reshape(bins, part.size)
            first += part.size
    return result


def by_place(place: NDArray[Any], n_places: int, parts: Sequence[Part]) -> NDArray[np.float64]:
    """Rows by place and channel: shape (n_places, sum of the sizes of the parts)."""
    found = []
    for part in parts:
        index, size = part.index, part.size
        cell = place if index is None else place * np.int64(size) + index
        counted = np.bincount(cell, weights=part.weight, minlength=n_places * size)
        found.append(counted.reshape(n_places, size))
    return np.concatenate(found, axis=1).astype(float)
