"""Kinds of columns, and how their values become codes.

A code is a small integer. For a column with an order (numbers, dates, ordered categories) codes
follow the order, and ``code <= cut`` exactly when ``value < thresholds[cut]``. For a column
without one (text, booleans, categories) each category has a code, and all categories that are not
in the fitted table share one. If the fitted table has missing values, missing has the last code.

A value that the description of the column does not allow for (a missing value in a column that had
none) gets the code after the last: it is in no rule with a condition on the column, and every split
sends it to "no".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget._base.plain import Plain, listed, short, shown, whole
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget._base.spelling import respelled
from imd_widget.data.column_bins import Bins, category_bins, ordered_bins
from imd_widget.data.derived import derived_from_plain, is_derived
from imd_widget.data.level_sets import LevelSets
from imd_widget.data.native import Storage, as_objects
from imd_widget.data.raw_values import comparable, distinct_values, is_numeric, raw_values
from imd_widget.data.search_grid import MANY_VALUES, SearchGrid, n_reached

Codes = NDArray[np.unsignedinteger[Any]]

#: Up to this number of categories, numbers are compared with each of them.
FEW_CATEGORIES = 4


class _Coded(FrozenArrays):
    """Base of columns: splits are ``value < threshold`` if ordered, else ``value == category``."""

    #: The name of the kind in a file.
    kind: ClassVar[str]
    ordered: ClassVar[bool]
    name: Hashable
    has_missing: bool
    storage: Storage
    unique: bool
    unique_in_sql: bool
    given: bool
    in_array: bool

    @property
    def n_values(self) -> int:
        """Number of codes that stand for a value."""
        raise NotImplementedError

    @property
    def n_codes(self) -> int:
        """Number of codes of values, and of missing if ``has_missing``."""
        return self.n_values + self.has_missing

    @property
    def is_number(self) -> bool:
        """Whether the column has numbers, and more than two of them."""
        return False

    def as_levels(self, codes: int, columns: Sequence[Column]) -> tuple[int, int] | None:
        """Return the column that ranks of levels are computed from, and codes as codes of it.

        The column is its index in ``columns``. None for any other column.
        """
        del codes, columns
        return None

    def as_known(self, values: pd.Series[Any]) -> pd.Series[Any]:
        """Return values in the words of the column; here as they are."""
        return values.reset_index(drop=True)

    def _shared_plain(self) -> dict[str, Any]:
        """Plain values of what every column has."""
        name = str(self.name) if is_derived(self.name) else self.name
        return {
            "name": to_plain(name, "the column name"),
            **({"derived": self.name.to_plain()} if is_derived(self.name) else {}),
            "unique": self.unique,
            "unique_in_sql": self.unique_in_sql,
            "has_missing": self.has_missing,
            "storage": self.storage,
            **({"given": True} if self.given else {}),
            **({"in_array": True} if self.in_array else {}),
        }


@dataclass(frozen=True, eq=False)
class OrderedColumn(_Coded):
    """A column whose values have an order."""

    kind: ClassVar[str] = "ordered"
    ordered: ClassVar[bool] = True
    #: The user's name of the column.
    name: Hashable
    #: Its position in the table.
    position: int
    #: Strictly increasing, of the dtype of the column (moments and durations in microseconds); for
    #: ordered categories, positions in ``categories``.
    thresholds: NDArray[Any]
    #: Whether a value is missing in the fitted table.
    has_missing: bool = False
    #: The categories of an ordered categorical, from the least to the greatest.
    categories: tuple[Hashable, ...] | None = None
    #: Time zone of moments; thresholds are in UTC.
    timezone: Any = None
    #: Whether every value of the table is a whole number.
    whole: bool = False
    #: How the table stores the values, which limits the languages of rules; see `native`.
    storage: Storage = "native"
    #: Whether no other column has this name.
    unique: bool = True
    #: Whether no other column has this name in SQL, which ignores case.
    unique_in_sql: bool = True
    #: Whether the values are outputs of a model, and not a column of the table.
    given: bool = False
    #: Whether the fitted table is an array, so that a column of another array is found by its
    #: position.
    in_array: bool = False

    @property
    def n_values(self) -> int:
        """Number of codes that stand for a value."""
        return len(self.thresholds) + 1

    @property
    def is_number(self) -> bool:
        """Whether the column has numbers, and more than two of them."""
        is_numeric = self.categories is None and self.thresholds.dtype.kind in "iuf"
        return is_numeric and len(self.thresholds) > 1

    def encode(self, values: pd.Series[Any]) -> Codes:
        """The code of a value is the number of thresholds that are ``<= value``."""
        if self.categories is not None:
            return self._encode_categories(values)
        raw, missing = raw_values(values, self.thresholds.dtype)
        dtype = _code_dtype(self.n_values)
        many = len(raw) >= MANY_VALUES and raw.dtype == self.thresholds.dtype
        grid = self._grid if many else None
        if grid is not None:
            codes = grid.search(raw, dtype)
        else:
            raw, bounds = comparable(raw, self.thresholds)
            codes = n_reached(bounds, raw, dtype)
        if missing is not None:
            codes[missing] = self.n_values
        return codes

    @cached_property
    def _grid(self) -> SearchGrid | None:
        """The look-up grid; None unless there are 8 or more thresholds and they are floats."""
        if len(self.thresholds) < 8 or self.thresholds.dtype.kind != "f":
            return None
        return SearchGrid.over(self.thresholds)

    def _encode_categories(self, values: pd.Series[Any]) -> Codes:
        if isinstance(values.dtype, pd.CategoricalDtype):
            order = values.cat.categories
            if len(order) and tuple(order) == self.categories:  # saves a search for each value
                return self._encode_positions(values.cat.codes.to_numpy())
        objects = as_objects(values)
        position = pd.Index(self.categories or (), dtype=object).get_indexer(
            pd.Index(objects, dtype=object)
        )
        codes = np.searchsorted(self.thresholds, position, side="right")
        codes[position < 0] = self.n_values + 1  # not one of the categories
        codes[pd.isna(objects)] = self.n_values
        return codes.astype(_code_dtype(self.n_values + 1))

    def _encode_positions(self, position: NDArray[np.integer]) -> Codes:
        """Encode positions in ``categories``, -1 where a value is missing."""
        codes = np.searchsorted(self.thresholds, np.arange(len(self.categories or ())), "right")
        by_position = np.append(codes, self.n_values).astype(_code_dtype(self.n_values + 1))
        return np.asarray(by_position[position])

    def as_levels(self, codes: int, columns: Sequence[Column]) -> tuple[int, int] | None:
        """Return the column that ranks of levels are computed from, and codes as codes of it."""
        if not isinstance(self.name, LevelSets):
            return None
        return next(
            (index, self.name.level_codes(self, codes, column))
            for index, column in enumerate(columns)
            if isinstance(column, CategoryColumn) and column.position == self.name.at
        )

    def bound(self, cut: int) -> Any:
        """A threshold as a value of the column: a number, a moment, a category."""
        threshold = self.thresholds[cut]
        if self.categories is not None:
            return self.categories[int(threshold)]
        if threshold.dtype.kind == "M":
            moment = pd.Timestamp(threshold)
            return moment if self.timezone is None else moment.tz_localize("UTC")
        if threshold.dtype.kind == "m":
            return pd.Timedelta(threshold)
        # float32 and float16 stay what they are: 0.7 is another number there
        return threshold if threshold.dtype in (np.float32, np.float16) else threshold.item()

    def cuts(self) -> dict[Hashable, int]:
        """The number of each threshold, by its value."""
        return {self.bound(cut): cut for cut in range(len(self.thresholds))}

    def questions(self, codes: Codes, most: int) -> Iterator[int]:
        """The codes, as bits, of "below t" and of "at least t" for each threshold."""
        del codes, most
        every = (1 << self.n_values) - 1
        for cut in range(self.n_values - 1):
            below = (1 << (cut + 1)) - 1
            yield below
            yield every ^ below

    def shorter(self, codes: int) -> int:
        """The same codes: an interval is written in one way only."""
        return codes

    def only(self, cuts: Collection[int], values: Collection[Any]) -> OrderedColumn:
        """The column with those thresholds only that have these numbers or values."""
        kept = [
            cut for cut in range(len(self.thresholds)) if cut in cuts or self.bound(cut) in values
        ]
        return replace(self, thresholds=self.thresholds[kept])

    def with_values(self, values: Collection[Any]) -> OrderedColumn:
        """The column with more thresholds; ValueError for one that it cannot have."""
        more = [self._threshold(value) for value in values]
        return replace(self, thresholds=np.union1d(self.thresholds, more)) if more else self

    def _threshold(self, value: Any) -> Any:
        """The threshold with this `bound`."""
        dtype = self.thresholds.dtype
        if self.categories is not None:
            return self.categories.index(value)
        raw = value
        if dtype.kind in "mM":
            is_zoned = dtype.kind == "M" and value.tzinfo is not None
            raw = (value.tz_convert("UTC").tz_localize(None) if is_zoned else value).to_numpy()
        threshold = np.array([raw]).astype(dtype)
        if replace(self, thresholds=threshold).bound(0) != value:
            raise ValueError(f"{value!r} is no threshold of {dtype}")
        return threshold[0]

    def only_frequent(self, rows: NDArray[np.integer], least: int) -> OrderedColumn:
        """The column with those categories as thresholds only that ``least`` rows have, by code.

        Thresholds between numbers are no values of rows, and stay.
        """
        if self.categories is None:
            return self
        kept = [cut for cut in range(len(self.thresholds)) if rows[cut + 1] >= least]
        return replace(self, thresholds=self.thresholds[kept])

    def cut_in(self, kept: Any, cut: int) -> int:
        """The number of a cut in ``kept``, which is this column after `only`."""
        if cut == len(self.thresholds):  # whether there is a value
            return len(kept.thresholds)
        return int(np.searchsorted(kept.thresholds, self.thresholds[cut]))

    def bins(self, cut: int, rows: NDArray[np.int64], text: Callable[[Any], str]) -> Bins:
        """The bars of a histogram at a split, from the rows by code."""
        del rows
        if isinstance(self.name, LevelSets):
            return ordered_bins(cut, self.n_values, *map(text, self.name.ends))
        last = len(self.thresholds) - 1
        low = f"< {text(self.bound(0))}" if last >= 0 else ""
        high = f">= {text(self.bound(last))}" if last >= 0 else ""
        return ordered_bins(cut, self.n_values, low, high)

    def codes_from_plain(self, plain: Plain, cut_of: Callable[[Any], int]) -> int:
        """The codes, as bits, of values between the bounds of a condition in a file."""
        bounds = (from_plain(plain[end]) for end in ("low", "high"))
        low, high = (None if bound is None else cut_of(bound) for bound in bounds)
        below = (1 << (self.n_values if high is None else high + 1)) - 1
        return below & ~((1 << (low + 1)) - 1 if low is not None else 0)

    def to_plain(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        dtype = self.thresholds.dtype
        number = self.thresholds.view(np.int64) if dtype.kind in "mM" else self.thresholds
        order = None
        if self.categories is not None:
            order = [to_plain(category, "the category") for category in self.categories]
        return {
            **self._shared_plain(),
            "kind": self.kind,
            "dtype": str(dtype),
            # of a longdouble NumPy gives no number that JSON knows
            "thresholds": [
                to_plain(one, "the threshold") if isinstance(one, np.generic) else one
                for one in number.tolist()
            ],
            "order": order,
            "with_timezone": self.timezone is not None,
            "whole": self.whole,
            # what the first release reads
            "python_dates": self.storage == "objects",
        }

    @classmethod
    def from_plain(cls, plain: Plain, name: Hashable, position: int) -> OrderedColumn:
        """The column that `to_plain` wrote, checked."""
        dtype = np.dtype(short(plain["dtype"], "a dtype"))
        if dtype.kind not in "iufmM":
            raise ValueError(f"the column {name!r} is {plain['kind']!r} of {plain['dtype']!r}")
        thresholds = np.array(
            list(map(from_plain, listed(plain, "thresholds"))),
            dtype=np.int64 if dtype.kind in "mM" else dtype,
        )
        if thresholds.ndim != 1 or not (thresholds[1:] > thresholds[:-1]).all():
            raise ValueError(f"the thresholds of {name!r} do not increase")
        order = None
        if plain["order"] is not None:
            order = distinct_from_plain(listed(plain, "order"), name)
        if order is not None and not ((thresholds >= 0) & (thresholds < len(order))).all():
            raise ValueError(f"a threshold of {name!r} is not a position in its order")
        return cls(
            name,
            position,
            thresholds.view(dtype) if dtype.kind in "mM" else thresholds,
            bool(plain["has_missing"]),
            categories=order,
            timezone="UTC" if plain["with_timezone"] else None,
            whole=bool(plain.get("whole", False)),
            **_found_by_from_plain(plain),
        )


@dataclass(frozen=True, eq=False)
class CategoryColumn(_Coded):
    """A column whose values have no order; its splits are ``value == category``."""

    kind: ClassVar[str] = "category"
    ordered: ClassVar[bool] = False
    #: The user's name of the column.
    name: Hashable
    #: Its position in the table.
    position: int
    #: The categories of the table, sorted; at most the 50,000 most frequent ones.
    categories: tuple[Hashable, ...]
    #: Whether a value is missing in the fitted table.
    has_missing: bool = False
    #: Whether these are all the categories of that table.
    complete: bool = True
    #: How the table stores the values, which limits the languages of rules; see `native`.
    storage: Storage = "native"
    #: Whether no other column has this name.
    unique: bool = True
    #: Whether no other column has this name in SQL, which ignores case.
    unique_in_sql: bool = True
    #: Whether the values are outputs of a model, and not a column of the table.
    given: bool = False
    #: Whether the fitted table is an array, so that a column of another array is found by its
    #: position.
    in_array: bool = False

    @property
    def n_values(self) -> int:
        """Number of codes that stand for a value: one for each category, and one for all others."""
        return len(self.categories) + 1

    def as_known(self, values: pd.Series[Any]) -> pd.Series[Any]:
        """Return values in the spelling of the categories: "1" for 1, if the column has that."""
        codes, distinct = pd.factorize(values)
        known = np.empty(len(distinct) + 1, dtype=object)
        known[:-1] = respelled(distinct.tolist(), self.categories)
        known[-1] = None  # the code of what is missing is -1
        return pd.Series(known[codes], dtype=object)

    def encode(self, values: pd.Series[Any]) -> Codes:
        """The code of a value is the position of its category, or ``len(categories)``."""
        if is_numeric(values) and len(self.categories) <= FEW_CATEGORIES:
            return self._encode_numbers(values, _code_dtype(self.n_values))
        return self.encode_distinct(*distinct_values(values))

    def encode_distinct(self, positions: NDArray[np.intp], distinct: Sequence[Any]) -> Codes:
        """Encode values given as positions in ``distinct``, -1 where missing."""
        code = {category: code for code, category in enumerate(self.categories)}
        codes = [code.get(value, len(code)) for value in distinct]
        return np.array([*codes, self.n_values], dtype=_code_dtype(self.n_values))[positions]

    def _encode_numbers(self, values: pd.Series[Any], dtype: np.dtype[Any]) -> Codes:
        """Encode by comparing with each category, which is faster than finding distinct values."""
        raw, missing = raw_values(values, np.dtype(float))
        codes = np.full(len(raw), len(self.categories), dtype=dtype)
        for code, category in enumerate(self.categories):
            if isinstance(category, bool | int | float):
                codes[raw == category] = code
        if missing is not None:
            codes[missing] = self.n_values
        return codes

    def cuts(self) -> dict[Hashable, int]:
        """The code of each category."""
        return {category: code for code, category in enumerate(self.categories)}

    def questions(self, codes: Codes, most: int) -> Iterator[int]:
        """The codes, as bits, of "is c" and of "is not c" for the ``most`` frequent categories.

        "is" is enough if there are two categories.
        """
        known, every = len(self.categories), (1 << self.n_values) - 1
        number = np.bincount(codes, minlength=known)[:known]
        frequent = np.sort(np.argsort(-number, kind="stable")[:most])
        for code in frequent.tolist():
            yield 1 << code
            if known > 2:
                yield every ^ (1 << code)

    def shorter(self, codes: int) -> int:
        """Codes that hold for the same rows of the table, and name fewer categories if possible.

        "Is none of ..." takes in categories that the table does not have, "is one of ..." does not.
        """
        if not self.complete:
            return codes
        others, missing = 1 << len(self.categories), 1 << self.n_values
        inside = (codes & (others - 1)).bit_count()
        if codes & others and not inside and codes & missing:
            return missing  # no row of the table has another category
        if codes & others and 0 < inside <= len(self.categories) - inside:
            return codes & ~others
        return codes

    def only(self, cuts: Collection[int], values: Collection[Any]) -> CategoryColumn:
        """The column with those categories only that have these codes or are among the values."""
        if len(self.categories) in cuts:  # it means "none of these": all of them are needed
            return self
        kept = [
            category
            for code, category in enumerate(self.categories)
            if code in cuts or category in values
        ]
        return replace(self, categories=tuple(kept), complete=False)

    def with_values(self, values: Collection[Any]) -> CategoryColumn:
        """The column with more categories."""
        more = tuple(value for value in values if value not in self.categories)
        return replace(self, categories=self.categories + more)

    def only_frequent(self, rows: NDArray[np.integer], least: int) -> CategoryColumn:
        """The column with those categories only that ``least`` rows have, given by code."""
        known = rows[: len(self.categories)] >= least
        return self.only((), [self.categories[code] for code in np.flatnonzero(known)])

    def cut_in(self, kept: Any, cut: int) -> int:
        """The code of a cut in ``kept``, which is this column after `only`."""
        if cut >= len(self.categories):  # another category, or none
            return len(kept.categories) + cut - len(self.categories)
        return int(kept.categories.index(self.categories[cut]))

    def bins(self, cut: int, rows: NDArray[np.int64], text: Callable[[Any], str]) -> Bins:
        """The bars of a histogram at a split, from the rows by code."""
        return category_bins(cut, rows, [*map(text, self.categories), "others"])

    def codes_from_plain(self, plain: Plain, cut_of: Callable[[Any], int]) -> int:
        """The codes, as bits, of the categories that a condition in a file names, or leaves."""
        negated = "not_one_of" in plain
        named = listed(plain, "not_one_of" if negated else "one_of")
        # one number from all flags: to set one bit after the other would copy it each time
        flags = np.zeros(self.n_values, dtype=bool)
        flags[[cut_of(from_plain(value)) for value in named]] = True
        bits = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        return ((1 << self.n_values) - 1) & ~bits if negated else bits

    def to_plain(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return {
            **self._shared_plain(),
            "kind": self.kind,
            "categories": [to_plain(c, "the category") for c in self.categories],
            "complete": self.complete,
        }

    @classmethod
    def from_plain(cls, plain: Plain, name: Hashable, position: int) -> CategoryColumn:
        """The column that `to_plain` wrote, checked."""
        return cls(
            name,
            position,
            distinct_from_plain(listed(plain, "categories"), name),
            bool(plain["has_missing"]),
            complete=bool(plain["complete"]),
            **_found_by_from_plain(plain),
        )


Column = OrderedColumn | CategoryColumn

#: Every kind of column by its name in a file.
COLUMN_KINDS: dict[str, type[OrderedColumn] | type[CategoryColumn]] = {
    kind.kind: kind for kind in (OrderedColumn, CategoryColumn)
}


def column_from_plain(plain: Plain, index: int) -> Column:
    """The column that ``to_plain`` wrote, checked; by default its position is its ``index``."""
    position = whole(plain.get("position", index), "the position of a column", 0, 1 << 31)
    derived = plain.get("derived")
    name = from_plain(plain["name"]) if derived is None else derived_from_plain(derived)
    hash(name)
    if plain["kind"] not in COLUMN_KINDS:
        raise ValueError(f"the column {name!r} is {plain['kind']!r} of {plain['dtype']!r}")
    return COLUMN_KINDS[plain["kind"]].from_plain(plain, name, position)


def _found_by_from_plain(plain: Plain) -> dict[str, Any]:
    """How the table keeps a column and what finds it; the first files have it for dates only."""
    storage = plain.get("storage", "objects" if plain.get("python_dates") else "native")
    if storage not in get_args(Storage):
        raise ValueError(f"the storage of a column is {shown(storage)}")
    return {
        "storage": storage,
        "unique": bool(plain["unique"]),
        "unique_in_sql": bool(plain.get("unique_in_sql", True)),
        "given": bool(plain.get("given", False)),
        "in_array": bool(plain.get("in_array", False)),
    }


def _code_dtype(n_values: int) -> np.dtype[Any]:
    """The smallest dtype with room for the codes of values and for missing."""
    return np.min_scalar_type(n_values)
