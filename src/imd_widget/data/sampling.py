"""Holdout and samples of rows as functions of the row number and the seed.

They depend neither on the chunks that rows are read in nor on the columns.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_STRIDE = 0x9E37_79B9_7F4A_7C15  # 2**64 / golden ratio: multiples of it are far apart
_BLOCK = 1 << 15


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
    n_counting = n_rows if counts is None else int(counts.sum())
    n_aside = min(round(n_counting * test_size), n_counting - 1)
    if n_aside <= 0:
        return np.zeros(n_rows, dtype=bool)
    numbers = hashed(n_rows, seed)
    if counts is None:
        return np.asarray(numbers <= _smallest(numbers, n_aside))
    last = _smallest(numbers[counts], n_aside)
    return np.asarray(counts & (numbers <= last))


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
    return np.asarray(rows.compress(hashes <= _smallest(hashes, most)))


def _smallest(hashes: NDArray[np.uint64], n: int) -> np.uint64:
    """The n-th smallest hash, ``0 < n < len(hashes)``.

    Hashes are spread evenly, so that some more than n of them are below a bound that is known
    before they are sorted; where that fails, all of them are.
    """
    margin = 6 * n**0.5 + 6
    bound = int((n + margin) / len(hashes) * 2.0**64)
    few = hashes.compress(hashes < np.uint64(bound)) if bound < _WORD else hashes
    among = few if len(few) >= n else hashes
    return np.uint64(np.partition(among, n - 1)[n - 1])


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of the result depends on every bit of ``x`` (the finalizer of splitmix64)."""
    x = x + np.uint64(_STRIDE)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return np.asarray(x ^ (x >> np.uint64(31)))
