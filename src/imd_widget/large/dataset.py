"""The dataset of a large diff: encoded rows that stay where they were made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.parallel import n_threads
from imd_widget.comparison.given import GivenOutputs
from imd_widget.comparison.memory_dataset import MemoryDataset
from imd_widget.comparison.row_totals import RowTotals, chunk_totals
from imd_widget.counting.layout import CodeLayout
from imd_widget.counting.observations import Observations
from imd_widget.data.columns import Codes, Column
from imd_widget.data.native import stacked_frames
from imd_widget.data.point_score import PointScore
from imd_widget.data.sampling import hashed_between, sample_bound
from imd_widget.data.summaries import ColumnSummary
from imd_widget.data.table import Table, open_table
from imd_widget.data.weights import Weights
from imd_widget.large.lazy_arrays import LazyArray
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import LargeChunk, encode_columns, row_ranges, take_rows
from imd_widget.large.progress import ProgressSource
from imd_widget.large.remote_source import RemoteSource
from imd_widget.large.table import LargeTable
from imd_widget.large.weighing import LargeWeights
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.tree.local_source import LocalSource
from imd_widget.tree.source import CountSource


@dataclass(frozen=True, eq=False)
class LargeDataset:
    """Encoded rows in partitions, whose arrays are lazy; a `Dataset`.

    See `imd_widget.large.lazy_arrays`.
    """

    table: LargeTable
    columns: tuple[Column, ...]
    chunks: PartitionedItems[LargeChunk]
    #: Number of the first row of each partition, and of all rows.
    starts: NDArray[np.int64]
    large_weights: LargeWeights | None
    has_truth: bool
    random_state: int
    #: The dataset without the columns that options added, if this one has some.
    base: LargeDataset | None = None

    @property
    def tables(self) -> tuple[Table, ...]:
        """The user's table."""
        return (self.table,)

    @property
    def fit(self) -> NDArray[np.int64]:
        """Numbers of the rows used to fit."""
        return np.concatenate(self.chunks.map(_fit_rows))

    @property
    def holdout(self) -> NDArray[np.int64]:
        """Numbers of the holdout rows."""
        return np.concatenate(self.chunks.map(_holdout_rows))

    @property
    def weights(self) -> Weights | None:
        """Weights of the rows."""
        if self.large_weights is None:
            return None
        return Weights(self._lazy(_weight_of), self.large_weights.unit)

    @property
    def truth(self) -> NDArray[Any] | None:
        """``y`` of the rows; missing where it is not known."""
        return self._lazy(_truth_of) if self.has_truth else None

    def _lazy(self, extract: Callable[..., NDArray[Any]], *arguments: Any) -> Any:
        """Return a `LazyArray`, which is used as an array."""
        return LazyArray(self.chunks, self.starts, extract, *arguments)

    @property
    def groups(self) -> None:
        """None: rows are independent."""
        return None

    @property
    def new(self) -> None:
        """None: there are no new rows."""
        return None

    @property
    def in_memory(self) -> bool:
        """False: rows are in partitions."""
        return False

    @property
    def unit(self) -> float:
        """Weight of an average row."""
        return self.large_weights.unit if self.large_weights else 1.0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def has_own_holdout(self) -> bool:
        """False: the holdout rows are rows of the table."""
        return False

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Mask of the rows with a positive weight."""
        if self.weights is None:
            return np.ones(self.n_rows, dtype=bool)
        return np.asarray(self.weights.whole) > 0

    def codes_at(self, columns: Collection[int], rows: NDArray[Any] | slice) -> list[Codes]:
        """Return the codes of some rows in some columns; those of the others are empty."""
        nothing = np.empty(0, dtype=np.uint8)
        return [
            self._lazy(_codes_of, column)[rows] if column in columns else nothing
            for column in range(len(self.columns))
        ]

    def totals(self, observed: Observations) -> RowTotals:
        """Return sums over all rows and over the holdout rows; they are counted in the chunks."""
        del observed
        totals: RowTotals = self.chunks.sum(_totals_of)
        return totals

    def source(
        self, compared: ComparedOutputs, max_depth: int, n_chunks: int | None = None
    ) -> CountSource:
        """Return the source that counts chunks: in this process if they are, else where they are.

        A chunk is a partition, whatever ``n_chunks`` is; a progress bar shows the level of the
        tree, of ``max_depth``.
        """
        del n_chunks
        layout, local = CodeLayout.of(self.columns), self.chunks.local_items
        if local is not None:
            source: CountSource = LocalSource(self.columns, local, layout, n_threads=n_threads())
        else:
            source = RemoteSource(self.columns, self.chunks, layout, compared.observations.target)
        return ProgressSource(source, max_depth)

    def augmented_source(self, compared: ComparedOutputs, n_chunks: int | None = None) -> None:
        """Return None: there are no new rows."""
        del compared, n_chunks

    def with_given(self, given: GivenOutputs, observed: Observations, name: str) -> LargeDataset:
        """Return the dataset with the outputs of a model as its last column."""
        del observed
        summary = partial(self.chunks.sum, _given_summary, given)
        column = given.column(self.table.names, name, self.n_rows, summary)
        chunks = self.chunks.extend(_given_codes, given, column)
        base = self.base or self
        return replace(self, columns=(*self.columns, column), chunks=chunks, base=base)

    def without_given(self) -> LargeDataset:
        """Return the table alone, if options added columns."""
        return self.base or self

    def closed(self) -> LargeDataset:
        """Raise an error: margins are computed on a table in memory."""
        raise NotImplementedError

    def with_columns(self, columns: tuple[Column, ...]) -> LargeDataset:
        """Return the dataset with more columns; partitions are read again to compute them."""
        reader = self.table.reader
        codes = reader.partitions.persist(
            encode_columns, row_ranges(self.starts), reader.roles, columns, title="encoding columns"
        )
        chunks = self.chunks.joined(codes)
        base = self.base or self
        return replace(self, columns=(*self.columns, *columns), chunks=chunks, base=base)

    def some_rows(self, rows: NDArray[np.integer]) -> tuple[Table, NDArray[np.intp]]:
        """Return a table in memory that has some rows, and their numbers in it."""
        reader, wanted = self.table.reader, np.asarray(rows, dtype=np.int64)
        parts = reader.partitions.run(
            take_rows, row_ranges(self.starts), reader.roles, wanted, title="reading a sample"
        )
        frame = stacked_frames([part for part in parts if len(part)] or parts[:1])
        return open_table(frame.reset_index(drop=True)), np.arange(len(rows))

    def without_scores(self) -> LargeDataset:
        """Return the table alone if there are columns of scores."""
        if any(isinstance(column.name, PointScore) for column in self.columns):
            return self.base or self
        return self

    def without_sets(self) -> LargeDataset:
        """Return the dataset, which has no ranks of levels."""
        return self

    def few_rows(self, most: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return at most ``most`` rows used to fit and as many holdout rows, by their hashes."""
        bound = sample_bound(self.n_rows, most)
        parts = self.chunks.map(_rows_below, seed, min(16 * bound, (1 << 64) - 1))
        fit, holdout = (
            _smallest(np.concatenate([part[at] for part in parts], axis=1), most) for at in (0, 1)
        )
        return fit, holdout

    def with_rows(self, fit: NDArray[np.integer], holdout: NDArray[np.integer]) -> MemoryDataset:
        """Return the dataset, in memory, with other rows used to fit and other holdout rows."""
        weights, truth = self.weights, self.truth
        return MemoryDataset(
            tables=(self.table.without_values(self.n_rows),),
            new=None,
            columns=self.columns,
            codes=tuple(self.codes_at(range(len(self.columns)), slice(None))),
            fit=fit.astype(np.int32),
            holdout=holdout.astype(np.int32),
            weights=None if weights is None else Weights(np.asarray(weights.whole), weights.unit),
            truth=None if truth is None else np.asarray(truth),
            random_state=self.random_state,
        )


def _codes_of(chunk: LargeChunk, column: int) -> NDArray[Any]:
    return np.asarray(chunk.codes[column])


def _given_summary(chunk: LargeChunk, given: GivenOutputs, bound: int) -> ColumnSummary:
    return given.summary(chunk.observations, chunk.fit, chunk.start, bound)


def _given_codes(chunk: LargeChunk, given: GivenOutputs, column: Column) -> Codes:
    return given.codes(chunk.observations, column)


def _weight_of(chunk: LargeChunk) -> NDArray[Any]:
    return np.asarray(chunk.observations.weight)


def _truth_of(chunk: LargeChunk) -> NDArray[Any]:
    return chunk.truth.array() if chunk.truth else np.empty(0, dtype=object)


def _fit_rows(chunk: LargeChunk) -> NDArray[np.int64]:
    return chunk.fit.astype(np.int64) + chunk.start


def _holdout_rows(chunk: LargeChunk) -> NDArray[np.int64]:
    return chunk.holdout.astype(np.int64) + chunk.start


def _totals_of(chunk: LargeChunk) -> RowTotals:
    return chunk_totals(chunk.observations, len(chunk), chunk.holdout)


def _rows_below(chunk: LargeChunk, seed: int, bound: int) -> Sequence[NDArray[np.uint64]]:
    """Hashes and numbers of the rows used to fit, and of those kept aside, up to a hash."""
    hashes = hashed_between(chunk.start, chunk.start + len(chunk), seed)
    found = []
    for rows in (chunk.fit, chunk.holdout):
        chosen = rows[hashes[rows] <= np.uint64(bound)]
        numbers = chosen.astype(np.uint64) + np.uint64(chunk.start)
        found.append(np.stack([hashes[chosen], numbers]))
    return found


def _smallest(hashed: NDArray[np.uint64], most: int) -> NDArray[np.int64]:
    hashes, numbers = hashed
    if len(hashes) > most:
        numbers = numbers[hashes <= np.partition(hashes, most - 1)[most - 1]]
    return np.sort(numbers.astype(np.int64))
