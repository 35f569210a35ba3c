"""Sample weights as whole numbers, so that their sums are exact. Only their ratios matter.

The sum of all weights is at most 2**40. If weights differ by more than about 11 orders of
magnitude, the smallest are therefore rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Foreign, InputError, Part, Row

#: Upper bound of the sum of weights, with which entropies fit into 64 bits.
LARGEST_SUM = 1 << 40


@dataclass(frozen=True, eq=False)
class Weights:
    """Whole sample weights.

    Attributes
    ----------
    whole : ndarray of shape (n_rows,)
        Whole numbers as floats; 0 excludes a row.
    unit : float
        Mean of the positive weights of the user's table.
    """

    whole: NDArray[np.float64]
    unit: float

    @classmethod
    def of(cls, weight: NDArray[np.float64], n_table: int) -> Weights:
        """Convert weights to whole numbers; the first ``n_table`` are those of the user's table."""
        whole = _whole(weight)
        table = whole[:n_table]
        return cls(whole, float(table.sum() / np.count_nonzero(table)))

    def take(self, rows: NDArray[np.integer]) -> Weights:
        """Weights of some rows, in this order, with the same unit."""
        return Weights(self.whole[rows], self.unit)


def checked_weight(given: Any, n_rows: int, argument: Part) -> NDArray[np.float64]:
    """Convert the user's weights to floats; raise an `InputError` unless they are valid."""
    try:
        weight = np.asarray(given, dtype=float)
        if np.ma.isMaskedArray(given):  # masked weights are missing
            weight = np.where(np.ma.getmaskarray(given), np.nan, weight)
    except (TypeError, ValueError) as error:
        raise InputError(
            argument,
            " could not be read as numbers (",
            Foreign(str(error)),
            "): one number from 0 up is needed for each row.",
        ) from error
    if weight.shape != (n_rows,):
        raise InputError(
            argument,
            f" has shape {weight.shape}: one number for each of the {n_rows} rows is "
            f"needed, shape ({n_rows},).",
        )
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        raise InputError(
            argument,
            f" holds {float(weight[bad][0])!r} at ",
            Row(int(bad.argmax())),
            ": weights are finite numbers from 0 up; a row of weight 0 is left out.",
        )
    if not weight.any():
        raise InputError(
            argument, ": the weight of every row is zero, and at least one must count."
        )
    return weight


def _whole(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole numbers in the same proportions; exact if all are multiples of the smallest."""
    with np.errstate(over="ignore"):
        share = weight / weight[weight > 0].min()
    near = np.rint(share)
    if share.sum() < LARGEST_SUM and np.allclose(share, near, rtol=1e-12, atol=0):
        return np.asarray(near / np.gcd.reduce(near.astype(np.int64)))
    if (weight == np.rint(weight)).all() and weight.sum() < LARGEST_SUM:
        return np.asarray(weight / np.gcd.reduce(weight.astype(np.int64)))
    share = weight / weight.max()  # before the sum, which could overflow
    whole = np.rint(share * (LARGEST_SUM / 2 / share.sum()))
    return np.asarray(np.where(weight > 0, np.maximum(whole, 1), 0))
