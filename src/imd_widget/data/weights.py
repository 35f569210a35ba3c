"""Weights of rows as whole numbers, so that sums of them are exact. Only their ratios count.

All of them together are at most 2**40. Of weights that differ by more than some 11 orders of
magnitude, the smallest are therefore made larger than they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Foreign, InputError, Part, Row

#: All weights together stay below this: entropies of them then fit into 64 bits.
LARGEST_SUM = 1 << 40


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of rows.

    Attributes
    ----------
    whole : ndarray of shape (n_rows,)
        Whole numbers, as floats; 0 for rows that are left out.
    unit : float
        Their mean over the rows of the user's table that count.
    """

    whole: NDArray[np.float64]
    unit: float

    @classmethod
    def of(cls, weight: NDArray[np.float64], n_table: int) -> Weights:
        """Whole weights in the proportions of the given ones; the first are the table's."""
        whole = _whole(weight)
        own = whole[:n_table]
        return cls(whole, float(own.sum() / np.count_nonzero(own)))


def checked_weight(given: Any, n_rows: int, argument: Part) -> NDArray[np.float64]:
    """The weights that a user gave, as floats."""
    try:
        weight = np.asarray(given, dtype=float)
        if np.ma.isMaskedArray(given):  # what the mask hides is missing
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
    """The same proportions in whole numbers: exactly, where the least of them divides all."""
    with np.errstate(over="ignore"):
        share = weight / weight[weight > 0].min()
    near = np.rint(share)
    if share.sum() < LARGEST_SUM and np.allclose(share, near, rtol=1e-12, atol=0):
        return np.asarray(near / np.gcd.reduce(near.astype(np.int64)))
    if (weight == np.rint(weight)).all() and weight.sum() < LARGEST_SUM:
        return np.asarray(weight / np.gcd.reduce(weight.astype(np.int64)))
    share = weight / weight.max()  # weights may be too large to be added up
    whole = np.rint(share * (LARGEST_SUM / 2 / share.sum()))
    return np.asarray(np.where(weight > 0, np.maximum(whole, 1), 0))
