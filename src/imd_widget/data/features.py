"""Columns of a table as numbers, for surrogates, learners and baselines.

A *feature* is one number for each row, made from one column. A column of numbers, booleans, dates
or durations is one feature, an ordered categorical is one by the rank of its category, and each
category of any other column is a feature that is 1 where the value is this category and 0
elsewhere. "Is missing" is a feature of its own, 1 where a value is missing.

`list_features` decides which features a table has, `feature_matrix` computes them, and an
`Encoder` also replaces missing values and scales. The codes of `columns`, with which rules are
found, are the other encoding of a table.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Row
from imd_widget._base.plain import from_json
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget.data.column_kinds import FLOAT_KINDS, ColumnKind, column_kind
from imd_widget.data.native import as_objects
from imd_widget.data.raw_values import raw_values
from imd_widget.data.summaries import complex_error, distinct_or_error
from imd_widget.data.table import Table

Floats = NDArray[np.float64]
FeatureKind = Literal["number", "flag", "moment", "duration", "order", "category", "missing"]

#: The largest absolute value of a feature; the difference of two is finite in single precision.
LARGEST = float(np.finfo(np.float32).max) / 4
#: In microseconds.
_DAY = 86_400e6
_DTYPES = {"moment": "datetime64[us]", "duration": "timedelta64[us]"}
_HELD = {"flag": "booleans", "moment": "dates", "duration": "durations"}


@dataclass(frozen=True, eq=False)
class Feature:
    """One number for each row, made from one column."""

    #: The user's name of the column.
    column: Hashable
    #: Its position in the fitted table.
    position: int
    #: The number itself, 0 or 1, days since 1970, days, or the position in ``categories``; NaN
    #: where a value is missing. "category": whether the value is ``category``. "missing": whether
    #: there is none.
    kind: FeatureKind
    #: The category of a "category" feature.
    category: Hashable = None
    #: All categories of an "order" feature, from the least to the greatest.
    categories: tuple[Hashable, ...] | None = None

    @property
    def name(self) -> str:
        """The name of the column, or ``job=cook`` for a category and ``job=missing``."""
        if self.kind == "category":
            return f"{self.column}={self.category}"
        return f"{self.column}=missing" if self.kind == "missing" else str(self.column)

    def to_plain(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        categories = self.categories
        return {
            "column": to_plain(self.column, "the column name"),
            "position": self.position,
            "kind": self.kind,
            "category": to_plain(self.category, "the category"),
            "categories": categories and [to_plain(c, "the category") for c in categories],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], **more: Any) -> Self:
        """The feature that `to_plain` wrote, with ``more`` fields of a subclass; checked."""
        column, categories = from_plain(plain["column"]), plain["categories"]
        return from_json(
            cls,
            plain,
            column=column,
            category=from_plain(plain["category"]),
            categories=None if categories is None else distinct_from_plain(categories, column),
            **more,
        )


def list_features(
    table: Table,
    *,
    max_categories: int | None = None,
    min_rows: int = 1,
    flags: bool = True,
    ranks: bool = True,
    drop_binary: bool = False,
    indicators: bool = True,
    positions: Sequence[int] | None = None,
) -> tuple[Feature, ...]:
    """The features of the columns of a table, in the order of the columns.

    Parameters
    ----------
    table : Table
    max_categories : int, optional
        Maximal number of features of a column without order, for its most frequent categories.
    min_rows : int
        Minimal number of rows of a category that has a feature.
    flags : bool
        Whether a column of booleans is one feature; if not, its values are categories.
    ranks : bool
        Whether an ordered categorical is one feature; if not, its values are categories.
    drop_binary : bool
        Whether a column of two categories has a feature for the second one only.
    indicators : bool
        Whether "is missing" is a feature of columns of numbers and ranks with missing values. It
        always is one of columns of categories with missing values.
    positions : sequence of int, optional
        Positions of the columns; None: all of them.
    """
    found: list[Feature] = []
    for position in range(len(table.names)) if positions is None else positions:
        name, series = table.names[position], table.get(position)
        kind = column_kind(series)
        if kind == "complex":
            raise complex_error(series, name)
        if kind in FLOAT_KINDS and (flags or kind != "flag"):
            found.append(Feature(name, position, kind))  # type: ignore[arg-type]
            marked = indicators
        elif kind == "order" and ranks:
            order = tuple(series.cat.categories.astype(object))
            found.append(Feature(name, position, kind, categories=order))
            marked = indicators
        else:
            chosen = _frequent(series, name, max_categories, min_rows)
            chosen = chosen[1:] if drop_binary and len(chosen) == 2 else chosen
            found += [Feature(name, position, "category", category=one) for one in chosen]
            marked = True
        if marked and series.isna().any():
            found.append(Feature(name, position, "missing"))
    return tuple(found)


def _frequent(
    series: pd.Series[Any], name: Hashable, most: int | None, min_rows: int
) -> list[Hashable]:
    """The most frequent categories, in the order of their texts."""
    codes, distinct = distinct_or_error(series, name)
    counts = np.bincount(codes[codes >= 0], minlength=len(distinct))
    texts = list(map(str, distinct))
    by_count = sorted(range(len(distinct)), key=lambda at: (-counts[at], texts[at]))
    kept = [at for at in by_count if counts[at] >= max(1, min_rows)][:most]
    return [distinct[at] for at in sorted(kept, key=lambda at: texts[at])]


def feature_matrix(
    table: Table,
    features: Sequence[Feature],
    *,
    infinite: bool = False,
) -> Floats:
    """Values of shape (n_rows, n_features); NaN where the number or rank of a row is missing.

    Columns are found by name, and by position if the table is an array.

    Parameters
    ----------
    table : Table
    features : sequence of Feature
    infinite : bool
        Whether infinite numbers are accepted.
    """
    plain = _plain_numbers(table) if _are_plain(features, table) else None
    if plain is not None and (infinite or not np.isinf(plain).any()):
        return plain
    matrix = np.zeros((table.n_rows, len(features)))
    for own in _by_column(features):
        first = features[own[0]]
        series = table.find(first.column, first.position, in_array=True)
        column = _Values(series, first.column, table.argument, infinite)
        for at in own:
            matrix[:, at] = column.feature(features[at])
    return matrix


def _by_column(features: Sequence[Feature]) -> Collection[list[int]]:
    """The numbers of the features of each column, which is then read once."""
    found: dict[tuple[Hashable, int], list[int]] = {}
    for at, feature in enumerate(features):
        found.setdefault((feature.column, feature.position), []).append(at)
    return found.values()


class _Values:
    """The values of one column, from which its features are computed."""

    def __init__(
        self, series: pd.Series[Any], name: Hashable, argument: str, infinite: bool
    ) -> None:
        self.series, self.name, self.argument, self.infinite = series, name, argument, infinite
        self._codes: tuple[NDArray[np.intp], dict[Any, int]] | None = None

    def feature(self, feature: Feature) -> NDArray[Any]:
        """The values of a feature."""
        if feature.kind == "missing":
            return self.series.isna().to_numpy(dtype=bool)
        if feature.kind == "category":
            if self._codes is None:
                codes, distinct = distinct_or_error(self.series, self.name)
                self._codes = codes, {value: code for code, value in enumerate(distinct)}
            codes, code_of = self._codes
            return np.asarray(codes == code_of.get(feature.category, -2))
        if feature.kind == "order":
            index = pd.Index(feature.categories or (), dtype=object)
            ranks = index.get_indexer(pd.Index(as_objects(self.series), dtype=object))
            return np.where(ranks < 0, np.nan, ranks.astype(float))
        return self._numbers(feature.kind)

    def _numbers(self, wanted: FeatureKind) -> Floats:
        kind = column_kind(self.series)
        if kind == "empty":
            return np.full(len(self.series), np.nan)
        if kind != wanted and not {kind, wanted} <= {"number", "flag"}:
            raise InputError(
                "The column ",
                Quoted(self.name),
                " of ",
                Argument(self.argument),
                f" holds no {_HELD.get(wanted, 'numbers')}, but it did in the fitted table.",
            )
        numbers = as_floats(self.series, kind)
        infinite = np.flatnonzero(np.isinf(numbers))
        if len(infinite) and not self.infinite:
            raise InputError(
                "The column ",
                Quoted(self.name),
                " of ",
                Argument(self.argument),
                f" is infinite in {len(infinite)} row(s), first in ",
                Row(int(infinite[0])),
                ". Replace infinities by numbers, or by NaN where the value is missing.",
            )
        return numbers


def as_floats(series: pd.Series[Any], kind: ColumnKind) -> Floats:
    """Numbers, booleans, and dates and durations in days, as floats; NaN where one is missing."""
    if kind == "flag":
        flags = series if series.dtype == bool else series.astype("boolean")
        return np.asarray(flags.to_numpy(dtype=float, na_value=np.nan))
    raw, missing = raw_values(series, np.dtype(_DTYPES.get(kind, float)))
    numbers = raw.astype(np.int64) / _DAY if kind in _DTYPES else raw.astype(float)
    if missing is not None:
        numbers[missing] = np.nan
    return np.asarray(numbers, dtype=np.float64)


def _plain_numbers(table: Table) -> Floats | None:
    """All values at once, if every column holds NumPy's numbers or booleans: much faster."""
    native = table.native
    if isinstance(native, pd.DataFrame):
        dtypes = native.dtypes.tolist()
        numbers = all(isinstance(dtype, np.dtype) and dtype.kind in "iufb" for dtype in dtypes)
    else:
        plain = isinstance(native, np.ndarray) and not np.ma.isMaskedArray(native)
        numbers = plain and native.dtype.kind in "iufb"
    if not numbers or native.shape[1] != len(table.names):
        return None
    return np.array(native, dtype=np.float64)


def _are_plain(features: Sequence[Feature], table: Table) -> bool:
    """Whether the features are the columns of a table one by one, as numbers."""
    in_array = isinstance(table.native, np.ndarray)
    return len(features) == len(table.names) and all(
        feature.kind in ("number", "flag")
        and feature.position == at
        and (in_array or feature.column == table.names[at])
        for at, feature in enumerate(features)
    )


@dataclass(frozen=True, eq=False)
class Encoder:
    """Features whose missing and infinite values are replaced and which are scaled."""

    features: tuple[Feature, ...]
    #: The value in place of a missing one; NaN: it stays missing.
    fill: Floats
    #: The values in place of infinite ones; None: they are errors.
    low: Floats | None
    high: Floats | None
    #: The result is ``(value - center) / scale``.
    center: Floats
    scale: Floats

    @classmethod
    def fit(
        cls,
        table: Table,
        features: Sequence[Feature],
        *,
        fill: Literal["median", "mean"] | None = "median",
        scaling: Literal["standard", "center"] | None = None,
        infinite: bool = False,
    ) -> Self:
        """Choose the replacements and scales from the values of a table.

        Parameters
        ----------
        table : Table
        features : sequence of Feature
        fill : {"median", "mean"} or None
            What replaces a missing value.
        scaling : {"standard", "center"} or None
            "standard": mean 0 and variance 1, except for features that are constant. "center": the
            median is 0.
        infinite : bool
            Whether infinite numbers are accepted. They are then placed beyond all others, and
            numbers beyond single precision are cut to it.
        """
        raw = feature_matrix(table, features, infinite=infinite)
        zeros, ones = np.zeros(len(features)), np.ones(len(features))
        low, high = _beyond(raw) if infinite else (None, None)
        encoder = cls(tuple(features), zeros + np.nan, low, high, zeros, ones)
        numbers = encoder._replaced(raw)
        if fill is not None:
            encoder = replace(encoder, fill=_averages(numbers, fill))
            numbers = encoder._replaced(raw)
        if scaling == "center":
            return replace(encoder, center=_averages(numbers, "median"))
        if scaling == "standard":
            center = _averages(numbers, "mean")
            return replace(encoder, center=center, scale=_deviations(numbers, center))
        return encoder

    def transform(self, table: Table) -> Floats:
        """Numbers of shape (n_rows, n_features)."""
        raw = feature_matrix(table, self.features, infinite=self.low is not None)
        return (self._replaced(raw) - self.center) / self.scale

    def _replaced(self, raw: Floats) -> Floats:
        if self.low is not None and self.high is not None:
            raw = np.where(np.isposinf(raw), self.high, np.where(np.isneginf(raw), self.low, raw))
            raw = np.clip(raw, -LARGEST, LARGEST)
        return np.where(np.isnan(raw), self.fill, raw)

    @property
    def names(self) -> list[str]:
        """A name for each feature."""
        return [feature.name for feature in self.features]


def _present(numbers: Floats) -> Iterator[Floats]:
    """The finite values of each column."""
    for column in numbers.T:
        yield column[np.isfinite(column)]


def _averages(numbers: Floats, of: Literal["median", "mean"]) -> Floats:
    """Median or mean of the finite values of each column; 0 where there are none."""
    average = np.median if of == "median" else np.mean
    if len(numbers) and np.isfinite(numbers).all():
        return np.asarray(average(numbers, axis=0), dtype=np.float64)
    return np.array([average(own) if len(own) else 0.0 for own in _present(numbers)], dtype=float)


def _deviations(numbers: Floats, center: Floats) -> Floats:
    """Standard deviation of each column; 1 for a constant one, in spite of rounding."""
    if len(numbers) and np.isfinite(numbers).all():
        deviations = numbers.std(axis=0)
    else:
        deviations = np.array([own.std() if len(own) else 0.0 for own in _present(numbers)])
    tiny = 10 * np.finfo(float).eps * np.maximum(np.abs(center), 1e-290)
    return np.where(deviations > tiny, deviations, 1.0)


def _beyond(raw: Floats) -> tuple[Floats, Floats]:
    """A value below and a value above all finite ones of each column."""
    bounds = []
    for own in _present(np.clip(raw, -LARGEST, LARGEST, where=np.isfinite(raw), out=raw.copy())):
        least, most = (own.min(), own.max()) if len(own) else (0.0, 0.0)
        room = (most - least) or 1.0
        bounds.append((least - room, most + room))
    low, high = np.array(bounds, dtype=float).reshape(-1, 2).T
    return low, high
