"""The dataset of a large diff: encoded rows that stay where they were made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.row_totals import RowTotals, chunk_totals
from imd_widget.data.columns import Codes, Column
from imd_widget.data.sampling import hashed_between, sample_bound
from imd_widget.data.weights import Weights
from imd_widget.large.lazy_arrays import LazyArray, LazyCodes
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import LargeChunk
from imd_widget.large.table import LargeTable
from imd_widget.large.weighing import LargeWeights


class LargeDataset(Dataset):
    """A dataset whose arrays are lazy; see `imd_widget.large.lazy_arrays`.

    Parameters
    ----------
    table : LargeTable
    columns : tuple of Column
    chunks : PartitionedItems of LargeChunk
    starts : ndarray of int
    weights : LargeWeights or None
    has_truth : bool
    has_holdout : bool
    random_state : int
    base : LargeDataset or None
        The dataset without the column of outputs, if this one has it.
    """

    def __init__(
        self,
        table: LargeTable,
        columns: tuple[Column, ...],
        chunks: PartitionedItems[LargeChunk],
        starts: NDArray[np.int64],
        weights: LargeWeights | None,
        has_truth: bool,
        has_holdout: bool,
        random_state: int,
        base: LargeDataset | None = None,
    ) -> None:
        whole: Any = None
        if weights is not None:
            whole = Weights(LazyArray(chunks, starts, _weight_of), weights.unit)  # type: ignore[arg-type]
        fields: dict[str, Any] = {
            "tables": (table,),
            "new": None,
            "columns": columns,
            "codes": LazyCodes(chunks, starts, len(columns)),
            "weights": whole,
            "truth": LazyArray(chunks, starts, _truth_of) if has_truth else None,
            "groups": None,
            "random_state": random_state,
            "chunks": chunks,
            "starts": starts,
            "large_weights": weights,
            "has_holdout": has_holdout,
            "base": base,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    chunks: PartitionedItems[LargeChunk]
    starts: NDArray[np.int64]
    large_weights: LargeWeights | None
    has_holdout: bool
    base: LargeDataset | None

    @property
    def fit(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Numbers of the rows used to fit."""
        return np.concatenate(self.chunks.map(_fit_rows))

    @property
    def holdout(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Numbers of the rows kept aside."""
        return np.concatenate(self.chunks.map(_holdout_rows))

    @property
    def has_own_holdout(self) -> bool:
        """False: the rows kept aside are rows of the table."""
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
            self.codes[column][rows] if column in columns else nothing
            for column in range(len(self.columns))
        ]

    def with_column(self, column: Column, chunks: PartitionedItems[LargeChunk]) -> LargeDataset:
        """The dataset with one more column, which the chunks have."""
        return self._over((*self.columns, column), chunks, self)

    def with_chunks(self, chunks: PartitionedItems[LargeChunk]) -> LargeDataset:
        """The dataset of chunks that were compared in another way."""
        return self._over(self.columns, chunks, None)

    def without_given(self) -> LargeDataset:
        """The dataset without the column of outputs, if it has one."""
        return self.base or self

    def _over(
        self,
        columns: tuple[Column, ...],
        chunks: PartitionedItems[LargeChunk],
        base: LargeDataset | None,
    ) -> LargeDataset:
        [table] = self.tables
        assert isinstance(table, LargeTable)
        return LargeDataset(
            table,
            columns,
            chunks,
            self.starts,
            self.large_weights,
            self.truth is not None,
            self.has_holdout,
            self.random_state,
            base,
        )

    def in_memory(self, fit: NDArray[np.int64], holdout: NDArray[np.int64]) -> Dataset:
        """The dataset with all arrays in memory, to be fitted and measured on these rows."""
        weights = self.weights
        return Dataset(
            tables=(self.tables[0].without_values(self.n_rows),),
            new=None,
            columns=self.columns,
            codes=tuple(self.codes_at(range(len(self.columns)), slice(None))),
            fit=fit.astype(np.int32),
            holdout=holdout.astype(np.int32),
            weights=None if weights is None else Weights(np.asarray(weights.whole), weights.unit),
            truth=None if self.truth is None else np.asarray(self.truth),
            random_state=self.random_state,
        )

    def totals(self) -> RowTotals:
        """Sums over all rows and over those kept aside."""
        totals: RowTotals = self.chunks.sum(_totals_of)
        return totals

    def few_rows(self, most: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """At most ``most`` rows used to fit and as many kept aside, those of smallest hashes."""
        bound = sample_bound(self.n_rows, most)
        parts = self.chunks.map(_rows_below, seed, min(16 * bound, (1 << 64) - 1))
        fit, holdout = (
            _smallest(np.concatenate([part[at] for part in parts], axis=1), most) for at in (0, 1)
        )
        return fit, holdout


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
