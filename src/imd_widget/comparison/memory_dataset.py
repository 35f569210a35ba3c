"""A dataset in memory: the encoded rows of up to three tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.parallel import n_threads
from imd_widget.comparison.given import GivenOutputs
from imd_widget.comparison.row_totals import RowTotals, chunk_totals
from imd_widget.counting.layout import CodeLayout
from imd_widget.counting.observations import Observations
from imd_widget.data.boxes import codes_at
from imd_widget.data.columns import Codes, Column
from imd_widget.data.level_sets import LevelSets
from imd_widget.data.point_score import PointScore
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.synthetic import copies
from imd_widget.data.table import Table, encode
from imd_widget.data.weights import Weights
from imd_widget.methods import AugmentedSource
from imd_widget.models.adapters import ModelOutput, predict
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.tree.chunk import Chunk
from imd_widget.tree.local_source import LocalSource

#: With fewer rows, handing chunks to threads costs more time than it saves.
MANY_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class MemoryDataset:
    """The concatenated rows of up to three tables; a `Dataset`."""

    #: The user's table, then the separate holdout table and the table of new rows if there are any.
    tables: tuple[Table, ...]
    #: The table of new rows.
    new: Table | None
    columns: tuple[Column, ...]
    #: Codes of the rows of all tables, one array per column.
    codes: tuple[Codes, ...]
    #: Numbers of the rows used to fit and of the holdout rows.
    fit: NDArray[np.int32]
    holdout: NDArray[np.int32]
    #: Weights of the rows of all tables.
    weights: Weights | None
    #: ``y`` of the rows of all tables; missing where it is not known.
    truth: NDArray[Any] | None
    #: Number of the group of each row of all tables; None if rows are independent.
    groups: NDArray[np.int64] | None = None
    #: Seed of the holdout and of the folds.
    random_state: int = 0
    #: The dataset whose columns rules can use, if this one is `closed`.
    base: MemoryDataset | None = None

    @property
    def in_memory(self) -> bool:
        """True: all arrays are in memory."""
        return True

    @property
    def unit(self) -> float:
        """Weight of an average row."""
        return self.weights.unit if self.weights else 1.0

    @property
    def n_rows(self) -> int:
        """Number of rows of all tables."""
        return sum(table.n_rows for table in self.tables)

    @property
    def n_own(self) -> int:
        """Number of rows that the user gave; the rows after them are new."""
        return sum(table.n_rows for table in self.tables if table is not self.new)

    @property
    def has_own_holdout(self) -> bool:
        """Whether the holdout is a separate table."""
        return len(self.holdout) > 0 and int(self.holdout[-1]) >= self.tables[0].n_rows

    @property
    def counting(self) -> NDArray[np.bool_]:
        """Mask of the rows of the user's table with a positive weight."""
        counts = np.arange(self.n_rows) < self.tables[0].n_rows
        return counts if self.weights is None else counts & (self.weights.whole > 0)

    def predict(self, model: Any, argument: str, outputs: str) -> ModelOutput:
        """Return the output of a model for the rows of all tables."""
        first, *more = (predict(model, table, argument, outputs) for table in self.tables)
        for output in more:
            first = first.and_then(output)
        return first

    def codes_at(self, columns: Collection[int], rows: NDArray[np.integer] | slice) -> list[Codes]:
        """Return the codes of some rows in some columns; those of the others are empty."""
        return codes_at(self.codes, columns, rows)

    def totals(self, observed: Observations) -> RowTotals:
        """Return sums over the rows of the user's table and over the holdout rows."""
        return chunk_totals(observed, self.tables[0].n_rows, self.holdout)

    # --- what a method counts ---------------------------------------------------------------------

    def source(
        self, compared: ComparedOutputs, max_depth: int, n_chunks: int | None = None
    ) -> LocalSource:
        """Return the source that counts the rows.

        Parameters
        ----------
        compared : ComparedOutputs
        max_depth : int
            Not used: a table in memory is counted too quickly for a progress bar.
        n_chunks : int or None, default=None
            Number of chunks; None: one per thread, and as many threads as cores if there are at
            least `MANY_ROWS` rows.
        """
        del max_depth
        chunk = Chunk(self.codes, compared.observations, self.fit, self.holdout)
        return self._counting(chunk, n_chunks)

    def augmented_source(
        self, compared: ComparedOutputs, n_chunks: int | None = None
    ) -> AugmentedSource | None:
        """Return the source that counts the training rows and the new rows; None without these."""
        if self.new is None:
            return None
        new = np.arange(self.n_own, self.n_rows)
        times = copies(len(self.fit), len(new))
        rows = np.concatenate([np.repeat(self.fit, times), new[compared.usable[new]]])
        every, nothing = np.arange(len(rows), dtype=np.int32), np.empty(0, dtype=np.int32)
        codes = [column_codes[rows] for column_codes in self.codes]
        chunk = Chunk(codes, compared.observations.take(rows), every, nothing)
        return AugmentedSource(self._counting(chunk, n_chunks), times)

    def _counting(self, chunk: Chunk, n_chunks: int | None) -> LocalSource:
        threads = n_threads() if len(chunk.fit) + len(chunk.holdout) >= MANY_ROWS else 1
        chunks = chunk.deal(threads) if n_chunks is None else chunk.split(n_chunks)
        return LocalSource(self.columns, chunks, CodeLayout.of(self.columns), n_threads=threads)

    # --- the same rows otherwise ------------------------------------------------------------------

    def with_given(self, given: GivenOutputs, observed: Observations, name: str) -> MemoryDataset:
        """Return the dataset with the outputs of a model as its last column."""
        summary = partial(given.summary, observed, self.fit, 0)
        column = given.column(self.tables[0].names, name, len(observed), summary)
        taken = {own.position for own in self.columns}
        if column.position in taken:  # by the margin of the other model
            column = replace(column, position=1 + max(taken))
        codes = (*self.codes, given.codes(observed, column))
        return replace(self, columns=(*self.columns, column), codes=codes)

    def without_given(self) -> MemoryDataset:
        """Return the dataset without the column of outputs, if it has one."""
        if self.base is not None:
            return replace(self.base, fit=self.fit, holdout=self.holdout)
        return self._only([not column.given for column in self.columns])

    def closed(self) -> MemoryDataset:
        """Return the dataset with columns that no rule can use, until `without_given`.

        Each column has one value for all rows.
        """
        columns = tuple(replace(own.only((), ()), has_missing=False) for own in self.columns)
        constant = np.zeros(self.n_rows, dtype=np.uint8)
        return replace(self, columns=columns, codes=(constant,) * len(columns), base=self)

    def some_rows(self, rows: NDArray[np.integer]) -> tuple[Table, NDArray[np.intp]]:
        """Return a table that has some rows of the user's table, and their numbers in it."""
        return self.tables[0], np.asarray(rows, dtype=np.intp)

    def with_columns(self, columns: tuple[Column, ...]) -> MemoryDataset:
        """Return the dataset with more columns, which are computed from those of the table."""
        every = [encode(table, columns).codes for table in self.tables]
        codes = every[0]
        if len(every) > 1:
            codes = tuple(np.concatenate(parts) for parts in zip(*every, strict=True))
        return replace(self, columns=(*self.columns, *columns), codes=(*self.codes, *codes))

    def with_changed(self, changed: Mapping[int, Column]) -> MemoryDataset:
        """Return the dataset with other descriptions of some columns, given by their indices."""
        encoded = self.with_columns(tuple(changed.values())).codes[len(self.codes) :]
        own = dict(zip(changed, encoded, strict=True))
        return replace(
            self,
            columns=tuple(changed.get(j, column) for j, column in enumerate(self.columns)),
            codes=tuple(own.get(j, codes) for j, codes in enumerate(self.codes)),
        )

    def without_scores(self) -> MemoryDataset:
        """Return the dataset without the columns of scores, if it has some."""
        return self._only([not isinstance(column.name, PointScore) for column in self.columns])

    def without_sets(self) -> MemoryDataset:
        """Return the dataset without the columns of ranks of levels, if it has some."""
        return self._only([not isinstance(column.name, LevelSets) for column in self.columns])

    def _only(self, wanted: Sequence[bool]) -> MemoryDataset:
        """Return the dataset with some of its columns."""
        if all(wanted):
            return self
        kept = np.flatnonzero(wanted).tolist()
        return replace(
            self,
            columns=tuple(self.columns[j] for j in kept),
            codes=tuple(self.codes[j] for j in kept),
        )

    def few_rows(self, most: int, seed: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return at most ``most`` rows used to fit and as many holdout rows, by their hashes."""
        numbers = hashed(self.n_rows, seed)
        fit, holdout = (
            sampled(rows.astype(np.intp), numbers, most).astype(np.int32)
            for rows in (self.fit, self.holdout)
        )
        return fit, holdout

    def with_rows(self, fit: NDArray[np.integer], holdout: NDArray[np.integer]) -> MemoryDataset:
        """Return the dataset with other rows used to fit and other holdout rows."""
        return replace(self, fit=fit.astype(np.int32), holdout=holdout.astype(np.int32))
