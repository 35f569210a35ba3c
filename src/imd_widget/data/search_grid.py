"""A look-up grid that replaces the binary search for codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Buckets of the grid that finds most codes without a search.
GRID = 1 << 13


@dataclass(frozen=True, eq=False)
class SearchGrid:
    """Finds codes by a table look-up in place of a search, exactly.

    Values are cut into equal buckets. The bucket of a value is computed by the same monotone
    arithmetic as those of the thresholds; so a value in a later bucket than a threshold is not
    below it, in an earlier bucket it is. Only in the bucket of a threshold are the two compared.
    """

    thresholds: NDArray[Any]
    low: Any
    scale: Any
    before: NDArray[Any]
    crowded: NDArray[np.bool_]
    padded: NDArray[Any]

    @classmethod
    def over(cls, thresholds: NDArray[Any]) -> SearchGrid | None:
        """A grid for these thresholds, two of them at least; None where their span overflows."""
        low = thresholds[0]
        with np.errstate(over="ignore", divide="ignore"):
            scale = thresholds.dtype.type(GRID / (thresholds[-1] - low))
        if not (np.isfinite(scale) and scale > 0):
            return None
        buckets = cls._bucket(thresholds, low, scale)
        number = np.bincount(buckets, minlength=GRID + 2)
        before = np.cumsum(number) - number
        # past the last threshold there is none to compare with: NaN is reached by no value
        padded = np.append(thresholds, thresholds.dtype.type(np.nan))
        return cls(thresholds, low, scale, before, number > 1, padded)

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
        """Number of thresholds that are not above each value."""
        codes = np.empty(len(values), dtype=dtype)
        for start in range(0, len(values), 1 << 16):  # pieces that stay in the cache
            piece = values[start : start + (1 << 16)]
            bucket = self._bucket(piece, self.low, self.scale)
            found = self.before[bucket]
            found += piece >= self.padded[found]
            crowded = np.flatnonzero(self.crowded[bucket])
            if len(crowded):
                exact = np.searchsorted(self.thresholds, piece[crowded], side="right")
                found[crowded] = exact
            codes[start : start + (1 << 16)] = found
        return codes
