"""Look-up tables that replace the binary search for codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Number of buckets of the grid.
GRID = 1 << 13
#: Fewer values are found faster by a binary search.
MANY_VALUES = 1 << 10


@dataclass(frozen=True, eq=False)
class SearchGrid:
    """An exact table look-up of codes in place of a binary search.

    The range of the thresholds is divided into equal buckets. The bucket of a value is computed by
    the same monotone arithmetic as the buckets of thresholds, so a value in a later bucket than a
    threshold is ``>=`` it, and in an earlier bucket ``<`` it. Only values in the same bucket
    are compared.
    """

    thresholds: NDArray[Any]
    low: Any
    scale: Any
    before: NDArray[Any]
    crowded: NDArray[np.bool_]
    any_crowded: bool
    padded: NDArray[Any]

    @classmethod
    def over(cls, thresholds: NDArray[Any]) -> SearchGrid | None:
        """A grid for at least two thresholds; None if their range overflows."""
        low = thresholds[0]
        with np.errstate(over="ignore", divide="ignore"):
            scale = thresholds.dtype.type(GRID / (thresholds[-1] - low))
        if not (np.isfinite(scale) and scale > 0):
            return None
        buckets = cls._bucket(thresholds, low, scale)
        number = np.bincount(buckets, minlength=GRID + 2)
        before = np.cumsum(number) - number
        # after the last threshold, values are compared with NaN, which none is >=
        padded = np.append(thresholds, thresholds.dtype.type(np.nan))
        crowded = number > 1
        return cls(thresholds, low, scale, before, crowded, bool(crowded.any()), padded)

    @staticmethod
    def _bucket(values: NDArray[Any], low: Any, scale: Any) -> NDArray[np.intp]:
        with np.errstate(over="ignore", invalid="ignore"):
            position = (values - low) * scale
        np.clip(position, -1, GRID, out=position)
        position += 1
        return np.asarray(position, dtype=np.intp)

    def search(
        self, values: NDArray[Any], dtype: np.dtype[Any]
    ) -> NDArray[np.unsignedinteger[Any]]:
        """Number of thresholds that are ``<=`` each value."""
        codes = np.empty(len(values), dtype=dtype)
        for start in range(0, len(values), 1 << 16):  # chunks that fit into the cache
            piece = values[start : start + (1 << 16)]
            bucket = self._bucket(piece, self.low, self.scale)
            # take returns the same as an index, in half of the time
            part = self.before.take(bucket)
            part += piece >= self.padded.take(part)
            if self.any_crowded:
                crowded = np.flatnonzero(self.crowded.take(bucket))
                exact = np.searchsorted(self.thresholds, piece[crowded], side="right")
                part[crowded] = exact
            codes[start : start + (1 << 16)] = part
        return codes


def n_reached(
    bounds: NDArray[Any], values: NDArray[Any], dtype: np.dtype[Any]
) -> NDArray[np.unsignedinteger[Any]]:
    """Number of bounds that are ``<=`` each value.

    Whole numbers that span less than half as many as there are rows are looked up in a table.
    """
    if values.dtype.kind in "iu" and len(values) >= MANY_VALUES:
        low, high = values.min(), values.max()
        span = int(high) - int(low)
        if span < len(values) // 2:
            # sums and differences wrap around alike, so that offsets are right as unsigned numbers
            every = np.arange(span + 1).astype(values.dtype) + low
            codes = np.searchsorted(bounds, every, side="right").astype(dtype)
            return np.asarray(codes[(values - low).view(f"u{values.dtype.itemsize}")])
    return np.searchsorted(bounds, values, side="right").astype(dtype)
