"""Which rows of a partition are used to fit, and which are kept aside: by the hash of the row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.sampling import hashed_between

#: The largest hash.
LARGEST = (1 << 64) - 1
#: Row numbers hashed at a time.
BLOCK = 1 << 20
#: Half the width, in standard deviations, of the band in which a rank is looked for.
BAND = 8


@dataclass(frozen=True)
class RowSplit:
    """The rows kept aside: those that count and whose hash is at most ``last``.

    Attributes
    ----------
    seed : int
    last : int or None
        None: no row is kept aside.
    """

    seed: int
    last: int | None

    @property
    def share_to_fit(self) -> float:
        """The share of the rows that is used to fit, but for the chance of hashes."""
        return 1.0 if self.last is None else 1 - self.last / LARGEST

    def aside(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Mask of the rows ``start <= row < stop`` that are kept aside, if they count."""
        if self.last is None:
            return np.zeros(stop - start, dtype=bool)
        return np.asarray(hashed_between(start, stop, self.seed) <= np.uint64(self.last))


#: From the ends of a band of hashes to the number of hashes below it, and to those inside.
BandCount = Callable[[int, int], tuple[int, NDArray[np.uint64]]]


def nth_hash(n: int, n_hashes: int, band_count: BandCount) -> int:
    """The ``n``-th smallest, from 1, of ``n_hashes`` hashes, without having them all at once.

    Hashes are uniform, so that it lies in a narrow band around ``n / n_hashes`` of their range;
    should it not, the band is widened.
    """
    share = n / n_hashes
    half = BAND * (share * (1 - share) / n_hashes) ** 0.5 + 2 / n_hashes
    while True:
        low = max(int((share - half) * LARGEST), 0)
        high = min(int((share + half) * LARGEST), LARGEST)
        below, inside = band_count(low, high)
        if below < n <= below + len(inside):
            return int(np.sort(inside)[n - below - 1])
        half *= 8


def in_band(
    start: int, stop: int, seed: int, low: int, high: int, counts: NDArray[np.bool_] | None = None
) -> tuple[int, NDArray[np.uint64]]:
    """The number of hashes ``< low`` of some rows, and the hashes ``low <= hash <= high``."""
    below, inside = 0, []
    for at in range(start, stop, BLOCK):
        end = min(at + BLOCK, stop)
        hashes = hashed_between(at, end, seed)
        if counts is not None:
            hashes = hashes[counts[at - start : end - start]]
        under = hashes < np.uint64(low)
        below += int(under.sum())
        inside.append(hashes[~under & (hashes <= np.uint64(high))])
    return below, np.concatenate(inside) if inside else np.empty(0, dtype=np.uint64)


def split_rows(n_counting: int, test_size: float, seed: int, band_count: BandCount) -> RowSplit:
    """Keep the share ``test_size`` of the rows that count aside, never all of them."""
    n_aside = min(round(n_counting * test_size), n_counting - 1)
    if n_aside <= 0:
        return RowSplit(seed, None)
    return RowSplit(seed, nth_hash(n_aside, n_counting, band_count))


def sample_bound(n_rows: int, most: int | None) -> int:
    """A hash below which somewhat more than ``most`` of ``n_rows`` rows lie."""
    if most is None or n_rows <= 2 * most:
        return LARGEST
    share = most / n_rows
    share += BAND * (share / n_rows) ** 0.5
    return min(int(share * LARGEST), LARGEST)
