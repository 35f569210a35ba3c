"""The outputs of the two models for each row, in the form in which they are counted.

All counts are pure functions of a chunk of rows; the counts of chunks add up exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.exact_sums import SumGrid
from imd_widget.counting.channels import Channels, ClassChannels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.kernels import Addend, sum_by_code, sum_by_group, sum_each_by_code
from imd_widget.counting.sparse_counts import MANY_LABELS, SparseCounts
from imd_widget.counting.tallies import Tallies
from imd_widget.data.columns import Codes

#: Up to this many outcome pairs, rows are counted by pair and the channels derived from the pairs.
FEW_PAIRS = 16
#: Groups times outcome pairs up to which a dense table is counted.
MOST_CELLS = 1 << 22

#: Sums of numeric outputs that do not need ``y``; see `Tally.sums`.
N_OUTPUT_SUMS = 8

#: Which model is right on a row; `UNKNOWN` if ``y`` is missing.
BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER, UNKNOWN = range(5)


def _with_truth(
    errors: Sequence[NDArray[np.float64]], truth: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return the addends of the sums that need ``y``, in the order of `Tally.sums`."""
    return [*map(np.abs, errors), *map(np.square, errors), *errors, truth]


def has_many_labels(target: Channels) -> bool:
    """Whether counts of labels are stored as `SparseCounts`."""
    return isinstance(target, ClassChannels) and target.n_labels > MANY_LABELS


@dataclass(frozen=True, eq=False)
class Observations:
    """The quantities of each row that are counted, apart from its codes."""

    target: Channels
    #: 0 if the models agree on the row, else the number of the way in which they differ.
    outcome: NDArray[np.uint8]
    #: Outcome pair of each row.
    pair: NDArray[Any]
    #: The outcome of each pair.
    pair_outcome: NDArray[np.uint8]
    #: Classes only: the label of each row, by either model.
    labels: tuple[NDArray[Any], NDArray[Any]] | None = None
    #: Classes only: the labels of each pair.
    pair_labels: NDArray[np.int64] | None = None
    #: Numbers only: whole numbers that are summed in the channels after the leading ones,
    #: multiplied by the weights where rows have weights.
    numbers: tuple[NDArray[np.float64], ...] = ()
    #: Numbers only: the output of either model.
    values: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    #: Numbers only: ``middle`` and ``spread``; sums are those of ``(output - middle) / spread``.
    scale: tuple[float, float] = (0.0, 1.0)
    #: Whole numbers.
    weight: NDArray[np.float64] | None = None
    #: Which model is right on the row.
    right: NDArray[np.uint8] | None = None
    #: Numbers only: ``output - y`` of either model, 0 where ``y`` is not known.
    errors: tuple[NDArray[np.float64], ...] | None = None
    #: Numbers only: ``y``, 0 where it is not known.
    truth: NDArray[np.float64] | None = None
    #: Numbers only: the rounding of each sum, which makes the sums of chunks add up exactly. None
    #: if these rows are not a chunk; the grids are then computed from them.
    grids: tuple[SumGrid, ...] | None = None

    def __len__(self) -> int:
        return len(self.outcome)

    def take(self, rows: NDArray[Any]) -> Observations:
        """Return the observations of some rows, in this order, with grids of their own."""

        def of(array: NDArray[Any] | None) -> Any:
            return None if array is None else array.take(rows)

        return replace(
            self,
            outcome=of(self.outcome),
            pair=of(self.pair),
            labels=self.labels and tuple(map(of, self.labels)),
            numbers=tuple(map(of, self.numbers)),
            values=self.values and tuple(map(of, self.values)),
            weight=of(self.weight),
            right=of(self.right),
            errors=self.errors and tuple(map(of, self.errors)),
            truth=of(self.truth),
            grids=None,
        )

    def chunk(self, start: int, stop: int) -> Observations:
        """Return the rows from ``start`` to ``stop - 1`` with the same grids."""
        return replace(self.take(np.arange(start, stop)), grids=self._grids)

    def said_at(self, rows: NDArray[np.integer] | slice) -> tuple[NDArray[Any], ...]:
        """Return the ``labels`` of both models for some rows, or the ``values`` of numbers."""
        return tuple(own[rows] for own in self.labels or self.values or ())

    def output_sums(self, rows: NDArray[np.integer] | slice) -> NDArray[np.float64]:
        """Return the sums over rows of scaled ``values``, by weight, of both models: shape (2, 2).

        The first axis is that of the parts of exact sums, see `SumGrid`: those of chunks that have
        the same grids add up to those of all rows, to the bit. Shape (2, 0) for classes.
        """
        return self._parts_of([self._scaled(own[rows]) for own in self.values or ()], (0, 2), rows)

    def _scaled(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        middle, spread = self.scale
        return (values - middle) / spread

    def truth_sums(self, rows: NDArray[np.integer] | slice) -> NDArray[np.float64]:
        """Return the last sums of `Tally.sums`, those with ``y``, in the same form."""
        if self.errors is None or self.truth is None:
            return np.zeros((2, 0))
        errors = [error[rows] for error in self.errors]
        addends = _with_truth(errors, self.truth[rows])
        numbers = range(N_OUTPUT_SUMS, N_OUTPUT_SUMS + len(addends))
        return self._parts_of(addends, numbers, rows)

    def _parts_of(
        self,
        arrays: Sequence[NDArray[np.float64]],
        numbers: Sequence[int],
        rows: NDArray[np.integer] | slice,
    ) -> NDArray[np.float64]:
        """Add up arrays of these rows by weight, rounded as the sums of `_summed`."""
        parts = np.zeros((2, len(arrays)))
        for place, (array, number) in enumerate(zip(arrays, numbers, strict=False)):
            addends = array if self.weight is None else array * self.weight[rows]
            parts[:, place] = [part.sum() for part in self._grids[number].parts(addends)]
        return parts

    @property
    def n_pairs(self) -> int:
        """Number of outcome pairs that occur."""
        return len(self.pair_outcome)

    @cached_property
    def _fold(self) -> NDArray[np.float64] | None:
        """Matrix from counts of pairs to channels; None if rows are not counted by pair."""
        if self.pair_labels is None or self.n_pairs > FEW_PAIRS or self.target.weighted:
            return None
        target = self.target
        assert isinstance(target, ClassChannels)
        every = np.arange(self.n_pairs)
        fold = np.zeros((self.n_pairs, target.n_channels))
        fold[every, self.pair_outcome] = 1
        for model in (0, 1):
            start = target.n_leading + model * target.n_labels
            fold[every, start + self.pair_labels[:, model]] = 1
        return fold

    def histograms(
        self,
        codes: Sequence[Codes],
        offsets: NDArray[np.int64],
        rows: Sequence[NDArray[np.int32]],
        channels: Sequence[NDArray[np.intp]],
    ) -> list[Histogram]:
        """Return the histograms of several parts of the rows."""
        fold = self._fold
        if fold is None:
            return [
                self._histogram(codes, offsets, *part) for part in zip(rows, channels, strict=True)
            ]
        pairs = [Addend(self.pair.take(part), self.n_pairs, None) for part in rows]
        tables = sum_each_by_code(codes, offsets, rows, pairs)
        return [
            Histogram(fold.T[requested] @ table, requested)
            for table, requested in zip(tables, channels, strict=True)
        ]

    def _histogram(
        self,
        codes: Sequence[Codes],
        offsets: NDArray[np.int64],
        rows: NDArray[np.int32],
        channels: NDArray[np.intp],
    ) -> Histogram:
        if self.labels is not None and has_many_labels(self.target):
            return self._with_sparse_labels(codes, offsets, rows)
        parts = [*self._leading(rows), *self._labels(rows, channels), *self._sums(rows)]
        return Histogram(sum_by_code(codes, offsets, rows, parts), channels)

    def _leading(self, rows: NDArray[np.int32]) -> list[Addend]:
        outcome = self.outcome.take(rows)
        parts = [Addend(outcome, self.target.n_outcomes, self._weight(rows))]
        return [*parts, Addend(outcome > 0, 2, None)] if self.target.weighted else parts

    def _labels(self, rows: NDArray[np.int32], channels: NDArray[np.intp] | None) -> list[Addend]:
        """Return the addends of the labels of either model, of all or of the given channels."""
        if self.labels is None:
            return []
        target, weight = self.target, self._weight(rows)
        assert isinstance(target, ClassChannels)
        if channels is None:
            return [Addend(labels.take(rows), target.n_labels, weight) for labels in self.labels]
        parts = []
        for model, labels in enumerate(self.labels):
            first = target.n_leading + model * target.n_labels
            start, stop = np.searchsorted(channels, (first, first + target.n_labels))
            index = np.zeros(target.n_labels, dtype=np.uint32)
            index[channels[start:stop] - first] = np.arange(stop - start)
            parts.append(Addend(index[labels.take(rows)], int(stop - start), weight))
        return parts

    def _sums(self, rows: NDArray[np.int32]) -> list[Addend]:
        return [Addend(None, 1, number.take(rows)) for number in self.numbers]

    def _with_sparse_labels(
        self, codes: Sequence[Codes], offsets: NDArray[np.int64], rows: NDArray[np.int32]
    ) -> Histogram:
        """Return a histogram with dense leading channels and sparse counts of labels."""
        target, weight = self.target, self._weight(rows)
        assert isinstance(target, ClassChannels)
        assert self.labels is not None
        first, second = (
            SparseCounts.of(codes, offsets, rows, labels.take(rows), weight, target.n_labels)
            for labels in self.labels
        )
        table = sum_by_code(codes, offsets, rows, self._leading(rows))
        return Histogram(table, np.arange(target.n_leading), (first, second))

    def channels(
        self, rows: NDArray[np.int32], group: NDArray[Any] | None = None, size: int = 1
    ) -> NDArray[np.float64]:
        """Return the sums of every channel by group: shape (size, n_channels)."""
        if self._fold is not None:
            return (
                sum_by_group(group, size, [Addend(self.pair.take(rows), self.n_pairs, None)])
                @ self._fold
            )
        return sum_by_group(
            group, size, [*self._leading(rows), *self._labels(rows, None), *self._sums(rows)]
        )

    def sum_parts(
        self, rows: NDArray[np.int32], group: NDArray[Any], size: int
    ) -> NDArray[np.float64]:
        """Return ``sum_parts`` of `Tally` for each group: shape (size, 2, n_sums)."""
        if self.values is None:
            return np.zeros((size, 2, 0))
        summed = self._summed(rows, group)
        parts = np.empty((size, 2, len(self._grids)))
        for number, (grid, (groups, addends)) in enumerate(zip(self._grids, summed, strict=True)):
            for part, rounded in enumerate(grid.parts(addends)):
                parts[:, part, number] = np.bincount(groups, weights=rounded, minlength=size)
        return parts

    def _summed(
        self, rows: NDArray[np.int32], group: NDArray[Any]
    ) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
        """Iterate over the groups and addends of each sum, in the order of `Tally.sums`."""
        assert self.values is not None
        outcome = self.outcome.take(rows)
        for model_values in self.values:
            values = self._scaled(model_values.take(rows))
            yield group, self._weighted(rows, values)
            yield group, self._weighted(rows, values * values)
        for way in (1, 2):
            inside = outcome == way
            some = rows.compress(inside)
            for model_values in self.values:
                values = self._scaled(model_values.take(some))
                yield group.compress(inside), self._weighted(some, values)
        if self.errors is not None and self.truth is not None:
            errors = [error.take(rows) for error in self.errors]
            for addends in _with_truth(errors, self.truth.take(rows)):
                yield group, self._weighted(rows, addends)

    def _weighted(
        self, rows: NDArray[np.int32], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return values if self.weight is None else values * self.weight.take(rows)

    @cached_property
    def _grids(self) -> tuple[SumGrid, ...]:
        """The rounding of each sum."""
        if self.grids is not None or self.values is None:
            return self.grids or ()
        return tuple(SumGrid.of(bound, len(self)) for bound in self.bounds().tolist())

    def bounds(self) -> NDArray[np.float64]:
        """The largest absolute value of the addends of each sum."""
        rows = np.arange(len(self), dtype=np.int32)
        return np.array(
            [float(np.abs(addends).max(initial=0)) for _, addends in self._summed(rows, rows)]
        )

    def label_rows(
        self, rows: NDArray[np.int32], group: NDArray[Any], size: int
    ) -> NDArray[np.int64] | None:
        """Return the numbers of rows by group, model and label: shape (size, 2, n_labels).

        None unless classes are counted with weights: otherwise the channels count rows.
        """
        target = self.target
        if self.labels is None or not target.weighted or not isinstance(target, ClassChannels):
            return None
        both = [
            sum_by_group(group, size, [Addend(labels.take(rows), target.n_labels, None)])
            for labels in self.labels
        ]
        return np.stack(both, axis=1).astype(np.int64)

    def tallies(self, rows: NDArray[np.int32], group: NDArray[Any], size: int) -> Tallies:
        """Return the tallies of the rows of each group."""
        outcomes, *pairs = self._pairs_by_group(rows, group, size)
        counts = [outcomes]
        if self.target.weighted:
            differs = Addend(self.outcome.take(rows) > 0, 2, None)
            counts.append(sum_by_group(group, size, [differs]))
        right = np.zeros((size, 5))
        if self.right is not None:
            right = sum_by_group(
                group, size, [Addend(self.right.take(rows), 5, self._weight(rows))]
            )
        return Tallies(
            np.concatenate(counts, axis=1).astype(np.int64),
            right.astype(np.int64),
            self.sum_parts(rows, group, size),
            *pairs,
        )

    def _weight(self, rows: NDArray[np.int32]) -> NDArray[np.float64] | None:
        return None if self.weight is None else self.weight.take(rows)

    def _pairs_by_group(
        self, rows: NDArray[np.int32], group: NDArray[Any], size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the weight by group and outcome, and group, pair and weight of differing pairs."""
        weight = self._weight(rows)
        n_pairs, n_outcomes = self.n_pairs, self.target.n_outcomes
        if size * n_pairs <= MOST_CELLS:
            cells = sum_by_group(group, size, [Addend(self.pair.take(rows), n_pairs, weight)])
            outcomes = cells @ np.eye(n_outcomes)[self.pair_outcome]
            groups, pair = np.nonzero(cells * (self.pair_outcome > 0))
            return outcomes, groups, pair, cells[groups, pair].astype(np.int64)
        outcomes = sum_by_group(group, size, [Addend(self.outcome.take(rows), n_outcomes, weight)])
        differs = self.outcome.take(rows) > 0
        differing = rows.compress(differs)
        key = group.compress(differs).astype(np.int64) * n_pairs + self.pair.take(differing)
        occurring, entry = np.unique(key, return_inverse=True)
        total = np.bincount(entry, weights=self._weight(differing), minlength=len(occurring))
        return outcomes, occurring // n_pairs, occurring % n_pairs, total.astype(np.int64)
