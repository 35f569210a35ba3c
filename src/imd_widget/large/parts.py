"""Tasks that run on a partition: inspect it, describe its columns, encode and predict it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.counting.observations import Observations
from imd_widget.data.columns import Codes, Column
from imd_widget.data.deriving import RawSample, look
from imd_widget.data.native import NativeColumn
from imd_widget.data.sampling import RowSplit, hashed_between, in_band
from imd_widget.data.summaries import ChunkRows, ColumnSummary, Family, summarize
from imd_widget.data.table import Table, encode, flag_codes, naming, open_table
from imd_widget.data.weights import checked_weight
from imd_widget.large.output_parts import OutputPart
from imd_widget.models.adapters import predict
from imd_widget.models.coercion import as_truth
from imd_widget.tree.chunk import Chunk

#: Numbers of rows of the table, increasing.
Wanted = NDArray[np.int64]


@dataclass(frozen=True)
class Roles:
    """The columns of a table that are no features, by the argument they stand for."""

    #: Names of the columns that models get and rules may use.
    features: tuple[Hashable, ...]
    #: From "m1", "m2", "y" and "sample_weight" to the name of a column.
    columns: Mapping[str, Hashable]

    @property
    def header(self) -> Table:
        """A table of the features without rows."""
        return Table(self.features, 0, lambda _: NativeColumn(pd.Series()), None)

    def table(self, frame: pd.DataFrame) -> Table:
        """The features of a partition that has rows."""
        features = list(self.features)
        # without other columns, no value is copied
        return open_table(frame if list(frame.columns) == features else frame[features])

    def weight(self, frame: pd.DataFrame) -> NDArray[np.float64] | None:
        """The weights of a partition; None if rows have none."""
        if "sample_weight" not in self.columns:
            return None
        if not len(frame):
            return np.empty(0)
        given = frame[self.columns["sample_weight"]]
        name = Argument("sample_weight")
        weight = np.asarray(given, dtype=float)
        if not weight.any() and np.isfinite(weight).all():
            return weight  # other partitions may have some
        return checked_weight(given, len(frame), name)


@dataclass(frozen=True, eq=False)
class PartitionInfo:
    """Rows and columns of a partition."""

    #: Number of rows, and of those with a positive weight.
    n_rows: int
    n_counting: int
    #: Names of the columns.
    names: tuple[Hashable, ...]
    dtypes: tuple[str, ...]
    #: The largest weight.
    largest: float


def inspect_partition(frame: pd.DataFrame, own: Any, roles: Roles) -> PartitionInfo:
    """Count the rows of a partition and read its columns' types."""
    del own
    _check_frame(frame, roles)
    weight = roles.weight(frame)
    return PartitionInfo(
        len(frame),
        len(frame) if weight is None else int((weight > 0).sum()),
        tuple(frame.columns),
        tuple(map(str, frame.dtypes)),
        1.0 if weight is None else float(weight.max(initial=0.0)),
    )


def _check_frame(frame: Any, roles: Roles) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"it is a {type(frame).__name__}, and pandas tables are needed.")
    wanted = [*roles.features, *roles.columns.values()]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        raise InputError(
            "it lacks the column ",
            Quoted(*lacking[:5]),
            ", which other partitions have: all need the same columns.",
        )


def row_ranges(starts: NDArray[np.int64]) -> list[range]:
    """The numbers of the rows of each partition, from the first of each and the number of all."""
    return [range(start, stop) for start, stop in pairwise(starts.tolist())]


def check_length(frame: pd.DataFrame, rows: range) -> None:
    """Raise InputError unless a partition has as many rows as when it was counted."""
    if len(frame) != len(rows):
        raise InputError(
            f"it has {len(frame)} rows, and had {len(rows)} when it was read before. A partition "
            "must give the same rows each time: do its rows depend on chance, on the time, or on "
            "files that change? Write the table to files first, or keep it in memory with "
            "X.persist()."
        )


def counting_in_band(
    frame: pd.DataFrame, rows: range, roles: Roles, seed: int, low: int, high: int
) -> tuple[int, NDArray[np.uint64]]:
    """The hashes in a band, of the rows with a positive weight."""
    check_length(frame, rows)
    weight = roles.weight(frame)
    counts = None if weight is None else weight > 0
    return in_band(rows.start, rows.stop, seed, low, high, counts)


@dataclass(frozen=True)
class DescribePlan:
    """How columns are described."""

    roles: Roles
    split: RowSplit
    #: Seed of the sample.
    seed: int
    #: For each column to describe, the hash up to which values are collected.
    bounds: Mapping[int, int]
    #: What a column holds, where partitions are of several families.
    families: Mapping[int, Family]


def describe(frame: pd.DataFrame, numbers: range, plan: DescribePlan) -> dict[int, ColumnSummary]:
    """Summarize columns of a partition, by position; nothing if it has no rows."""
    check_length(frame, numbers)
    if not len(frame):
        return {}
    table = plan.roles.table(frame)
    summaries = {}
    for position, rows in _chunk_rows(frame, numbers, plan).items():
        name = table.names[position]
        with naming(name):
            family = plan.families.get(position)
            summaries[position] = summarize(table.read(position), rows, name, family)
    return summaries


def _chunk_rows(frame: pd.DataFrame, numbers: range, plan: DescribePlan) -> dict[int, ChunkRows]:
    """Return the rows of a partition from which each column is described, by position."""
    start, stop = numbers.start, numbers.stop
    fit = ~plan.split.aside(start, stop)
    weight = plan.roles.weight(frame)
    if weight is not None:
        fit &= weight > 0
    hashes = hashed_between(start, stop, plan.seed)
    # columns of one bound share the rows that it chooses
    rows = {bound: ChunkRows(fit, hashes, bound) for bound in set(plan.bounds.values())}
    return {position: rows[bound] for position, bound in plan.bounds.items()}


def look_at(frame: pd.DataFrame, numbers: range, plan: DescribePlan) -> dict[int, RawSample]:
    """Return what is known of the dates and texts of a partition, by position."""
    check_length(frame, numbers)
    if not len(frame):
        return {}
    table = plan.roles.table(frame)
    samples = {}
    for position, rows in _chunk_rows(frame, numbers, plan).items():
        name = table.names[position]
        with naming(name):
            samples[position] = look(table.read(position), name, rows)
    return samples


@dataclass(frozen=True, eq=False)
class EncodedPart:
    """What is kept of a partition before the outputs of all partitions are known."""

    #: Number of the first row.
    start: int
    codes: tuple[Codes, ...]
    #: Numbers, within the partition, of the rows used to fit and kept aside.
    fit: NDArray[np.int32]
    holdout: NDArray[np.int32]
    outputs: tuple[OutputPart, OutputPart]
    truth: OutputPart | None
    #: As the user gave it.
    weight: NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.codes[0])

    def extended(self, observed: Observations) -> LargeChunk:
        """The chunk with what is counted of each row."""
        return LargeChunk(self.codes, observed, self.fit, self.holdout, self.start, self.truth)

    def __sizeof__(self) -> int:
        arrays = [*self.codes, self.fit, self.holdout]
        parts = [*self.outputs, *([self.truth] if self.truth else [])]
        own = sum(array.nbytes for array in arrays) + sum(part.nbytes for part in parts)
        return own + (0 if self.weight is None else self.weight.nbytes)


@dataclass(frozen=True, eq=False)
class LargeChunk(Chunk):
    """A chunk that is one partition of a large table."""

    #: Number of its first row in the table.
    start: int = 0
    truth: OutputPart | None = None

    def extended(self, more: Observations | Codes | tuple[Codes, ...]) -> LargeChunk:
        """The chunk compared in another way, or with one more column, or several."""
        if isinstance(more, Observations):
            return replace(self, observations=more)
        return replace(self, codes=(*self.codes, *(more if isinstance(more, tuple) else (more,))))

    def __len__(self) -> int:
        return len(self.observations)

    def __sizeof__(self) -> int:
        observed = self.observations
        arrays: list[Any] = [*self.codes, self.fit, self.holdout, observed.outcome, observed.pair]
        for several in (observed.labels, observed.numbers, observed.values, observed.errors):
            arrays += several or ()
        arrays += [observed.weight, observed.right, observed.truth]
        return sum(array.nbytes for array in arrays if array is not None)


@dataclass(frozen=True)
class EncodePlan:
    """How partitions are encoded and predicted."""

    roles: Roles
    split: RowSplit
    columns: tuple[Column, ...]
    #: The models; None where the outputs are a column.
    models: tuple[Any, Any]
    #: The kind of outputs that the user chose.
    kind: str


def encode_part(frame: pd.DataFrame, rows: range, plan: EncodePlan) -> EncodedPart:
    """Encode and predict a partition."""
    check_length(frame, rows)
    start, n_rows = rows.start, len(frame)
    table = plan.roles.table(frame) if n_rows else None
    codes: list[Codes] = [np.empty(0, np.uint8)] * len(plan.columns)
    words = flag_codes(table, dict(enumerate(plan.columns))) if table else {}
    for number, column in enumerate(plan.columns):
        if table is None:
            break
        with naming(column.name):
            codes[number] = (
                words[number]
                if number in words
                else column.encode(table.find(column.name, column.position))
            )
    aside = plan.split.aside(start, start + n_rows)
    weight = plan.roles.weight(frame)
    counts = np.ones(n_rows, dtype=bool) if weight is None else weight > 0
    first, second = (
        OutputPart.of(_predicted(frame, table, plan, argument)) for argument in ("m1", "m2")
    )
    truth = None
    if "y" in plan.roles.columns:
        given = frame[plan.roles.columns["y"]]
        own = as_truth(given, n_rows, Argument("y")) if n_rows else np.empty(0, dtype=object)
        truth = OutputPart.of(own)
    return EncodedPart(
        start,
        tuple(codes),
        np.flatnonzero(~aside & counts).astype(np.int32),
        np.flatnonzero(aside & counts).astype(np.int32),
        (first, second),
        truth,
        weight,
    )


def encode_columns(
    frame: pd.DataFrame, rows: range, roles: Roles, columns: tuple[Column, ...]
) -> tuple[Codes, ...]:
    """Encode columns that are computed from those of a partition."""
    check_length(frame, rows)
    if not len(frame):
        return (np.empty(0, np.uint8),) * len(columns)
    return encode(roles.table(frame), columns).codes


def take_rows(frame: pd.DataFrame, rows: range, roles: Roles, wanted: Wanted) -> pd.DataFrame:
    """Return the features of some rows of a partition, chosen by their numbers in the table."""
    check_length(frame, rows)
    first, last = np.searchsorted(wanted, [rows.start, rows.stop])
    return frame[list(roles.features)].iloc[wanted[first:last] - rows.start]


def _predicted(
    frame: pd.DataFrame, table: Table | None, plan: EncodePlan, argument: str
) -> NDArray[Any]:
    """The outputs of a model for a partition, or the column that holds them."""
    if table is None:
        return np.empty(0)
    if argument in plan.roles.columns:
        given = frame[plan.roles.columns[argument]].to_numpy()
        return predict(given, table, argument, plan.kind).values
    model = plan.models[("m1", "m2").index(argument)]
    return predict(model, table, argument, plan.kind, at_once=True).values


def summaries_added(
    parts: Sequence[Mapping[int, ColumnSummary]],
) -> tuple[dict[int, ColumnSummary], list[int]]:
    """The sums of summaries by position, and the positions whose partitions are of two families.

    Neighbours are added up in pairs, so that no value is copied more often than the logarithm of
    the number of partitions.
    """
    by_position: dict[int, list[ColumnSummary]] = {}
    for part in parts:
        for position, summary in part.items():
            by_position.setdefault(position, []).append(summary)
    total: dict[int, ColumnSummary] = {}
    mixed = []
    for position, summaries in by_position.items():
        families = {summary.family for summary in summaries} - {"nothing"}
        if len(families) > 1:
            mixed.append(position)
            total[position] = summaries[0]
        else:
            total[position] = _paired(summaries)
    return total, sorted(mixed)


def _paired(summaries: list[ColumnSummary]) -> ColumnSummary:
    while len(summaries) > 1:
        pairs = zip(summaries[::2], summaries[1::2], strict=False)
        odd = summaries[-1:] if len(summaries) % 2 else []
        summaries = [*(first + second for first, second in pairs), *odd]
    return summaries[0]
