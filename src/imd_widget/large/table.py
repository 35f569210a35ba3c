"""The table of a large diff: rows are read from the partitions that hold them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import NativeColumn, pandas_column, stacked_frames
from imd_widget.data.table import Table, open_table
from imd_widget.large.lazy_arrays import by_partition
from imd_widget.large.partitions import Partitions, checked, guarded
from imd_widget.large.parts import Roles, check_length

#: Partitions that are kept in memory after they were read.
MOST_READ = 2


@dataclass(eq=False)
class RowReader:
    """Reads rows of a large table by number; the last partitions read stay in memory."""

    partitions: Partitions
    roles: Roles
    #: Number of the first row of each partition, and of all rows.
    starts: NDArray[np.int64]
    _read: OrderedDict[int, pd.DataFrame] = field(default_factory=OrderedDict)
    _lock: Any = field(default_factory=Lock)

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return int(self.starts[-1])

    def frame(self, number: int) -> pd.DataFrame:
        """The features of one partition."""
        with self._lock:
            if number not in self._read:
                frame = self.partitions.read(number)[list(self.roles.features)]
                rows = range(*self.starts[number : number + 2].tolist())
                checked([guarded(check_length, number, frame, rows)], self.partitions.label)
                self._read[number] = frame
                while len(self._read) > MOST_READ:
                    self._read.popitem(last=False)
            self._read.move_to_end(number)
            return self._read[number]

    def rows(self, rows: NDArray[np.integer]) -> pd.DataFrame:
        """Some rows, in this order, numbered by their place in the table."""
        numbers = np.asarray(rows, dtype=np.int64)
        place, needed, local = by_partition(numbers, self.starts)
        if not needed:
            return self.frame(0).iloc[:0]
        parts = [self.frame(one).iloc[local[int(self.starts[one])]] for one in needed]
        back = np.empty(len(rows), dtype=np.intp)
        back[place] = np.arange(len(rows))
        return stacked_frames(parts).iloc[back].set_axis(pd.Index(rows), axis=0)

    def column(self, position: int) -> NativeColumn:
        """All values of a column."""
        parts = [self.frame(one).iloc[:, [position]] for one in range(self.partitions.size)]
        return pandas_column(stacked_frames(parts), 0)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a diff of a large table cannot be pickled: save it with d.save('diff.json')."
        )


@dataclass(frozen=True, eq=False)
class LargeTable(Table):
    """A table whose rows are read when they are needed."""

    reader: RowReader = field(kw_only=True)

    @classmethod
    def of(cls, reader: RowReader) -> LargeTable:
        """The table that a reader reads."""
        features = reader.roles.features
        return cls(tuple(features), reader.n_rows, reader.column, None, reader=reader)

    @property
    def index(self) -> pd.Index[Any]:
        """The numbers of the rows."""
        return pd.RangeIndex(self.n_rows)

    def values_at(self, position: int, rows: NDArray[np.integer]) -> pd.Series[Any]:
        """The values of a column at some row numbers, in this order, numbered from 0."""
        frame = self.reader.rows(rows).iloc[:, [position]].reset_index(drop=True)
        return pandas_column(frame, 0).series

    def blocks(self) -> Iterator[tuple[slice, pd.DataFrame]]:
        """Yield the rows of each partition."""
        for number, (start, stop) in enumerate(pairwise(self.reader.starts.tolist())):
            if stop > start:
                yield slice(start, stop), self.reader.frame(number)

    def take(self, rows: NDArray[np.integer]) -> Table:
        """Some rows in this order, as a pandas table in memory."""
        return open_table(self.reader.rows(rows).reset_index(drop=True))

    def rows(self, mask: NDArray[np.bool_]) -> pd.DataFrame:
        """The rows of a mask, numbered by their place in the table."""
        return self.reader.rows(np.flatnonzero(mask))

    def part(self, start: int, stop: int) -> pd.DataFrame:
        """The rows ``start <= row < stop``."""
        return self.reader.rows(np.arange(start, min(stop, self.n_rows)))
