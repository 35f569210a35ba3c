"""Which columns are derived from the dates and texts of a table.

The choice depends on a sample of the rows used to fit and never on the outputs of the models. It is
the same however the rows of a table are divided into chunks; a table in memory is one chunk.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.data.binning import with_unique_names
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.data.date_parts import DATE_PARTS, zone_name
from imd_widget.data.derivation import FROM_DATES, FROM_TEXTS, UNITS, Derivation
from imd_widget.data.native import NativeColumn, Storage, as_moments
from imd_widget.data.sampling import hashed
from imd_widget.data.summaries import ChunkRows, ColumnSummary, family_of, thresholds_of
from imd_widget.data.table import Table, naming
from imd_widget.data.thresholds import shortest_between
from imd_widget.data.words import SIGNS, has_sign, n_pieces, vocabulary

#: What is derived from each column, by its name; "auto" chooses, and None derives nothing.
Derive = Literal["auto"] | Mapping[Hashable, tuple[str, ...]] | None

#: Maximum number of texts, and of their characters, from which words are chosen.
MOST_TEXTS, MOST_CHARACTERS = 20_000, 20_000_000
#: "auto" derives words from a column with at least this many texts, ...
FEWEST_TEXTS = 50
#: ... of which this share is distinct, and half of which have this many words.
MOSTLY_DISTINCT, SEVERAL_WORDS = 0.5, 3
#: What "auto" derives from dates that span at least two cycles, and the days of a cycle: within one
#: cycle a part describes no more than the date itself.
AUTO_DATES = {"hour": 1, "weekday": 7, "month": 365}


@dataclass(frozen=True, eq=False)
class RawSample:
    """What is known of a raw column before columns are derived from it."""

    #: What it holds; "nothing": every value is missing.
    kind: Literal["text", "date", "other", "nothing"]
    has_missing: bool = False
    #: Number of rows used to fit that have a text.
    n_present: int = 0
    #: The hashes and the texts of some of these rows.
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    texts: NDArray[Any] = field(default_factory=lambda: np.empty(0, object))
    #: The time zone of dates.
    zone: str | None = None
    #: Whether some date has a time of day.
    is_timed: bool = False
    #: First and last date, in days; infinite without a date.
    ends: tuple[float, float] = (math.inf, -math.inf)
    #: How dates are stored.
    storage: Storage = "native"
    #: Why nothing can be derived from dates.
    error: str = ""

    def __add__(self, other: RawSample) -> RawSample:
        """Return the sample of both chunks."""
        missing = self.has_missing or other.has_missing
        for one, two in ((self, other), (other, self)):
            if one.kind == "nothing":
                return replace(two, has_missing=missing)
        if self.kind != other.kind:
            return RawSample("other", has_missing=missing)
        return RawSample(
            self.kind,
            missing,
            self.n_present + other.n_present,
            np.concatenate([self.hashes, other.hashes]),
            np.concatenate([self.texts, other.texts]),
            self.zone if self.zone == other.zone else "UTC",  # as pandas reads several offsets
            self.is_timed or other.is_timed,
            (min(self.ends[0], other.ends[0]), max(self.ends[1], other.ends[1])),
            self.storage if self.storage != "native" else other.storage,
            self.error or other.error,
        )

    def lacks_texts(self) -> bool:
        """Whether fewer texts were collected than are needed, although there are more."""
        return len(self.texts) < min(self.n_present, MOST_TEXTS)

    @cached_property
    def chosen_texts(self) -> list[str]:
        """Return the texts with the smallest hashes, from which words are chosen."""
        order = np.argsort(self.hashes, kind="stable")[:MOST_TEXTS]
        texts: list[str] = self.texts[order].tolist()
        within = np.cumsum([len(text) for text in texts]) <= MOST_CHARACTERS
        return texts[: max(int(within.sum()), 1)]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The columns that rules may use."""

    #: Positions of the raw columns; None: all of them.
    positions: tuple[int, ...] | None
    #: The derived columns.
    columns: tuple[Column, ...] = ()


def sources(
    names: Sequence[Hashable], derive: Derive, positions: Collection[int] | None
) -> list[int]:
    """Return the positions of the raw columns that columns may be derived from."""
    within = range(len(names)) if positions is None else sorted(positions)
    if derive is None or isinstance(derive, str):
        return [] if derive is None else list(within)
    place = {name: position for position, name in enumerate(names)}
    twice = {name for name in derive if list(names).count(name) > 1}
    unknown = [name for name in derive if name not in place or name in twice]
    if unknown:
        raise InputError(
            Argument("derive"),
            " names ",
            Quoted(*map(str, unknown[:3])),
            ", and the columns with unique names are ",
            Quoted(*map(str, [name for name in names if name not in twice][:8])),
            ", ..." if len(names) > 8 else "",
            ".",
        )
    outside = [name for name in derive if place[name] not in within]
    if outside:
        raise InputError(
            Argument("derive"),
            " names ",
            Quoted(*map(str, outside[:3])),
            ", which ",
            Argument("columns"),
            " excludes: add it there.",
        )
    return sorted(place[name] for name in derive)


def look(native: NativeColumn, name: Hashable, rows: ChunkRows) -> RawSample:
    """Return what is known of a raw column of a chunk, if it holds dates or texts."""
    series = native.series
    missing = series.isna().to_numpy(dtype=bool)
    if missing.all() and family_of(series, name) != "moment":
        return RawSample("nothing", has_missing=bool(len(series)))
    if _is_text(series):
        chosen, n_present = rows.candidates(missing)
        # in a mixed column, values of other types are as good as missing
        texts = np.empty(len(chosen), dtype=object)
        texts[:] = series.iloc[chosen].astype(object).tolist()
        hashes = rows.hashes if rows.hashes is not None else np.arange(len(series), dtype=np.uint64)
        return RawSample("text", bool(missing.any()), n_present, hashes[chosen], texts)
    if family_of(series, name) == "moment":
        moments = as_moments(series)
        local = moments.dt.tz_localize(None) if moments.dt.tz is not None else moments
        timed = bool((local[~missing].dt.normalize() != local[~missing]).any())
        try:
            zone, error = zone_name(moments), ""
        except ValueError as unknown:
            zone, error = None, str(unknown)
        is_object = getattr(series.dtype, "kind", "O") == "O"
        return RawSample(
            "date",
            bool(missing.any()),
            zone=zone,
            is_timed=timed,
            ends=_ends(local[~missing]),
            storage="objects" if is_object else native.storage,
            error=error,
        )
    return RawSample("other")


def _ends(moments: pd.Series[Any]) -> tuple[float, float]:
    """Return the first and the last of some moments, in days."""
    if not len(moments):
        return math.inf, -math.inf
    days = moments.dt.floor("D").to_numpy().astype("datetime64[D]").astype(float)
    return float(days.min()), float(days.max())


def _is_text(series: pd.Series[Any]) -> bool:
    """Whether all values of a column are texts, or missing."""
    if isinstance(series.dtype, pd.StringDtype):
        return True
    if isinstance(series.dtype, pd.CategoricalDtype):
        return not series.cat.ordered and _is_text(pd.Series(series.cat.categories))
    return series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) == "string"


def choose(
    table: Table,
    fit_rows: NDArray[np.bool_],
    derive: Derive,
    seed: int,
    positions: Collection[int] | None,
    max_bins: int | None,
) -> Chosen:
    """Choose the derived columns of a table in memory.

    Parameters
    ----------
    table : Table
    fit_rows : ndarray of shape (n_rows,)
        Mask of the rows used to fit.
    derive : "auto", mapping or None
    seed : int
        Seed of the sample of rows.
    positions : collection of int or None
        Positions of the columns that rules may use; None: all.
    max_bins : int or None
        Maximum number of bins of the lengths of texts.
    """
    wanted = sources(table.names, derive, positions)
    own = None if positions is None else tuple(sorted(positions))
    if not wanted:
        return Chosen(own)
    rows = ChunkRows(fit_rows, hashed(table.n_rows, ~seed), most=MOST_TEXTS)
    samples = {}
    for at in wanted:
        with naming(table.names[at]):
            samples[at] = look(table.read(at), table.names[at], rows)
    return choose_from(samples, table, derive, own, max_bins)


def choose_from(
    samples: Mapping[int, RawSample],
    table: Table,
    derive: Derive,
    positions: tuple[int, ...] | None,
    max_bins: int | None,
) -> Chosen:
    """Choose the derived columns from samples of the raw columns, by position.

    Texts are replaced by what is derived from them, unless they repeat; dates are kept beside it.
    Only the names of ``table`` are read.
    """
    names = table.names
    columns: list[Column] = []
    replaced = set()
    for at, sample in samples.items():
        if derive is None or isinstance(derive, str):
            found = _derived_by_itself(names[at], at, sample)
        else:
            found = _derived_as_asked(names[at], at, sample, derive[names[at]])
        # the outputs of a given model have the position after the columns of the table
        first = len(names) + 1 + len(columns)
        columns += [
            derived_column(name, first + number, sample, max_bins)
            for number, name in enumerate(found)
        ]
        if found and sample.kind == "text" and _is_mostly_distinct(sample.chosen_texts):
            replaced.add(at)
    within = range(len(names)) if positions is None else positions
    kept = tuple(at for at in within if at not in replaced)
    return Chosen(kept if replaced else positions, with_unique_names(columns, table))


def derived_column(
    name: Derivation, position: int, sample: RawSample, max_bins: int | None
) -> Column:
    """Return the description of a derived column."""
    missing = sample.has_missing
    if name.is_flag:
        # of two equal splits the first is taken: "contains" reads better than "does not contain"
        return CategoryColumn(
            name, position, (True, False), has_missing=missing, storage=sample.storage
        )
    if name.part in DATE_PARTS:
        order = DATE_PARTS[name.part].order(name.start)
        thresholds = np.arange(1, len(order))
        return OrderedColumn(
            name, position, thresholds, missing, categories=order, storage=sample.storage
        )
    lengths = name.values(pd.Series(sample.chosen_texts, dtype=object)).to_numpy(dtype=np.int64)
    thresholds = thresholds_of(lengths, max_bins, shortest_between)
    return OrderedColumn(name, position, thresholds, missing, whole=True)


def derived_from(columns: Iterable[Column]) -> dict[Hashable, tuple[str, ...]]:
    """Return what columns are derived from each column of a table, as ``derive=`` takes it."""
    found: dict[Hashable, dict[str, None]] = {}
    for column in columns:
        if isinstance(column.name, Derivation):
            found.setdefault(column.name.source, {})[column.name.asked] = None
    return {source: tuple(parts) for source, parts in found.items()}


#: What parts of dates are called in a sentence.
_PART_NAMES = {"part_of_day": "part of the day", "day": "day of the month"}


def derived_texts(derived: Mapping[Hashable, Sequence[str]]) -> tuple[str, ...]:
    """Return what is derived in words: "words and length of review", "hour of sent"."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for source, parts in derived.items():
        columns.setdefault(tuple(_PART_NAMES.get(own, own) for own in parts), []).append(
            str(source)
        )
    return tuple(f"{_listed(parts)} of {_listed(own)}" for parts, own in columns.items())


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def may_be_derived_from(summary: ColumnSummary, share_to_fit: float) -> bool:
    """Whether "auto" may derive something from a column: dates, or texts of many values."""
    if not summary.has_texts:
        return summary.has_dates
    n_texts = min(share_to_fit * sum(summary.count.values()) / 2, MOST_TEXTS)
    return len(summary.count) >= MOSTLY_DISTINCT * n_texts


def _derived_by_itself(name: Hashable, at: int, sample: RawSample) -> list[Derivation]:
    """Return what "auto" derives from a column."""
    if sample.kind == "date" and not sample.error:
        first, last = sample.ends
        parts = [
            part
            for part, cycle in AUTO_DATES.items()
            if last - first + 1 >= 2 * cycle and (part != "hour" or sample.is_timed)
        ]
        return _date_parts(name, at, sample, parts)
    if sample.kind == "text":
        texts = sample.chosen_texts
        if len(texts) >= FEWEST_TEXTS and is_free_text(texts):
            return _text_parts(name, at, texts, FROM_TEXTS)
    return []


def is_free_text(texts: Sequence[str]) -> bool:
    """Whether most texts are distinct, and half of them have several words."""
    if not len(texts) or not _is_mostly_distinct(texts):
        return False
    return bool(np.median([n_pieces(text) for text in texts]) >= SEVERAL_WORDS)


def _derived_as_asked(
    name: Hashable, at: int, sample: RawSample, asked: Iterable[str]
) -> list[Derivation]:
    """Return what the user named; InputError if the column does not hold it."""
    wanted = list(asked)
    for known, kind, held in ((FROM_DATES, "date", "dates"), (FROM_TEXTS, "text", "texts")):
        own = [part for part in wanted if part in known]
        if own and (sample.kind != kind or sample.error):
            raise InputError(
                Argument("derive"),
                f": {own[0]!r} is derived from {held}, and the column ",
                Quoted(name),
                f" cannot be used: {sample.error}." if sample.error else f" holds no {held}.",
            )
    if sample.kind == "date":
        return _date_parts(name, at, sample, wanted)
    return _text_parts(name, at, sample.chosen_texts, wanted)


def _date_parts(
    name: Hashable, at: int, sample: RawSample, parts: Iterable[str]
) -> list[Derivation]:
    return [
        Derivation(name, at, part, start=start, zone=sample.zone)
        for part in parts
        for start in (
            (DATE_PARTS[part].first, DATE_PARTS[part].turn) if part in DATE_PARTS else (0,)
        )
    ]


def _text_parts(
    name: Hashable, at: int, texts: Sequence[str], parts: Collection[str]
) -> list[Derivation]:
    found = []
    if "length" in parts:
        found += [Derivation(name, at, unit) for unit in UNITS]
    if "signs" in parts:
        # nothing can be said about a sign that no text has, or every text
        shares = {sign: has_sign(texts, sign) for sign in SIGNS}
        found += [
            Derivation(name, at, sign)
            for sign, has in shares.items()
            if has.any() and not has.all()
        ]
    if "words" in parts:
        found += [Derivation(name, at, "word", word) for word in vocabulary(texts)]
    return found


def _is_mostly_distinct(texts: Sequence[str]) -> bool:
    return len(set(texts)) >= MOSTLY_DISTINCT * len(texts)
