"""Holdout and samples of rows as functions of the row number and the seed.

They depend neither on the chunks that rows are read in nor on the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_STRIDE = 0x9E37_79B9_7F4A_7C15  # 2**64 / golden ratio: multiples of it are far apart
_BLOCK = 1 << 15
#: The largest hash.
LARGEST = _WORD
#: Row numbers that `in_band` hashes at a time.
BLOCK = 1 << 20
#: Half the width, in standard deviations, of the band in which a rank is looked for.
BAND = 8

#: From the ends of a band of hashes to the number of hashes below it, and to those inside.
BandCount = Callable[[int, int], tuple[int, NDArray[np.uint64]]]


def hashed(n_rows: int, seed: int) -> NDArray[np.uint64]:
    """A 64-bit hash of each row number and the seed."""
    return hashed_between(0, n_rows, seed)


def hashed_between(start: int, stop: int, seed: int) -> NDArray[np.uint64]:
    """The hashes of the row numbers ``start <= row < stop``; no two of a seed are equal."""
    begin = _mixed(np.array([seed & _WORD], dtype=np.uint64))
    numbers = np.arange(start, stop, dtype=np.uint64)
    for first in range(0, len(numbers), _BLOCK):  # blocks that fit into the cache
        block = numbers[first : first + _BLOCK]
        block[:] = _mixed(block * np.uint64(_STRIDE) ^ begin)
    return numbers


@dataclass(frozen=True)
class RowSplit:
    """The rows kept aside: those that count and whose hash is at most ``last``."""

    seed: int
    #: None: no row is kept aside.
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
    below, inside = 0, [np.empty(0, dtype=np.uint64)]
    for at in range(start, stop, BLOCK):
        end = min(at + BLOCK, stop)
        hashes = hashed_between(at, end, seed)
        if counts is not None:
            hashes = hashes[counts[at - start : end - start]]
        n_below, some = band_of(hashes, low, high)
        below += n_below
        inside.append(some)
    return below, np.concatenate(inside)


def band_of(hashes: NDArray[np.uint64], low: int, high: int) -> tuple[int, NDArray[np.uint64]]:
    """The number of hashes ``< low``, and the hashes ``low <= hash <= high``."""
    upto = hashes.compress(hashes <= np.uint64(high))
    inside = upto.compress(upto >= np.uint64(low))
    return len(upto) - len(inside), inside


def split_rows(n_counting: int, test_size: float, seed: int, band_count: BandCount) -> RowSplit:
    """Keep the share ``test_size`` of the rows that count aside, never all of them."""
    n_aside = _n_aside(n_counting, test_size)
    return RowSplit(seed, nth_hash(n_aside, n_counting, band_count) if n_aside else None)


def _n_aside(n_counting: int, test_size: float) -> int:
    return max(min(round(n_counting * test_size), n_counting - 1), 0)


def sample_bound(n_rows: int, most: int | None) -> int:
    """A hash below which somewhat more than ``most`` of ``n_rows`` rows lie."""
    if most is None or n_rows <= 2 * most:
        return LARGEST
    share = most / n_rows
    share += BAND * (share / n_rows) ** 0.5
    return min(int(share * LARGEST), LARGEST)


def holdout_rows(
    n_rows: int,
    test_size: float,
    seed: int,
    counts: NDArray[np.bool_] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Mask of the holdout: the share ``test_size`` of the rows that count, never all of them.

    With ``groups``, the rows of a group are kept aside together: as many whole groups, in the order
    of their hashes, as come nearest to that share.
    """
    if groups is not None:
        return _holdout_groups(groups, test_size, seed, counts)
    n_aside = _n_aside(n_rows if counts is None else int(counts.sum()), test_size)
    if not n_aside:
        return np.zeros(n_rows, dtype=bool)
    hashes = hashed(n_rows, seed)
    aside = hashes <= _nth(n_aside, hashes if counts is None else hashes[counts])
    return np.asarray(aside if counts is None else aside & counts)


def _holdout_groups(
    groups: NDArray[np.int64], test_size: float, seed: int, counts: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    weight = None if counts is None else counts.astype(float)
    sizes = np.bincount(groups, weights=weight)
    present = np.flatnonzero(sizes)
    order = present[np.argsort(hashed(len(sizes), seed)[present], kind="stable")]
    if test_size <= 0 or len(order) < 2:
        return np.zeros(len(groups), dtype=bool)
    rows = np.cumsum(sizes[order])
    nearest = int(np.abs(rows[:-1] - test_size * rows[-1]).argmin())
    aside = np.isin(groups, order[: nearest + 1])
    return aside if counts is None else np.asarray(aside & counts)


def sampled(rows: NDArray[np.intp], numbers: NDArray[np.uint64], most: int) -> NDArray[np.intp]:
    """The ``most`` rows with the smallest hashes; all rows if there are no more.

    Parameters
    ----------
    rows : ndarray of int
    numbers : ndarray of shape (n_rows,)
        The hash of each row of the table.
    most : int
    """
    if len(rows) <= most:
        return rows
    hashes = numbers.take(rows)
    return np.asarray(rows.compress(hashes <= _nth(most, hashes)))


def _nth(n: int, hashes: NDArray[np.uint64]) -> np.uint64:
    """The ``n``-th smallest hash, from 1."""
    return np.uint64(nth_hash(n, len(hashes), lambda low, high: band_of(hashes, low, high)))


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the result depends on every bit of ``x`` (the finalizer of splitmix64)."""
    x = x + np.uint64(_STRIDE)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
