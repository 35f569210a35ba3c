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

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Codes = NDArray[np.unsignedinteger[Any]]

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
    python_dates : bool
        Whether the values are Python's own dates, which pandas compares with their like only.
    unique : bool
        Whether the name stands for this column alone.
    """

    ordered: ClassVar[bool] = True
    name: Hashable
    position: int
    thresholds: NDArray[Any]
    has_missing: bool = False
    categories: tuple[Hashable, ...] | None = None
    timezone: Any = None
    python_dates: bool = False
    unique: bool = True

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
        if self._grid_pays(raw):
            codes = self._grid.search(raw, dtype)
        else:
            codes = np.searchsorted(self.thresholds, raw, side="right").astype(dtype)
        if missing is not None:
            codes[missing] = self.n_values
        return codes

    def _grid_pays(self, raw: NDArray[Any]) -> bool:
        many = len(self.thresholds) >= 8 and len(raw) >= 2 * GRID
        same = raw.dtype == self.thresholds.dtype and raw.dtype.kind == "f"
        return many and same and bool(np.isfinite(self._grid.scale) and self._grid.scale > 0)

    @cached_property
    def _grid(self) -> _Grid:
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
    unique : bool
        Whether the name stands for this column alone.
    """

    ordered: ClassVar[bool] = False
    name: Hashable
    position: int
    categories: tuple[Hashable, ...]
    has_missing: bool = False
    complete: bool = True
    unique: bool = True

    @property
    def n_values(self) -> int:
        """Codes that stand for a value: each category, and all others together."""
        return len(self.categories) + 1

    def encode(self, values: pd.Series[Any]) -> Codes:
        """Code of each value: its category's place, or the one for all others."""
        index = pd.Index(self.categories, dtype=object)
        dtype = _code_dtype(self.n_values)
        if isinstance(values.dtype, pd.CategoricalDtype):
            own = index.get_indexer(pd.Index(values.cat.categories, dtype=object))
            own = np.where(own < 0, len(index), own)
            codes = np.append(own, self.n_values)[values.cat.codes.to_numpy()]
            return np.asarray(codes, dtype=dtype)
        found, distinct = pd.factorize(as_objects(values), use_na_sentinel=True)
        own = index.get_indexer(pd.Index(distinct, dtype=object))
        own = np.where(own < 0, len(index), own)
        return np.asarray(np.append(own, self.n_values)[found], dtype=dtype)


Column = OrderedColumn | CategoryColumn


#: For each column that is constrained, the codes that are allowed: bit c stands for code c.
Box = Mapping[int, int]


def in_box(box: Box, codes: Sequence[Codes], n_rows: int) -> NDArray[np.bool_]:
    """For each encoded row: does it lie in the box? What was not foreseen is outside."""
    inside = np.ones(n_rows, dtype=bool)
    for column, allowed in box.items():
        size = max(allowed.bit_length(), int(codes[column].max(initial=0))) + 1
        inside &= np.array([allowed >> code & 1 for code in range(size)], bool)[codes[column]]
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


def raw_values(
    values: pd.Series[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Numbers or moments as a NumPy array, and which of them are missing (None: none is)."""
    if dtype.kind in "mM":
        if dtype.kind == "M":
            moments = pd.to_datetime(values)
            if isinstance(moments.dtype, pd.DatetimeTZDtype):
                moments = moments.dt.tz_convert("UTC").dt.tz_localize(None)
            raw = moments.to_numpy().astype(dtype)
        else:
            raw = pd.to_timedelta(values).to_numpy().astype(dtype)
        missing = np.isnat(raw)
        return raw, missing if missing.any() else None
    if values.dtype == object:
        values = as_numbers(values)
    if isinstance(values.dtype, np.dtype):
        raw = values.to_numpy()
    else:  # nullable dtypes: integers stay integers as long as none is missing
        raw = values.to_numpy(float, na_value=np.nan) if values.hasnans else values.to_numpy()
    if raw.dtype.kind == "f" and np.isnan(raw.min(initial=0)):
        missing = np.isnan(raw)
        return np.where(missing, raw.dtype.type(0), raw), missing
    return raw, None


def as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers that are kept as Python objects in the narrowest dtype that holds them all."""
    numbers = pd.to_numeric(values)
    return numbers.astype(float) if numbers.dtype == object else numbers


def as_objects(values: pd.Series[Any]) -> NDArray[Any]:
    """The values as Python objects, None where one is missing."""
    objects: NDArray[Any] = values.astype(object).to_numpy(copy=True)
    objects[values.isna().to_numpy(dtype=bool)] = None
    return objects


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
    def over(cls, thresholds: NDArray[Any]) -> _Grid:
        """A grid for these thresholds, two of them at least."""
        low = thresholds[0]
        with np.errstate(over="ignore", divide="ignore"):
            scale = thresholds.dtype.type(GRID / (thresholds[-1] - low))
        buckets = cls._bucket(thresholds, low, scale)
        number = np.bincount(buckets, minlength=GRID + 2)
        before = np.cumsum(number) - number
        padded = np.append(thresholds, thresholds.dtype.type(np.inf))
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
