"""Counts of one node by code and channel. Counts of several chunks of rows add up with ``+``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.sparse_counts import SparseCounts


@dataclass(frozen=True, eq=False)
class Histogram:
    """Rows of a node by code, column after column, and by channel.

    Attributes
    ----------
    values : ndarray of shape (n_bins, n_channels)
        Whole numbers, as floats: exact, and quick to sum and to multiply.
    channels : ndarray of shape (n_channels,)
        Which channels of the target these are, increasing.
    labels : tuple of two SparseCounts, or None
        Where labels are many, their counts; ``values`` then has the leading channels alone.
    """

    values: NDArray[np.float64]
    channels: NDArray[np.intp]
    labels: tuple[SparseCounts, SparseCounts] | None = None

    def __add__(self, other: Histogram) -> Histogram:
        """Counts of both sets of rows; both have the same channels."""
        labels = None
        if self.labels is not None and other.labels is not None:
            labels = (self.labels[0] + other.labels[0], self.labels[1] + other.labels[1])
        return Histogram(self.values + other.values, self.channels, labels)

    def rest(self, others: Sequence[Histogram], channels: NDArray[np.intp]) -> Histogram:
        """Counts without the rows of ``others``; only the channels named are kept."""
        if self.labels is not None:
            values = self.values - sum(other.values for other in others)
            first, second = (
                own.rest([other.labels[model] for other in others if other.labels is not None])
                for model, own in enumerate(self.labels)
            )
            return Histogram(values, self.channels, (first, second))
        kept = _select(self.values, self.channels, channels).copy()
        for other in others:
            shared, own, theirs = np.intersect1d(
                channels, other.channels, assume_unique=True, return_indices=True
            )
            if len(shared) == len(channels) == len(other.channels):
                kept -= other.values
            else:
                kept[:, own] -= other.values[:, theirs]
        return Histogram(kept, channels)


def _select(values: NDArray[Any], has: NDArray[np.intp], wanted: NDArray[np.intp]) -> NDArray[Any]:
    return values if len(has) == len(wanted) else values[:, np.searchsorted(has, wanted)]
