"""Weights of a large table as whole numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.weights import WeightScale, WeightTotals
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import EncodedPart


@dataclass(frozen=True)
class LargeWeights:
    """The conversion of the weights of a large table."""

    #: The largest weight as it was given.
    largest: float
    scale: WeightScale
    #: Sum of the whole weights.
    total: float
    #: Number of positive weights.
    n_counting: int

    @property
    def unit(self) -> float:
        """Mean of the positive weights."""
        return self.total / self.n_counting

    def whole(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """The whole number of each weight."""
        return self.scale.whole(weight / self.largest)


def weigh(
    kept: PartitionedItems[EncodedPart], largest: float, n_rows: int, n_counting: int
) -> LargeWeights:
    """Find the conversion of the weights of all partitions."""
    smallest = min(kept.map(_smallest, largest))
    totals = kept.sum(_weight_totals, largest, smallest, n_rows)
    scale = WeightScale.of(totals, smallest, 1.0)
    total = sum(kept.map(_whole_total, largest, scale))
    return LargeWeights(largest, scale, total, n_counting)


def _smallest(part: EncodedPart, largest: float) -> float:
    assert part.weight is not None
    share = part.weight / largest
    return float(share[share > 0].min(initial=np.inf))


def _weight_totals(part: EncodedPart, largest: float, smallest: float, n_rows: int) -> WeightTotals:
    assert part.weight is not None
    return WeightTotals.of(part.weight / largest, smallest, 1.0, n_rows)


def _whole_total(part: EncodedPart, largest: float, scale: WeightScale) -> float:
    assert part.weight is not None
    return float(scale.whole(part.weight / largest).sum())
