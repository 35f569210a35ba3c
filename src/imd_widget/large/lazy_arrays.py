"""Arrays over the rows of all partitions, read from where they are when they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.observations import Observations
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import LargeChunk


class LazyArray:
    """One value for each row of a large table.

    An index of row numbers brings the values of these rows alone; a slice, or ``np.asarray``, those
    of all of its rows.

    Parameters
    ----------
    chunks : PartitionedItems of LargeChunk
    starts : ndarray of shape (n_partitions + 1,)
        Number of the first row of each partition, and of all rows.
    extract : callable
        From a chunk and ``arguments`` to the values of its rows.
    arguments : sequence
    """

    def __init__(
        self,
        chunks: PartitionedItems[LargeChunk],
        starts: NDArray[np.int64],
        extract: Callable[..., NDArray[Any]],
        *arguments: Any,
    ) -> None:
        self._chunks = chunks
        self._starts = starts
        self._extract = extract
        self._arguments = arguments

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del copy
        parts = self._chunks.map(_all_of, self._extract, self._arguments)
        return np.concatenate(parts).astype(dtype or parts[0].dtype, copy=False)

    def __getitem__(self, rows: NDArray[Any] | slice) -> NDArray[Any]:
        if isinstance(rows, slice):
            return self.__array__()[rows]
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        return self.take(rows)

    def take(self, rows: NDArray[np.integer]) -> NDArray[Any]:
        """The values of some rows, in this order."""
        numbers = np.asarray(rows, dtype=np.int64)
        place, needed, local = by_partition(numbers, self._starts)
        parts = self._chunks.map(
            _some_of, self._extract, self._arguments, self._starts, local, only=needed
        )
        if not parts:
            [empty] = self._chunks.map(
                _some_of, self._extract, self._arguments, self._starts, {}, only=[0]
            )
            return np.asarray(empty)
        taken = np.concatenate(parts)
        values = np.empty(len(rows), dtype=taken.dtype)
        values[place] = taken
        return values


def by_partition(
    rows: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.intp], list[int], dict[int, NDArray[np.int64]]]:
    """The order of rows by partition, the partitions, and the rows of each within it, by start."""
    number = np.searchsorted(starts, rows, side="right") - 1
    place = np.argsort(number, kind="stable")
    needed = np.unique(number).tolist()
    local = {int(starts[one]): rows[number == one] - starts[one] for one in needed}
    return place, needed, local


def _all_of(
    chunk: LargeChunk, extract: Callable[..., NDArray[Any]], arguments: Sequence[Any]
) -> NDArray[Any]:
    return extract(chunk, *arguments)


def _some_of(
    chunk: LargeChunk,
    extract: Callable[..., NDArray[Any]],
    arguments: Sequence[Any],
    starts: NDArray[np.int64],
    local: dict[int, NDArray[np.int64]],
) -> NDArray[Any]:
    del starts
    values = extract(chunk, *arguments)
    return values[local.get(chunk.start, np.empty(0, dtype=np.int64))]


def lazy_observations(
    nothing: Observations,
    chunks: PartitionedItems[LargeChunk],
    starts: NDArray[np.int64],
    weighted: bool,
    has_truth: bool,
) -> Observations:
    """The observations of all rows, each field a `LazyArray`.

    Parameters
    ----------
    nothing : Observations
        The observations of no row, which have all that does not depend on rows.
    chunks : PartitionedItems of LargeChunk
    starts : ndarray of int
    weighted, has_truth : bool
    """

    def lazy(name: str, number: int | None = None) -> Any:
        return LazyArray(chunks, starts, _field_of, name, number)

    def both(name: str) -> Any:
        return lazy(name, 0), lazy(name, 1)

    is_number = nothing.values is not None
    return replace(
        nothing,
        outcome=lazy("outcome"),
        pair=lazy("pair"),
        labels=None if nothing.labels is None else both("labels"),
        numbers=tuple(lazy("numbers", at) for at in range(len(nothing.numbers))),
        values=both("values") if is_number else None,
        weight=lazy("weight") if weighted else None,
        right=lazy("right") if has_truth else None,
        errors=both("errors") if has_truth and is_number else None,
        truth=lazy("truth") if has_truth and is_number else None,
        grids=chunks.map(_grids_of, only=[0])[0],
    )


def _field_of(chunk: LargeChunk, name: str, number: int | None) -> NDArray[Any]:
    value = getattr(chunk.observations, name)
    return np.asarray(value if number is None else value[number])


def _grids_of(chunk: LargeChunk) -> Any:
    return chunk.observations.grids
