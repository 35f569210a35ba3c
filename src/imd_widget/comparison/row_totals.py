"""Figures over all rows of the table and over the holdout, as sums that chunks of rows add up to.

Counts and weights are whole numbers. Outputs and errors are floats, of which each addend is rounded
to the grids that the observations of all chunks share, see `imd_widget._base.exact_sums`: their
sums are kept in two parts and do not depend on the order of rows or on how rows are chunked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.observations import Observations
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import Outputs


@dataclass(frozen=True, eq=False)
class RightSums:
    """Rows by which model is right, and sums of the truth and of the distances from it."""

    #: Weight of the rows by which model is right, whole numbers.
    weight: NDArray[np.int64]
    #: `Observations.truth_sums` of the rows; no column for classes.
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, observed: Observations, rows: NDArray[np.integer] | slice) -> RightSums | None:
        """Sums over some rows; None without ``y``."""
        if observed.right is None:
            return None
        weights = None if observed.weight is None else observed.weight[rows]
        weight = np.bincount(observed.right[rows], weights=weights, minlength=5)
        return cls(weight.astype(np.int64), observed.truth_sums(rows))

    def __add__(self, other: RightSums) -> RightSums:
        return RightSums(self.weight + other.weight, self.numbers + other.numbers)

    def right(self, unit: float) -> Right:
        """How often either model is right; ``unit`` is the weight of an average row."""
        return Right.of(self.weight, unit, self.numbers.sum(axis=0))


@dataclass(frozen=True, eq=False)
class RowTotals:
    """Sums over the rows of the user's table, and over the holdout rows of all tables.

    The totals of chunks of rows add up to those of all rows, to the bit.
    """

    #: Number of rows with a weight, and of those on which the models differ.
    n_rows: int
    n_differing: int
    #: Weight of the rows, and of those on which the models differ; whole numbers.
    weight: int
    differing_weight: int
    #: `Observations.output_sums`; no column for classes.
    outputs: NDArray[np.float64]
    #: None without ``y``.
    right: RightSums | None
    holdout_right: RightSums | None
    #: Number of rows with a weight, and of all rows, by outcome pair.
    pairs: NDArray[np.int64]
    all_pairs: NDArray[np.int64]

    def __add__(self, other: RowTotals) -> RowTotals:
        return RowTotals(
            self.n_rows + other.n_rows,
            self.n_differing + other.n_differing,
            self.weight + other.weight,
            self.differing_weight + other.differing_weight,
            self.outputs + other.outputs,
            _sum(self.right, other.right),
            _sum(self.holdout_right, other.holdout_right),
            self.pairs + other.pairs,
            self.all_pairs + other.all_pairs,
        )

    @property
    def disagreement(self) -> float:
        """Share of the rows on which the models differ, by weight."""
        return self.differing_weight / self.weight

    def mean_difference(self, outputs: Outputs) -> float | None:
        """Mean of model 2's outputs less model 1's, by weight; None for classes."""
        return outputs.mean_difference(self.outputs, self.weight)


def _sum(one: RightSums | None, other: RightSums | None) -> RightSums | None:
    return None if one is None or other is None else one + other


def chunk_totals(observed: Observations, n_rows: int, holdout: NDArray[np.integer]) -> RowTotals:
    """Return the totals of a chunk of rows.

    Parameters
    ----------
    observed : Observations
        With the grids of all rows.
    n_rows : int
        Number of rows of the user's table, which come first in the chunk.
    holdout : ndarray of int
        Numbers of the holdout rows of the chunk.
    """
    own = slice(n_rows)
    differs = observed.outcome[own] > 0
    weights = None if observed.weight is None else observed.weight[own]
    n_differing = int(np.count_nonzero(differs))
    counts = (n_rows, n_differing, n_rows, n_differing)
    pairs = all_pairs = np.bincount(observed.pair[own], minlength=observed.n_pairs)
    if weights is not None:
        pairs = np.bincount(observed.pair[own][weights > 0], minlength=observed.n_pairs)
        counts = (
            int(np.count_nonzero(weights)),
            int(np.count_nonzero(weights[differs])),
            int(weights.sum()),
            int(weights[differs].sum()),
        )
    return RowTotals(
        *counts,
        observed.output_sums(own),
        RightSums.of(observed, own),
        RightSums.of(observed, holdout),
        pairs,
        all_pairs,
    )
