"""What a column is like: how its values become codes, and how codes are said in words.

A code is a small integer. For a column with an order (numbers, dates, ordered categories) codes
follow the order, and ``code <= cut`` exactly when ``value < thresholds[cut]``. For a column
without one (text, booleans, categories) each category has a code, and all categories that were
not seen have one together. Where values were missing, missing has the last code.

A value that the column's description does not foresee (a missing value in a column that had none)
gets the code after the last: it lies in no rule that speaks of the column, and answers every
question with no.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import Storage, as_moments, as_numbers, as_objects, factorized

Codes = NDArray[np.unsignedinteger[Any]]
#: Places in a list of the values that occur, -1 where one is missing; and that list.
Distinct = tuple[NDArray[np.intp], list[Any]]

#: Up to so many categories numbers are compared with each of them.
FEW_CATEGORIES = 4
#: Buckets of the grid that finds most codes without a search.
GRID = 1 << 13


class _Coded:
    """What every column has. ``ordered``: is a split "below", or is it "is this one"?"""

    ordered: ClassVar[bool]
    has_missing: bool

    @property
    def n_values(self) -> int:
        """Codes that stand for a value."""
        raise NotImplementedError

    @property
    def n_codes(self) -> int:
        """All codes that are foreseen."""
        return self.n_values + self.has_missing


@dataclass(frozen=True, eq=False)
class OrderedColumn(_Coded):
    """A column whose values have an order.

    Attributes
    ----------
    name : Hashable
        The user's own name of the column.
    position : int
        Its place in the table.
    thresholds : ndarray of shape (n_values - 1,)
        Strictly increasing, of the column's own dtype (moments and durations in microseconds). Of
        ordered categories: places in ``categories``.
    has_missing : bool
        Whether a row of the table that the diff was made with has no value.
    categories : tuple or None
        Of ordered categories, from the least to the greatest.
    timezone : tzinfo or None
        Of moments with a time zone; thresholds are in UTC.
    whole : bool
        Whether every value of the table is a whole number.
    storage : Storage
        How the table keeps the values, where a language cannot ask about them.
    unique : bool
        Whether the name stands for this column alone.
    unique_in_sql : bool
        The same in SQL, which takes names that differ in case alone for one.
    """

    ordered: ClassVar[bool] = True
    name: Hashable
    position: int
    thresholds: NDArray[Any]
    has_missing: bool = False
    categories: tuple[Hashable, ...] | None = None
    timezone: Any = None
    whole: bool = False
    storage: Storage = "native"
    unique: bool = True
    unique_in_sql: bool = True

    @property
    def n_values(self) -> int:
        """Codes that stand for a value."""
        return len(self.thresholds) + 1

    def encode(self, values: pd.Series[Any]) -> Codes:
        """Code of each value: the number of thresholds that are not above it."""
        if self.categories is not None:
            return self._encode_categories(values)
        raw, missing = raw_values(values, self.thresholds.dtype)
        dtype = _code_dtype(self.n_values)
        grid = self._grid if len(raw) >= 2 * GRID and raw.dtype == self.thresholds.dtype else None
        if grid is not None:
            codes = grid.search(raw, dtype)
        else:
            raw, bounds = comparable(raw, self.thresholds)
            codes = np.searchsorted(bounds, raw, side="right").astype(dtype)
        if missing is not None:
            codes[missing] = self.n_values
        return codes

    @cached_property
    def _grid(self) -> _Grid | None:
        """A faster search, where there are enough thresholds and they are floats."""
        if len(self.thresholds) < 8 or self.thresholds.dtype.kind != "f":
            return None
        return _Grid.over(self.thresholds)

    def _encode_categories(self, values: pd.Series[Any]) -> Codes:
        objects = as_objects(values)
        place = pd.Index(self.categories or (), dtype=object).get_indexer(
            pd.Index(objects, dtype=object)
        )
        codes = np.searchsorted(self.thresholds, place, side="right")
        codes[place < 0] = self.n_values + 1  # a category that the order does not know
        codes[pd.isna(objects)] = self.n_values
        return codes.astype(_code_dtype(self.n_values + 1))


@dataclass(frozen=True, eq=False)
class CategoryColumn(_Coded):
    """A column whose values have no order: a split asks whether it is this one.

    Attributes
    ----------
    name : Hashable
        The user's own name of the column.
    position : int
        Its place in the table.
    categories : tuple
        The categories of the table, sorted; of very many, the most frequent ones.
    has_missing : bool
        Whether a row of the table that the diff was made with has no value.
    complete : bool
        Whether these are all the categories of that table.
    storage : Storage
        How the table keeps the values, where a language cannot ask about them.
    unique : bool
        Whether the name stands for this column alone.
    unique_in_sql : bool
        The same in SQL, which takes names that differ in case alone for one.
    """

    ordered: ClassVar[bool] = False
    name: Hashable
    position: int
    categories: tuple[Hashable, ...]
    has_missing: bool = False
    complete: bool = True
    storage: Storage = "native"
    unique: bool = True
    unique_in_sql: bool = True

    @property
    def n_values(self) -> int:
        """Codes that stand for a value: each category, and all others together."""
        return len(self.categories) + 1

    def encode(self, values: pd.Series[Any]) -> Codes:
        """Code of each value: its category's place, or the one for all others."""
        if is_numeric(values) and len(self.categories) <= FEW_CATEGORIES:
            return self._encode_numbers(values, _code_dtype(self.n_values))
        return self.encode_distinct(*distinct_values(values))

    def encode_distinct(self, places: NDArray[np.intp], distinct: Sequence[Any]) -> Codes:
        """The same of values that are places in a list of distinct ones, -1 where missing."""
        code = {category: code for code, category in enumerate(self.categories)}
        own = [code.get(value, len(code)) for value in distinct]
        return np.array([*own, self.n_values], dtype=_code_dtype(self.n_values))[places]

    def _encode_numbers(self, values: pd.Series[Any], dtype: np.dtype[Any]) -> Codes:
        """The same by comparing: quicker than finding out which numbers there are."""
        raw, missing = raw_values(values, np.dtype(float))
        codes = np.full(len(raw), len(self.categories), dtype=dtype)
        for code, category in enumerate(self.categories):
            if isinstance(category, bool | int | float):
                codes[raw == category] = code
        if missing is not None:
            codes[missing] = self.n_values
        return codes


Column = OrderedColumn | CategoryColumn


#: For each column that is constrained, the codes that are allowed: bit c stands for code c.
Box = Mapping[int, int]


def in_box(box: Box, codes: Sequence[Codes], n_rows: int) -> NDArray[np.bool_]:
    """For each encoded row: does it lie in the box? What was not foreseen is outside."""
    inside = np.ones(n_rows, dtype=bool)
    for column, allowed in box.items():
        size = max(allowed.bit_length(), int(codes[column].max(initial=0)) + 1)
        packed = np.frombuffer(allowed.to_bytes(-(-size // 8), "little"), dtype=np.uint8)
        inside &= np.unpackbits(packed, bitorder="little").astype(bool)[codes[column]]
    return inside


def yes_codes(column: Column, cut: int, missing: bool) -> int:
    """The codes that a split sends to "yes", as bits."""
    codes = (1 << (cut + 1)) - 1 if column.ordered else 1 << cut
    return codes | (1 << column.n_values) if missing else codes


def says_yes(column: Column, codes: Codes, cut: int, missing: bool) -> NDArray[np.bool_]:
    """For each code: does the split send it to "yes"?"""
    yes = codes <= cut if column.ordered else codes == cut
    if missing:
        yes |= codes == column.n_values
    return np.asarray(yes)


def is_numeric(values: pd.Series[Any]) -> bool:
    """Whether a column is kept as numbers, and not as objects that may be numbers."""
    return getattr(values.dtype, "kind", "O") in "iuf"


def distinct_values(values: pd.Series[Any]) -> Distinct:
    """Places in a list of the values that occur, -1 where one is missing; and that list."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes = values.cat.codes.to_numpy().astype(np.intp)
        return codes, values.cat.categories.astype(object).tolist()
    if values.dtype == bool:
        return values.to_numpy().astype(np.intp), [False, True]
    if is_numeric(values):
        raw, missing = raw_values(values, np.dtype(float))
        distinct, places = np.unique(raw, return_inverse=True)
        if missing is not None:
            places[missing] = -1
        return places, [_plain_number(value) for value in distinct.tolist()]
    return factorized(values)


def _plain_number(value: Any) -> Any:
    """A float that is whole as the whole number that it is equal to."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def raw_values(
    values: pd.Series[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Numbers or moments as a NumPy array, and which of them are missing (None: none is).

    Parameters
    ----------
    values : Series
    dtype : dtype
        Of moments ``datetime64[us]``, of durations ``timedelta64[us]``, of numbers any: they keep
        their own.
    """
    if dtype.kind in "mM":
        raw = _moments(values, dtype) if dtype.kind == "M" else _durations(values, dtype)
        missing = np.isnat(raw)
        return raw, missing if missing.any() else None
    if values.dtype == object:
        values = as_numbers(values)
    own = values.dtype
    if isinstance(own, np.dtype):
        raw = values.to_numpy()
    else:
        raw, missing = _nullable_numbers(values)
        if missing is not None and raw.dtype.kind != "f":
            return raw, missing
    if raw.dtype == np.longdouble and raw.dtype.itemsize > 8:
        raw = raw.astype(float)
    if raw.dtype.kind == "f" and np.isnan(raw.min(initial=0)):
        missing = np.isnan(raw)
        return np.where(missing, raw.dtype.type(0), raw), missing
    return raw, None


def _moments(values: pd.Series[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    moments = as_moments(values)
    if isinstance(moments.dtype, pd.DatetimeTZDtype):
        moments = moments.dt.tz_convert("UTC").dt.tz_localize(None)
    return moments.to_numpy().astype(dtype)


def _durations(values: pd.Series[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    return pd.to_timedelta(values).to_numpy().astype(dtype)


def _nullable_numbers(values: pd.Series[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Numbers of an extension dtype in NumPy's own; whole numbers stay whole."""
    own: Any = values.dtype
    missing = values.isna().to_numpy(dtype=bool)
    if not missing.any():
        return values.to_numpy(), None
    dtype = np.dtype(getattr(own, "numpy_dtype", getattr(own, "subtype", float)))
    fill = 0 if dtype.kind in "iu" else np.nan
    return values.to_numpy(dtype=dtype, na_value=fill), missing


def comparable(raw: NDArray[Any], thresholds: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values and bounds such that ``value >= bound`` in NumPy is exactly ``value >= threshold``.

    NumPy compares integers of 64 bits with floats, and signed with unsigned ones, as floats, in
    which whole numbers beyond 2**53 merge.

    Parameters
    ----------
    raw : ndarray of shape (n_rows,)
    thresholds : ndarray of shape (n,)
        Increasing.

    Returns
    -------
    values : ndarray of shape (n_rows,)
    bounds : ndarray of shape (n,) or shorter
        Without those, at the end, that no value of the dtype reaches.
    """
    own, dtype = thresholds.dtype, raw.dtype
    if own.kind in "iu" and dtype.kind == "f":
        return raw, np.array([_float_from(t) for t in thresholds.tolist()], dtype=float)
    if own.kind == "f" and dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        least = [math.ceil(t) if math.isfinite(t) else t for t in thresholds.tolist()]
        reached = [max(t, limits.min) for t in least if t <= limits.max]
        return raw, np.array([int(t) for t in reached], dtype=dtype)
    if own == np.int64 and dtype == np.uint64:
        return np.minimum(raw, np.uint64(np.iinfo(np.int64).max)).astype(np.int64), thresholds
    if own == np.uint64 and dtype == np.int64:
        return np.maximum(raw, 0).astype(np.uint64), thresholds
    return raw, thresholds


def _float_from(threshold: int) -> float:
    """The smallest float that is not below a whole number."""
    nearest = float(threshold)
    return nearest if int(nearest) >= threshold else math.nextafter(nearest, math.inf)


def _code_dtype(n_values: int) -> np.dtype[Any]:
    """Room for the codes of values, for missing, and so for what is not foreseen."""
    return np.min_scalar_type(n_values)


@dataclass(frozen=True, eq=False)
class _Grid:
    """Finds codes by a table look-up in place of a search, exactly.

    Values are cut into equal buckets. The bucket of a value is computed by the same monotone
    arithmetic as those of the thresholds; so a value in a later bucket than a threshold is not
    below it, in an earlier bucket it is. Only in the bucket of a threshold are the two compared.
    """

    thresholds: NDArray[Any]
    low: Any
    scale: Any
    before: NDArray[Any]
    crowded: NDArray[np.bool_]
    padded: NDArray[Any]

    @classmethod
    def over(cls, thresholds: NDArray[Any]) -> _Grid | None:
        """A grid for these thresholds, two of them at least; None where their span overflows."""
        low = thresholds[0]
        with np.errstate(over="ignore", divide="ignore"):
            scale = thresholds.dtype.type(GRID / (thresholds[-1] - low))
        if not (np.isfinite(scale) and scale > 0):
            return None
        buckets = cls._bucket(thresholds, low, scale)
        number = np.bincount(buckets, minlength=GRID + 2)
        before = np.cumsum(number) - number
        # past the last threshold there is none to compare with: NaN is reached by no value
        padded = np.append(thresholds, thresholds.dtype.type(np.nan))
        return cls(thresholds, low, scale, before, number > 1, padded)

    @staticmethod
    def _bucket(values: NDArray[Any], low: Any, scale: Any) -> NDArray[np.intp]:
        with np.errstate(over="ignore", invalid="ignore"):
            position = (values - low) * scale
        np.clip(position, -1, GRID, out=position)
        position += 1
        return np.asarray(position, dtype=np.intp)

    def search(self, values: NDArray[Any], dtype: np.dtype[Any]) -> Codes:
        """Number of thresholds that are not above each value."""
        codes = np.empty(len(values), dtype=dtype)
        for start in range(0, len(values), 1 << 16):  # pieces that stay in the cache
            piece = values[start : start + (1 << 16)]
            bucket = self._bucket(piece, self.low, self.scale)
            found = self.before[bucket]
            found += piece >= self.padded[found]
            crowded = np.flatnonzero(self.crowded[bucket])
            if len(crowded):
                exact = np.searchsorted(self.thresholds, piece[crowded], side="right")
                found[crowded] = exact
            codes[start : start + (1 << 16)] = found
        return codes
