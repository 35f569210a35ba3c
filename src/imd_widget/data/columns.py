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

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import Storage, as_objects
from imd_widget.data.raw_values import comparable, distinct_values, is_numeric, raw_values
from imd_widget.data.search_grid import GRID, SearchGrid

Codes = NDArray[np.unsignedinteger[Any]]

#: Up to this number of categories, numbers are compared with each of them.
FEW_CATEGORIES = 4


class _Coded:
    """Base of columns: splits are ``value < threshold`` if ordered, else ``value == category``."""

    ordered: ClassVar[bool]
    has_missing: bool

    @property
    def n_values(self) -> int:
        """Number of codes that stand for a value."""
        raise NotImplementedError

    @property
    def n_codes(self) -> int:
        """Number of codes of values, and of missing if ``has_missing``."""
        return self.n_values + self.has_missing


@dataclass(frozen=True, eq=False)
class OrderedColumn(_Coded):
    """A column whose values have an order.

    Attributes
    ----------
    name : Hashable
        The user's name of the column.
    position : int
        Its position in the table.
    thresholds : ndarray of shape (n_values - 1,)
        Strictly increasing, of the dtype of the column (moments and durations in microseconds); for
        ordered categories, positions in ``categories``.
    has_missing : bool
        Whether a value is missing in the fitted table.
    categories : tuple or None
        The categories of an ordered categorical, from the least to the greatest.
    timezone : tzinfo or None
        Time zone of moments; thresholds are in UTC.
    whole : bool
        Whether every value of the table is a whole number.
    storage : Storage
        How the table stores the values, which limits the languages of rules; see `native`.
    unique : bool
        Whether no other column has this name.
    unique_in_sql : bool
        Whether no other column has this name in SQL, which ignores case.
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
        """Number of codes that stand for a value."""
        return len(self.thresholds) + 1

    def encode(self, values: pd.Series[Any]) -> Codes:
        """The code of a value is the number of thresholds that are ``<= value``."""
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
    def _grid(self) -> SearchGrid | None:
        """The look-up grid; None unless there are 8 or more thresholds and they are floats."""
        if len(self.thresholds) < 8 or self.thresholds.dtype.kind != "f":
            return None
        return SearchGrid.over(self.thresholds)

    def _encode_categories(self, values: pd.Series[Any]) -> Codes:
        objects = as_objects(values)
        position = pd.Index(self.categories or (), dtype=object).get_indexer(
            pd.Index(objects, dtype=object)
        )
        codes = np.searchsorted(self.thresholds, position, side="right")
        codes[position < 0] = self.n_values + 1  # not one of the categories
        codes[pd.isna(objects)] = self.n_values
        return codes.astype(_code_dtype(self.n_values + 1))


@dataclass(frozen=True, eq=False)
class CategoryColumn(_Coded):
    """A column whose values have no order; its splits are ``value == category``.

    Attributes
    ----------
    name : Hashable
        The user's name of the column.
    position : int
        Its position in the table.
    categories : tuple
        The categories of the table, sorted; at most the 50,000 most frequent ones.
    has_missing : bool
        Whether a value is missing in the fitted table.
    complete : bool
        Whether these are all the categories of that table.
    storage : Storage
        How the table stores the values, which limits the languages of rules; see `native`.
    unique : bool
        Whether no other column has this name.
    unique_in_sql : bool
        Whether no other column has this name in SQL, which ignores case.
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
        """Number of codes that stand for a value: one for each category, and one for all others."""
        return len(self.categories) + 1

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


Column = OrderedColumn | CategoryColumn


def _code_dtype(n_values: int) -> np.dtype[Any]:
    """The smallest dtype with room for the codes of values and for missing."""
    return np.min_scalar_type(n_values)
