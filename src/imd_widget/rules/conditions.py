"""Conditions on one column as data; `languages` renders them as text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.plain_values import to_plain
from imd_widget.data.columns import FEW_CATEGORIES, CategoryColumn, Column, OrderedColumn
from imd_widget.data.level_sets import LevelSets
from imd_widget.data.native import Storage
from imd_widget.data.raw_values import comparable, distinct_values, is_numeric, raw_values
from imd_widget.data.table import Table, naming, open_table
from imd_widget.rules import languages

Predicate = tuple[Hashable, str, Any]


@dataclass(frozen=True)
class Interval:
    """The condition ``low <= column < high``; None means no bound.

    Attributes
    ----------
    column : Hashable
        The user's own name of the column.
    low, high : number, Timestamp, Timedelta, category or None
        The bounds; at least one of them is not None.
    missing : bool
        Whether rows without a value are inside too.
    order : tuple or None
        All categories of an ordered categorical column in increasing order; else None.
    whole : bool
        Whether the column holds whole numbers only.
    storage : Storage
        How the table keeps the values, where a language cannot express it.
    position, unique, unique_in_sql : int, bool, bool
        Place of the column in the table, and whether its name is enough to find it.
    given : bool
        Whether the column holds the outputs of a model.
    """

    column: Hashable
    low: Any = None
    high: Any = None
    missing: bool = False
    order: tuple[Hashable, ...] | None = None
    whole: bool = False
    storage: Storage = "native"
    position: int = 0
    unique: bool = True
    unique_in_sql: bool = True
    given: bool = False

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The comparisons of the condition, each (column, operator, value)."""
        lower = () if self.low is None else ((self.column, ">=", self.low),)
        upper = () if self.high is None else ((self.column, "<", self.high),)
        return lower + upper + _missing_predicate(self.column, self.missing)

    @property
    def categories(self) -> tuple[Hashable, ...]:
        """The ordered categories inside the interval; empty if ``order`` is None."""
        if self.order is None:
            return ()
        order = self.order
        start = 0 if self.low is None else order.index(self.low)
        stop = len(order) if self.high is None else order.index(self.high)
        return order[start:stop]

    @property
    def named(self) -> tuple[Any, ...]:
        """The values of the column that the condition names."""
        return self.low, self.high

    def codes_in(self, column: Column) -> int:
        """Return the codes of a column for which the condition holds, as a bit mask."""
        return _codes_of_values(self, column)

    def to_plain(self) -> dict[str, Any]:
        """Return the condition as plain values for a JSON file."""
        low, high = (to_plain(bound, "the bound") for bound in self.named)
        return {"column": self.position, "low": low, "high": high, "or_missing": self.missing}

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``table`` for which the condition holds."""
        series = table.find(self.column, self.position)
        if self.order is not None:
            return _is_one_of(series, self.categories, self.missing)
        bound = self.low if self.low is not None else self.high
        raw, missing = raw_values(series, _dtype_of(bound))
        holds = np.ones(len(raw), dtype=bool)
        if self.low is not None:
            holds &= _reaches(raw, self.low)
        if self.high is not None:
            holds &= ~_reaches(raw, self.high)
        if missing is not None:
            holds[missing] = self.missing
        return holds

    def __str__(self) -> str:
        return languages.condition_text(self)


@dataclass(frozen=True)
class Membership:
    """``column`` is one of ``values``, or is none of them.

    Attributes
    ----------
    column : Hashable
        The user's own name of the column.
    values : tuple
        Categories, at least one.
    negated : bool
        Whether the values are those outside.
    missing : bool
        Whether rows without a value are inside too.
    storage : Storage
        How the table keeps the values, where a language cannot express it.
    position, unique, unique_in_sql : int, bool, bool
        Place of the column in the table, and whether its name is enough to find it.
    given : bool
        Whether the column holds the outputs of a model.
    """

    column: Hashable
    values: tuple[Hashable, ...]
    negated: bool = False
    missing: bool = False
    storage: Storage = "native"
    position: int = 0
    unique: bool = True
    unique_in_sql: bool = True
    given: bool = False

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The comparisons of the condition, each (column, operator, value), one per category."""
        operator = "is not" if self.negated else "is"
        asked = tuple((self.column, operator, value) for value in self.values)
        return asked + _missing_predicate(self.column, self.missing)

    @property
    def named(self) -> tuple[Any, ...]:
        """The values of the column that the condition names."""
        return self.values

    def codes_in(self, column: Column) -> int:
        """Return the codes of a column for which the condition holds, as a bit mask."""
        return _codes_of_values(self, column)

    def to_plain(self) -> dict[str, Any]:
        """Return the condition as plain values for a JSON file."""
        values = [to_plain(value, "the category") for value in self.values]
        which = "not_one_of" if self.negated else "one_of"
        return {"column": self.position, which: values, "or_missing": self.missing}

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``table`` for which the condition holds."""
        series = table.find(self.column, self.position)
        if not self.negated:
            return _is_one_of(series, self.values, self.missing)
        outside = _is_one_of(series, self.values, missing=not self.missing)
        return ~outside

    def __str__(self) -> str:
        return languages.condition_text(self)


@dataclass(frozen=True)
class Presence:
    """``column`` has no value (``missing``), or has any value at all.

    Attributes
    ----------
    column : Hashable
        The user's own name of the column.
    missing : bool
        Whether the rows inside are those without a value, or those with one.
    storage : Storage
        How the table keeps the values, where a language cannot express it.
    position, unique, unique_in_sql : int, bool, bool
        Place of the column in the table, and whether its name is enough to find it.
    given : bool
        Whether the column holds the outputs of a model.
    """

    column: Hashable
    missing: bool
    storage: Storage = "native"
    position: int = 0
    unique: bool = True
    unique_in_sql: bool = True
    given: bool = False

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        """The single predicate of the condition."""
        return ((self.column, "is missing" if self.missing else "is not missing", None),)

    @property
    def named(self) -> tuple[Any, ...]:
        """The values of the column that the condition names: none."""
        return ()

    def codes_in(self, column: Column) -> int:
        """Return the codes of a column for which the condition holds, as a bit mask."""
        missing = 1 << column.n_values
        return missing if self.missing else missing - 1

    def to_plain(self) -> dict[str, Any]:
        """Return the condition as plain values for a JSON file."""
        return {"column": self.position, "is_missing": self.missing}

    def mask(self, table: Table) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``table`` for which the condition holds."""
        missing = table.find(self.column, self.position).isna().to_numpy(dtype=bool)
        return missing if self.missing else ~missing

    def __str__(self) -> str:
        return languages.condition_text(self)


Condition = Interval | Membership | Presence


def all_hold(conditions: Iterable[Condition], X: Any) -> NDArray[np.bool_]:
    """Return a mask of the rows of ``X`` for which all conditions hold."""
    table = open_table(X).cached()
    holds = np.ones(table.n_rows, dtype=bool)
    for one in conditions:
        with naming(one.column):
            holds &= one.mask(table)
    return holds


def condition(column: Column, codes: int) -> Condition:
    """Return the condition that holds for a set of codes of a column, given as a bit mask."""
    if isinstance(column, OrderedColumn) and isinstance(column.name, LevelSets):
        levels = _levels_of(column, column.name)
        return condition(levels, column.name.level_codes(column, codes, levels))
    missing_bit = 1 << column.n_values
    missing = bool(codes & missing_bit)
    values = codes & ~missing_bit
    if not values:
        return Presence(column.name, True, column.storage, **_column_fields(column))
    if values == missing_bit - 1:
        return Presence(column.name, False, column.storage, **_column_fields(column))
    if isinstance(column, OrderedColumn):
        return _interval(column, values, missing)
    return _membership(column, values, missing)


def _codes_of_values(condition: Interval | Membership, column: Column) -> int:
    values = column.codes_from_plain(condition.to_plain(), column.cuts().__getitem__)
    return values | (1 << column.n_values if condition.missing else 0)


def _levels_of(column: OrderedColumn, name: LevelSets) -> CategoryColumn:
    """Return the column of the levels that a column of ranks is computed from."""
    return CategoryColumn(
        name.source,
        name.at,
        name.levels,
        column.has_missing,
        complete=False,
        storage=column.storage,
        unique=column.unique,
        unique_in_sql=column.unique_in_sql,
    )


def _interval(column: OrderedColumn, values: int, missing: bool) -> Interval:
    low = (values & -values).bit_length() - 1
    high = values.bit_length() - 1
    return Interval(
        column.name,
        low=None if low == 0 else column.bound(low - 1),
        high=None if high == column.n_values - 1 else column.bound(high),
        missing=missing,
        order=column.categories,
        whole=column.whole,
        storage=column.storage,
        **_column_fields(column),
    )


def _membership(column: CategoryColumn, values: int, missing: bool) -> Membership:
    others = 1 << len(column.categories)
    negated = bool(values & others)
    named = (others - 1) & ~values if negated else values
    return Membership(
        column.name,
        tuple(c for code, c in enumerate(column.categories) if named >> code & 1),
        negated=negated,
        missing=missing,
        storage=column.storage,
        **_column_fields(column),
    )


def _column_fields(column: Column) -> dict[str, Any]:
    """Return the fields by which a condition finds its column in a table."""
    return {
        "position": column.position,
        "unique": column.unique,
        "unique_in_sql": column.unique_in_sql,
        "given": column.given,
    }


def _dtype_of(bound: Any) -> np.dtype[Any]:
    if isinstance(bound, pd.Timestamp):
        return np.dtype("datetime64[us]")
    if isinstance(bound, pd.Timedelta):
        return np.dtype("timedelta64[us]")
    return np.dtype(type(bound))


def _reaches(raw: NDArray[Any], bound: Any) -> NDArray[np.bool_]:
    """Return a mask of the values with ``value >= bound``."""
    values, bounds = comparable(raw, np.array([_raw_bound(bound)]))
    return values >= bounds[0] if len(bounds) else np.zeros(len(raw), dtype=bool)


def _raw_bound(bound: Any) -> Any:
    if isinstance(bound, pd.Timestamp):
        return (
            bound if bound.tz is None else bound.tz_convert("UTC").tz_localize(None)
        ).to_datetime64()
    if isinstance(bound, pd.Timedelta):
        return bound.to_timedelta64()
    return bound


def _is_one_of(
    series: pd.Series[Any], values: tuple[Hashable, ...], missing: bool
) -> NDArray[np.bool_]:
    if is_numeric(series) and len(values) <= FEW_CATEGORIES:
        raw, absent = raw_values(series, np.dtype(float))
        holds = np.zeros(len(raw), dtype=bool)
        for value in values:
            holds |= raw == value if isinstance(value, bool | int | float) else False
        if absent is not None:
            holds[absent] = missing
        return holds
    codes, distinct = distinct_values(series)
    wanted = set(values)
    chosen = [value in wanted for value in distinct]
    return np.asarray([*chosen, missing], dtype=bool)[codes]


def _missing_predicate(column: Hashable, missing: bool) -> tuple[Predicate, ...]:
    return ((column, "is missing", None),) if missing else ()
