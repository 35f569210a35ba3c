"""Counts of one node by channel and code; ``+`` adds the counts of chunks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.sparse_counts import SparseCounts


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of the rows of a node by channel and bin; see `CodeLayout` for the bins."""

    #: Whole numbers as floats, which are exact and faster to sum and to multiply: shape
    #: (n_channels, n_bins).
    values: NDArray[np.float64]
    #: Increasing numbers of the channels in ``values``.
    channels: NDArray[np.intp]
    #: Counts of labels if there are many; ``values`` then has the leading channels only.
    labels: tuple[SparseCounts, SparseCounts] | None = None

    def __add__(self, other: Histogram) -> Histogram:
        """Add the counts of two sets of rows; both must have the same channels."""
        labels = None
        if self.labels is not None and other.labels is not None:
            labels = (self.labels[0] + other.labels[0], self.labels[1] + other.labels[1])
        return Histogram(self.values + other.values, self.channels, labels)

    def rest(self, others: Sequence[Histogram], channels: NDArray[np.intp]) -> Histogram:
        """Subtract the counts of ``others``; the result has the given channels."""
        if self.labels is not None:
            values = self.values - sum(other.values for other in others)
            first, second = (
                counts.rest([other.labels[model] for other in others if other.labels is not None])
                for model, counts in enumerate(self.labels)
            )
            return Histogram(values, self.channels, (first, second))
        kept = _select(self.values, self.channels, channels).copy()
        for other in others:
            shared, kept_index, other_index = np.intersect1d(
                channels, other.channels, assume_unique=True, return_indices=True
            )
            if len(shared) == len(channels) == len(other.channels):
                kept -= other.values
            else:
                kept[kept_index] -= other.values[other_index]
        return Histogram(kept, channels)


def _select(values: NDArray[Any], has: NDArray[np.intp], wanted: NDArray[np.intp]) -> NDArray[Any]:
    return values if len(has) == len(wanted) else values[np.searchsorted(has, wanted)]
