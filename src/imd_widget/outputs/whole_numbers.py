"""Distinct values of booleans and of whole numbers, counted where these lie close together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Whole numbers whose greatest and least differ by less than this are counted.
CLOSE = 1 << 16


def n_distinct(values: NDArray[Any]) -> int:
    """Return the number of distinct values of whole numbers or booleans."""
    if not len(values) or not _are_close(values):
        return len(np.unique(values))
    return int(np.count_nonzero(np.bincount(_above_least(values))))


def factorize_close(values: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]] | None:
    """Return the place of each value among the distinct values, and these in increasing order.

    None unless the values are booleans, or whole numbers that lie close together.
    """
    if values.dtype.kind not in "iub" or not len(values) or not _are_close(values):
        return None
    above = _above_least(values)
    occurs = np.bincount(above) > 0
    found = np.flatnonzero(occurs)
    distinct = (found + int(values.min())).astype(values.dtype)
    # where every number between occurs, that is the place already
    places = above if len(found) == len(occurs) else (np.cumsum(occurs) - 1).take(above)
    return places, distinct


def _are_close(values: NDArray[Any]) -> bool:
    return int(values.max()) - int(values.min()) < CLOSE


def _above_least(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the difference of each value to the least one, which is close to all."""
    numbers = values.view(np.uint8) if values.dtype.kind == "b" else values
    wide = numbers if numbers.dtype.itemsize == 8 else numbers.astype(np.intp)
    return np.asarray(wide - wide.min(), dtype=np.intp)
