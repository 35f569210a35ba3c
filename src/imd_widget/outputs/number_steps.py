"""How numbers are counted: order statistics that set the scale, and whole steps that add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import ValueChannels
from imd_widget.counting.observations import Observations
from imd_widget.outputs.base import LARGEST_VALUE, ComparisonInput, RelativeTolerance
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.number_outputs import NumberOutputs

#: Outputs further than this many times the usual spread from it count as if they were just there.
FAR = 2
#: Number of steps of the average weight of a row, where outputs are added up by weight.
COARSE_STEPS = 1024
#: The smallest positive float.
SMALLEST = math.ulp(0.0)
#: Shares of the outputs that lie below the low end and above the high end, of `OutputSpread`.
ENDS, USUAL = 0.01, 0.05


def rank_of(share: float, n: int) -> int:
    """The rank, from 0, of the quantile ``share`` of ``n`` values: the nearest one that occurs."""
    return round((n - 1) * share)


def middle_ranks(n: int) -> tuple[int, int]:
    """The ranks of the two values, which may be one, whose mean is the median of ``n`` values."""
    return (n - 1) // 2, n // 2


@dataclass(frozen=True)
class OutputSpread:
    """Order statistics of the outputs of both models, over the rows that count."""

    #: All outputs of both models but 1 % (`ENDS`), and but 5 % (`USUAL`), at either end lie between
    #: these; all of them, if that were a single point.
    ends: tuple[float, float]
    usual: tuple[float, float]
    #: Median and maximum of ``abs(first - second)``.
    median_apart: float
    most_apart: float
    #: Median of ``max(abs(first), abs(second))``; None unless the tolerance is relative.
    median_larger: float | None = None

    @classmethod
    def of(cls, values: Sequence[NDArray[np.float64]], case: ComparisonInput) -> OutputSpread:
        """The spread of outputs that are in memory."""
        counting = case.counting
        first, second = (one[counting] for one in values)
        pooled = np.concatenate([first, second])
        apart = np.abs(first - second)
        larger = None
        if isinstance(case.output_options.tolerance, RelativeTolerance):
            larger = float(np.median(np.maximum(np.abs(first), np.abs(second))))
        return cls(
            ends_of(pooled, ENDS),
            ends_of(pooled, USUAL),
            float(np.median(apart)),
            float(apart.max()),
            larger,
        )


def ends_of(pooled: NDArray[np.float64], tail: float) -> tuple[float, float]:
    """Between these lie all but the tails; all of them, if that were a single point."""
    ranks = [rank_of(share, len(pooled)) for share in (tail, 1 - tail)]
    low, high = np.partition(pooled, ranks)[ranks].tolist()
    return (low, high) if low < high else (float(pooled.min()), float(pooled.max()))


def rounded_outwards(low: float, high: float) -> tuple[float, float]:
    """Two numbers, further apart by at most a tenth each, with two digits of their distance."""
    distance = high - low
    if not distance or not math.isfinite(distance):
        return low, high
    place = 1 - math.floor(math.log10(distance))
    if abs(place) > 300:  # beyond that a power of ten is not a number
        return low, high
    unit = 10.0**-place
    return round(math.floor(low / unit) * unit, place), round(math.ceil(high / unit) * unit, place)


@dataclass(frozen=True)
class StepTotals:
    """Sums of whole numbers over rows, which are exact and add up."""

    #: Sum of the coarse weights; the number of rows without weights.
    weight: int
    #: Sums of the steps of either model, and of their squares, by coarse weight.
    sums: tuple[int, int]
    squares: tuple[int, int]

    def __add__(self, other: StepTotals) -> StepTotals:
        def added(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
            return one[0] + two[0], one[1] + two[1]

        return StepTotals(
            self.weight + other.weight,
            added(self.sums, other.sums),
            added(self.squares, other.squares),
        )

    def variance(self, model: int) -> float:
        """Variance of the steps of a model."""
        total, weight = self.sums[model], self.weight
        return (self.squares[model] * weight - total * total) / weight**2 if weight else 0.0


@dataclass(frozen=True)
class Steps:
    """The whole steps in which the numbers of a comparison are counted."""

    outputs: NumberOutputs
    #: The size of a step: as fine as sums of squares over all rows stay exact.
    unit: float
    #: Whether rows have weights.
    weighted: bool = False
    #: Weights are multiplied by this and rounded, so that sums of squares by them stay exact; None
    #: if they are used as they are.
    coarseness: float | None = None
    #: Sum of the weights divided by the sum of the coarse ones.
    weight_scale: float = 1.0

    @classmethod
    def of(cls, outputs: NumberOutputs, n_rows: int, weight: NDArray[np.float64] | None) -> Steps:
        """The steps for ``n_rows`` rows that are in memory."""
        if weight is None:
            return cls(outputs, _unit(outputs, float(n_rows)))
        total = float(weight.sum())
        coarseness = coarseness_of(total, n_rows)
        return cls.by_weight(outputs, coarseness, total, float(coarse(weight, coarseness).sum()))

    @classmethod
    def by_weight(
        cls, outputs: NumberOutputs, coarseness: float | None, total: float, coarse_total: float
    ) -> Steps:
        """The steps for rows of which the sums of the weights and of the coarse ones are known."""
        unit = _unit(outputs, coarse_total)
        return cls(outputs, unit, True, coarseness, total / coarse_total)

    def totals(
        self, values: Sequence[NDArray[np.float64]], weight: NDArray[np.float64] | None
    ) -> StepTotals:
        """The sums of the steps of some rows."""
        weights = None if weight is None else coarse(weight, self.coarseness)
        sums, squares = [], []
        for one in values:
            steps = self._whole(one)
            by_weight = steps if weights is None else weights * steps
            sums.append(int(by_weight.sum()))
            squares.append(int((by_weight * steps).sum()))
        total = len(values[0]) if weights is None else int(weights.sum())
        return StepTotals(total, (sums[0], sums[1]), (squares[0], squares[1]))

    def channels(self, totals: StepTotals) -> ValueChannels:
        """The channels that count the steps of all rows, whose totals these are."""
        return ValueChannels(
            self.weighted,
            slack=min(self.outputs.slack / self.unit, LARGEST_VALUE) ** 2,
            variances=(totals.variance(0), totals.variance(1)),
            weight_scale=self.weight_scale,
        )

    def observations(
        self,
        target: ValueChannels,
        values: Sequence[NDArray[np.float64]],
        judged: Judged | None,
        weight: NDArray[np.float64] | None,
    ) -> Observations:
        """What is counted of each of some rows."""
        outputs = self.outputs
        first, second = values
        outcome = np.zeros(len(first), dtype=np.uint8)
        outcome[outputs.is_apart(second - first, first, second)] = 1
        outcome[outputs.is_apart(first - second, first, second)] = 2
        sums = [number for one in map(self._whole, values) for number in (one, one * one)]
        if weight is not None:
            weights = coarse(weight, self.coarseness)
            sums = [weights, *(weights * number for number in sums)]
        return Observations(
            target,
            outcome=outcome,
            pair=outcome,
            pair_outcome=np.arange(3, dtype=np.uint8),
            numbers=tuple(sums),
            values=(first, second),
            scale=(outputs.middle, outputs.spread),
            weight=weight,
            right=judged.who if judged else None,
            errors=judged.errors if judged else None,
            truth=judged.truth if judged else None,
        )

    def _whole(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values as whole steps from the middle. A few wild ones must not hide all the others."""
        reach = _reach(self.outputs)
        near = np.clip(values - self.outputs.middle, -reach, reach)
        return np.asarray(np.rint(near / self.unit))


def coarseness_of(total: float, n_rows: int) -> float | None:
    """The `Steps.coarseness` of ``n_rows`` weights with this sum."""
    most = n_rows * COARSE_STEPS
    return None if total <= most else most / total


def coarse(weight: NDArray[np.float64], coarseness: float | None) -> NDArray[np.float64]:
    """Weights as whole numbers so small that sums of squares by them stay exact."""
    if coarseness is None:
        return weight
    return np.where(weight > 0, np.maximum(np.rint(weight * coarseness), 1), 0)


def _unit(outputs: NumberOutputs, weight: float) -> float:
    bits = (52 - math.ceil(math.log2(max(weight, 2)))) // 2
    reach = _reach(outputs)
    # of the smallest floats there is no part: then a step is one of them
    return max(reach / 2.0 ** min(bits, 20), SMALLEST) if reach > 0 else 1.0


def _reach(outputs: NumberOutputs) -> float:
    return (FAR + 0.5) * (outputs.high - outputs.low)
