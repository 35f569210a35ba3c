"""Values at given ranks, and the values next below them, without sorting all values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Up to this many values are sorted.
FEW_VALUES = 1 << 12
#: Number of the last bucket that values are counted in; it fits into 16 bits.
LAST_BUCKET = (1 << 16) - 1


def around_ranks(
    values: NDArray[Any], ranks: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the greatest values below, and the distinct values at, some ranks.

    The value at rank ``r`` is ``np.sort(values)[r]``. The least value is left out, since no value
    is below it. Both arrays increase.

    Values are counted in buckets of equal width, and only those in the bucket of a rank, or in the
    last bucket before it that has any, are sorted. The bucket is a monotone function of the value,
    so that this is exact.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Numbers, moments or durations, none of them missing.
    ranks : ndarray of int
        Increasing, from 0 to ``n_values - 1``.
    """
    while len(values) > FEW_VALUES:
        near = _near_ranks(values, ranks)
        if near is None:
            break
        values, ranks = near
    ordered = np.sort(values)
    first = np.append(True, ordered[1:] != ordered[:-1])
    distinct = ordered[first]
    place = np.unique((np.cumsum(first) - 1)[ranks])
    place = place[place > 0]
    return distinct[place - 1], distinct[place]


def _near_ranks(
    values: NDArray[Any], ranks: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    """Return the values in the buckets of the ranks and before them, and the ranks among these.

    None if they are more than half of the values.
    """
    bucket = _buckets(values)
    if bucket is None:
        return None
    counts = np.bincount(bucket, minlength=LAST_BUCKET + 1)
    ends = np.cumsum(counts)
    of_rank = np.searchsorted(ends, ranks, side="right")
    last_before = (ends - counts)[of_rank] - 1
    before = np.searchsorted(ends, last_before[last_before >= 0], side="right")
    kept = np.zeros(len(counts), dtype=bool)
    kept[of_rank] = kept[before] = True
    if 2 * counts[kept].sum() > len(values):
        return None
    dropped = np.cumsum(np.where(kept, 0, counts))
    return values.compress(kept.take(bucket)), ranks - dropped[of_rank]


def _buckets(values: NDArray[Any]) -> NDArray[np.uint16] | None:
    """Return the bucket of each value; None if the values are all equal or their range is infinite.

    Rounding is monotone, so that of two values the greater one is in no earlier bucket.
    """
    if values.dtype.kind in "mM":
        values = values.view(np.int64)
    numbers = values.astype(float, copy=False)
    low = numbers.min()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = LAST_BUCKET / (numbers.max() - low)
    if not (np.isfinite(scale) and scale > 0):
        return None
    position = numbers - low
    position *= scale
    # 32 bits first: the conversion of floats to 16 bits is several times as slow
    whole = np.minimum(position.astype(np.int32), LAST_BUCKET)
    return np.asarray(whole, dtype=np.uint16)
