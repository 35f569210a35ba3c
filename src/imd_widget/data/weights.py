"""Sample weights as whole numbers, so that their sums are exact. Only their ratios matter.

The sum of all weights is at most 2**40. If weights differ by more than about 11 orders of
magnitude, the smallest are therefore rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Foreign, InputError, Part, Row
from imd_widget._base.exact_sums import SumGrid

#: Upper bound of the sum of weights, with which entropies fit into 64 bits.
LARGEST_SUM = 1 << 40


@dataclass(frozen=True, eq=False)
class Weights:
    """Whole sample weights."""

    #: Whole numbers as floats; 0 excludes a row.
    whole: NDArray[np.float64]
    #: Mean of the positive weights of the user's table.
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


@dataclass(frozen=True)
class WeightTotals:
    """What the conversion of weights needs to know of some rows; the totals of chunks add up."""

    #: Sums of ``weight / smallest`` and of the weights, rounded to a coarse and to a fine step
    #: (`imd_widget._base.exact_sums`), so that they do not depend on the order of rows.
    shares: tuple[float, float]
    weights: tuple[float, float]
    #: Whether all weights are multiples of the smallest one, and whether all are whole.
    are_multiples: bool
    are_whole: bool
    #: Greatest common divisor of these multiples, and of the whole weights.
    divisor: int
    whole_divisor: int

    @classmethod
    def of(
        cls, weight: NDArray[np.float64], smallest: float, largest: float, n_rows: int
    ) -> WeightTotals:
        """The totals of some of ``n_rows`` weights, the extremes of which are known."""
        with np.errstate(over="ignore"):
            share, bound = weight / smallest, np.float64(largest) / smallest
            near = np.rint(share)
            multiples = bool(bound < LARGEST_SUM) and np.allclose(share, near, rtol=1e-12, atol=0)
        are_whole = bool(largest < LARGEST_SUM and (weight == np.rint(weight)).all())
        return cls(
            _exact_sum(share, float(bound), n_rows),
            _exact_sum(weight, largest, n_rows),
            multiples,
            are_whole,
            int(np.gcd.reduce(near.astype(np.int64))) if multiples else 0,
            int(np.gcd.reduce(weight.astype(np.int64))) if are_whole else 0,
        )

    def __add__(self, other: WeightTotals) -> WeightTotals:
        return WeightTotals(
            (self.shares[0] + other.shares[0], self.shares[1] + other.shares[1]),
            (self.weights[0] + other.weights[0], self.weights[1] + other.weights[1]),
            self.are_multiples and other.are_multiples,
            self.are_whole and other.are_whole,
            math.gcd(self.divisor, other.divisor),
            math.gcd(self.whole_divisor, other.whole_divisor),
        )


@dataclass(frozen=True)
class WeightScale:
    """The conversion of weights to whole numbers in the same proportions.

    The whole number of a weight is ``rint(weight / unit) / divisor`` if the weights are multiples
    of ``unit``; otherwise ``rint(weight * factor)``, and at least 1 for a positive weight.
    """

    unit: float
    divisor: int
    factor: float | None = None

    @classmethod
    def of(cls, totals: WeightTotals, smallest: float, largest: float) -> WeightScale:
        """The scale; exact if all weights are multiples of the smallest."""
        if sum(totals.shares) < LARGEST_SUM and totals.are_multiples:
            return cls(smallest, totals.divisor)
        if totals.are_whole and sum(totals.weights) < LARGEST_SUM:
            return cls(1.0, totals.whole_divisor)
        return cls(largest, 1, LARGEST_SUM / 2 / (sum(totals.weights) / largest))

    def whole(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """The whole number of each weight."""
        if self.factor is None:
            return np.asarray(np.rint(weight / self.unit) / self.divisor)
        whole = np.rint(weight / self.unit * self.factor)
        return np.asarray(np.where(weight > 0, np.maximum(whole, 1), 0))


def _exact_sum(addends: NDArray[np.float64], bound: float, n_rows: int) -> tuple[float, float]:
    if not math.isfinite(bound):
        return math.inf, 0.0
    coarse, fine = (part.sum() for part in SumGrid.of(bound, n_rows).parts(addends))
    return float(coarse), float(fine)


def _whole(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Whole numbers in the same proportions; exact if all are multiples of the smallest."""
    smallest, largest = float(weight[weight > 0].min()), float(weight.max())
    totals = WeightTotals.of(weight, smallest, largest, len(weight))
    return WeightScale.of(totals, smallest, largest).whole(weight)
