"""What the two models said about each row, ready to be added up.

Pure functions of a chunk of rows: what many chunks give is added, channel by channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting import sparse_counts as entries
from imd_widget.counting.channels import Channels, ClassChannels
from imd_widget.counting.kernels import Part, by_code, by_place
from imd_widget.counting.sparse_counts import SparseCounts
from imd_widget.data.columns import Codes

#: Up to this many outcome pairs rows are counted by pair, and the channels made from that.
FEW_PAIRS = 16
#: Largest table that is counted whole rather than by what occurs in it.
MOST_CELLS = 1 << 22

#: Who is right about a row, where the truth is known.
BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER, UNKNOWN = range(5)


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

    def rest(self, others: Sequence[Histogram], channels: NDArray[np.intp]) -> Histogram:
        """Without the rows of ``others``; only the channels named are kept."""
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


def has_many_labels(target: Channels) -> bool:
    """Whether counts of labels are kept as entries."""
    return isinstance(target, ClassChannels) and target.n_labels > entries.MANY_LABELS


@dataclass(frozen=True, eq=False)
class Tally:
    """What lies in one place, added up.

    Attributes
    ----------
    counts : ndarray of shape (n_leading,)
        The leading channels of the target.
    pairs : dict from outcome pair to weight
        Of the outcome pairs in which the models differ, those that occur.
    right : ndarray of shape (5,)
        Weight by who is right; all 0 where no truth is known.
    sums : ndarray of shape (8,), (10,) or (0,)
        Of numbers: sum and sum of squares of the outputs of model 1, and of model 2; the sums of
        either again over the rows where model 2 says more, and over those where it says less;
        then, where the truth is known, the sums of their distances from it.
    """

    counts: NDArray[np.int64]
    pairs: dict[int, int]
    right: NDArray[np.int64]
    sums: NDArray[np.float64]

    def __add__(self, other: Tally) -> Tally:
        pairs = dict(self.pairs)
        for pair, weight in other.pairs.items():
            pairs[pair] = pairs.get(pair, 0) + weight
        return Tally(
            self.counts + other.counts, pairs, self.right + other.right, self.sums + other.sums
        )


@dataclass(frozen=True, eq=False)
class Tallies:
    """Tallies of many places at once; see `Tally` for what the arrays hold, a row a place.

    ``place``, ``pair`` and ``weight`` list the outcome pairs that differ, sorted by place.
    """

    counts: NDArray[np.int64]
    right: NDArray[np.int64]
    sums: NDArray[np.float64]
    place: NDArray[np.int64]
    pair: NDArray[np.int64]
    weight: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, at: int) -> Tally:
        start, stop = np.searchsorted(self.place, (at, at + 1))
        pairs = dict(
            zip(self.pair[start:stop].tolist(), self.weight[start:stop].tolist(), strict=True)
        )
        return Tally(self.counts[at], pairs, self.right[at], self.sums[at])


@dataclass(frozen=True, eq=False)
class Observations:
    """What is known of each row but for its own values.

    Attributes
    ----------
    target : Channels
    outcome : ndarray of shape (n_rows,)
        How the models stand to each other: 0 the same, else a way to differ.
    pair : ndarray of shape (n_rows,)
        Outcome pair of each row.
    pair_outcome : ndarray of shape (n_pairs,)
        The outcome that goes with a pair.
    labels : tuple of two ndarrays, or None
        Of classes: the label that either model gives each row.
    pair_labels : ndarray of shape (n_pairs, 2), or None
        Of classes: the labels of each pair.
    numbers : tuple of ndarrays
        Of numbers: what is added up in the channels after the leading ones, whole numbers; where
        rows have weights, multiplied by them.
    values : tuple of two ndarrays, or None
        Of numbers: the outputs themselves, less their middle, in terms of their spread.
    weight : ndarray of shape (n_rows,) or None
        Whole numbers.
    right : ndarray of shape (n_rows,) or None
        Who is right about the row.
    errors : tuple of two ndarrays, or None
        Of numbers: how far the outputs are off the truth, 0 where it is not known.
    """

    target: Channels
    outcome: NDArray[np.uint8]
    pair: NDArray[Any]
    pair_outcome: NDArray[np.uint8]
    labels: tuple[NDArray[Any], NDArray[Any]] | None = None
    pair_labels: NDArray[np.int64] | None = None
    numbers: tuple[NDArray[np.float64], ...] = ()
    values: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    weight: NDArray[np.float64] | None = None
    right: NDArray[np.uint8] | None = None
    errors: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def __len__(self) -> int:
        return len(self.outcome)

    def take(self, rows: NDArray[Any]) -> Observations:
        """Those of some rows alone, in this order."""

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
        )

    @property
    def n_pairs(self) -> int:
        """Number of outcome pairs that occur."""
        return len(self.pair_outcome)

    @cached_property
    def _fold(self) -> NDArray[np.float64] | None:
        """From counts of pairs to channels, where pairs are few and tell all."""
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

    def histogram(
        self,
        codes: Sequence[Codes],
        offsets: NDArray[np.int64],
        rows: NDArray[np.int32],
        channels: NDArray[np.intp],
    ) -> Histogram:
        """The rows by code and channel."""
        if self.labels is not None and has_many_labels(self.target):
            return self._with_entries(codes, offsets, rows)
        if self._fold is not None:
            pair = Part(self.pair.take(rows), self.n_pairs, None)
            table = by_code(codes, offsets, rows, [pair]) @ self._fold[:, channels]
            return Histogram(table, channels)
        parts = [*self._leading(rows), *self._labels(rows, channels), *self._sums(rows)]
        return Histogram(by_code(codes, offsets, rows, parts), channels)

    def _leading(self, rows: NDArray[np.int32]) -> list[Part]:
        outcome = self.outcome.take(rows)
        parts = [Part(outcome, self.target.n_outcomes, self._weight(rows))]
        return [*parts, Part(outcome > 0, 2, None)] if self.target.weighted else parts

    def _labels(self, rows: NDArray[np.int32], channels: NDArray[np.intp] | None) -> list[Part]:
        """The labels of either model: all of them, or those among the channels."""
        if self.labels is None:
            return []
        target, weight = self.target, self._weight(rows)
        assert isinstance(target, ClassChannels)
        if channels is None:
            return [Part(labels.take(rows), target.n_labels, weight) for labels in self.labels]
        parts = []
        for model, labels in enumerate(self.labels):
            first = target.n_leading + model * target.n_labels
            start, stop = np.searchsorted(channels, (first, first + target.n_labels))
            place = np.zeros(target.n_labels, dtype=np.uint32)
            place[channels[start:stop] - first] = np.arange(stop - start)
            parts.append(Part(place[labels.take(rows)], int(stop - start), weight))
        return parts

    def _sums(self, rows: NDArray[np.int32]) -> list[Part]:
        return [Part(None, 1, number.take(rows)) for number in self.numbers]

    def _with_entries(
        self, codes: Sequence[Codes], offsets: NDArray[np.int64], rows: NDArray[np.int32]
    ) -> Histogram:
        """The leading channels as a table, labels as entries."""
        target, weight = self.target, self._weight(rows)
        assert isinstance(target, ClassChannels)
        assert self.labels is not None
        first, second = (
            SparseCounts.of(codes, offsets, rows, own.take(rows), weight, target.n_labels)
            for own in self.labels
        )
        table = by_code(codes, offsets, rows, self._leading(rows))
        return Histogram(table, np.arange(target.n_leading), (first, second))

    def channels(
        self, rows: NDArray[np.int32], place: NDArray[Any] | None = None, size: int = 1
    ) -> NDArray[np.float64]:
        """Every channel of the rows, added up by their ``place``: shape (size, n_channels)."""
        at = np.zeros(len(rows), dtype=np.int64) if place is None else place
        if self._fold is not None:
            return by_place(at, size, [Part(self.pair.take(rows), self.n_pairs, None)]) @ self._fold
        return by_place(
            at, size, [*self._leading(rows), *self._labels(rows, None), *self._sums(rows)]
        )

    def sums(self, rows: NDArray[np.int32], place: NDArray[Any], size: int) -> NDArray[np.float64]:
        """Of numbers: what `Tally` calls sums, by ``place``: shape (size, 8) or (size, 10)."""
        if self.values is None:
            return np.zeros((size, 0))
        weight = self._weight(rows)
        own = [values.take(rows) for values in self.values]
        summed = [number for one in own for number in (one, one * one)]
        outcome = self.outcome.take(rows)
        summed += [np.where(outcome == way, one, 0) for way in (1, 2) for one in own]
        summed += [one.take(rows) for one in self.errors or ()]
        if weight is not None:
            summed = [number * weight for number in summed]
        return by_place(place, size, [Part(None, 1, number) for number in summed])

    def label_rows(
        self, rows: NDArray[np.int32], place: NDArray[Any], size: int
    ) -> NDArray[np.int64] | None:
        """Of classes with weights: rows by ``place`` and label: shape (size, 2, n_labels).

        None where the channels count rows already.
        """
        target = self.target
        if self.labels is None or not target.weighted or not isinstance(target, ClassChannels):
            return None
        both = [
            by_place(place, size, [Part(own.take(rows), target.n_labels, None)])
            for own in self.labels
        ]
        return np.stack(both, axis=1).astype(np.int64)

    def tallies(self, rows: NDArray[np.int32], place: NDArray[Any], size: int) -> Tallies:
        """What lies in each place, added up."""
        outcomes, *pairs = self._pairs_by_place(rows, place, size)
        counts = [outcomes]
        if self.target.weighted:
            differs = Part(self.outcome.take(rows) > 0, 2, None)
            counts.append(by_place(place, size, [differs]))
        right = np.zeros((size, 5))
        if self.right is not None:
            right = by_place(place, size, [Part(self.right.take(rows), 5, self._weight(rows))])
        return Tallies(
            np.concatenate(counts, axis=1).astype(np.int64),
            right.astype(np.int64),
            self.sums(rows, place, size),
            *pairs,
        )

    def _weight(self, rows: NDArray[np.int32]) -> NDArray[np.float64] | None:
        return None if self.weight is None else self.weight.take(rows)

    def _pairs_by_place(
        self, rows: NDArray[np.int32], place: NDArray[Any], size: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Weight by outcome; and the pairs that differ, where they occur, with their weight."""
        weight = self._weight(rows)
        n_pairs, n_outcomes = self.n_pairs, self.target.n_outcomes
        if size * n_pairs <= MOST_CELLS:
            cells = by_place(place, size, [Part(self.pair.take(rows), n_pairs, weight)])
            outcomes = cells @ np.eye(n_outcomes)[self.pair_outcome]
            at, pair = np.nonzero(cells * (self.pair_outcome > 0))
            return outcomes, at, pair, cells[at, pair].astype(np.int64)
        outcomes = by_place(place, size, [Part(self.outcome.take(rows), n_outcomes, weight)])
        differs = self.outcome.take(rows) > 0
        own = rows.compress(differs)
        key = place.compress(differs).astype(np.int64) * n_pairs + self.pair.take(own)
        found, inverse = np.unique(key, return_inverse=True)
        total = np.bincount(inverse, weights=self._weight(own), minlength=len(found))
        return outcomes, found // n_pairs, found % n_pairs, total.astype(np.int64)
