"""Values that a user gives for a row, checked and in the type of their column."""

from __future__ import annotations

import math
import operator
from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import Given, InputError
from imd_widget.data.table import Table
from imd_widget.explanations.grid import MISSING, point_value_text
from imd_widget.explanations.schema import FieldKind

#: Values that are listed as choices, the most frequent ones.
MOST_CHOICES = 50
#: A column of text with at most so many different values is edited by choosing one of them.
FEW_CHOICES = 20
#: A column of text of whose values more than this share is distinct is free text.
FREE_TEXT = 0.5
#: What counts as true and as false, as text.
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True, eq=False)
class Field:
    """One column of a table, as its values are edited."""

    name: Hashable
    position: int
    #: The values of the column.
    values: pd.Series[Any]
    #: "number", "choice", "text", or "fixed" for values that cannot be given as text, such as
    #: lists.
    kind: FieldKind

    @classmethod
    def of(cls, table: Table, position: int) -> Field:
        """Return the field of a column."""
        values = table.get(position)
        return cls(table.names[position], position, values, _kind(values))

    @property
    def choices(self) -> dict[str, Any]:
        """The most frequent values by their text; none of a number."""
        if self.kind not in ("choice", "text") or _is_moment(self.values) or self.is_free_text:
            return {}
        counted = self.values.value_counts(dropna=True).index[:MOST_CHOICES]
        return {point_value_text(value): value for value in counted}

    @property
    def is_free_text(self) -> bool:
        """Whether most rows have a text of their own."""
        if self.kind != "text" or _is_moment(self.values):
            return False
        present = self.values.dropna()
        return bool(present.nunique() > FREE_TEXT * len(present))

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The least and the greatest number; None for anything else."""
        if self.kind != "number":
            return None, None
        present = pd.to_numeric(self.values.dropna(), errors="coerce").astype(float)
        finite = present[np.isfinite(present)]
        return (float(finite.min()), float(finite.max())) if len(finite) else (None, None)

    def unseen(self, value: Any) -> str | None:
        """Return that no row of the table has a value, as a sentence; None if some row has.

        Of numbers and moments, only the range counts; of free text, nothing does.
        """
        if value is None or pd.isna(value) is True:
            some = self.values.isna().any()
            return None if some else f"No row of the table has {self.name} missing."
        present = self.values.dropna()
        if self.kind == "fixed" or not len(present):
            return None
        if self.kind == "number" or _is_moment(self.values):
            for end, beyond, word in (
                (present.min(), operator.lt, "below"),
                (present.max(), operator.gt, "above"),
            ):
                if beyond(value, end):
                    edge = point_value_text(end)
                    if _is_moment(self.values):
                        word = "before" if word == "below" else "after"
                    return f"No row of the table has {self.name} {word} {edge}."
            return None
        if self.is_free_text:
            return None
        known = bool((present == value).any())
        return None if known else f"No row of the table has {self.name} {point_value_text(value)}."

    def read(self, value: Any) -> Any:
        """Return a value in the type of the column; InputError if it cannot be one."""
        if self.kind == "fixed":
            raise self._refused(value, "values of this column cannot be edited")
        if value is None or value is pd.NA or value is pd.NaT or _is_nan(value):
            return self._missing()
        if isinstance(value, str) and value.strip() in ("", MISSING) and self.kind == "number":
            return self._missing()
        if pd.api.types.is_bool_dtype(self.values.dtype):
            return self._flag(value)
        if _is_moment(self.values):
            return self._moment(value)
        return self._number(value) if self.kind == "number" else self._text(value)

    def _missing(self) -> None:
        dtype = self.values.dtype
        if isinstance(dtype, np.dtype) and dtype.kind in "iub":
            what = "true or false" if dtype.kind == "b" else "whole numbers"
            raise self._refused(None, f"the column holds {what}, and none can be missing")

    def _flag(self, value: Any) -> bool:
        if isinstance(value, bool | np.bool_):
            return bool(value)
        found = _FLAGS.get(str(value).strip().lower())
        if found is None:
            raise self._refused(value, "the column holds True and False")
        return found

    def _number(self, value: Any) -> Any:
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real | str):
            raise self._refused(value, "the column holds numbers")
        try:
            number = float(value)
        except ValueError:
            raise self._refused(value, "the column holds numbers") from None
        if not math.isfinite(number):
            raise self._refused(value, "a finite number is needed")
        if pd.api.types.is_integer_dtype(self.values.dtype):
            whole = value if isinstance(value, Integral) else number
            if whole != int(whole):
                raise self._refused(value, "the column holds whole numbers")
            return self._within(int(whole), value)
        return number

    def _within(self, number: int, value: Any) -> int:
        """A whole number, if the dtype of the column can hold it."""
        dtype = getattr(self.values.dtype, "numpy_dtype", self.values.dtype)
        if isinstance(dtype, np.dtype) and dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if not limits.min <= number <= limits.max:
                raise self._refused(
                    value, f"the column holds numbers from {limits.min} to {limits.max}"
                )
        return number

    def _moment(self, value: Any) -> Any:
        try:
            if pd.api.types.is_timedelta64_dtype(self.values.dtype):
                return pd.Timedelta(value)
            moment = pd.Timestamp(value)
            zone = getattr(self.values.dtype, "tz", None)
            if zone is not None:
                return moment.tz_localize(zone) if moment.tz is None else moment.tz_convert(zone)
            return moment
        except (ValueError, TypeError, OverflowError):
            raise self._refused(value, "the column holds moments, such as 2024-05-17") from None

    def _text(self, value: Any) -> Any:
        dtype = self.values.dtype
        known = self.choices
        if isinstance(dtype, pd.CategoricalDtype):
            known = {point_value_text(own): own for own in dtype.categories}
            if value not in known.values() and str(value) not in known:
                raise self._refused(value, f"the categories are {_listed(list(known))}")
        if isinstance(value, str) and value in known:
            return known[value]
        if not isinstance(value, str) and value not in known.values():
            raise self._refused(value, "the column holds text")
        return value

    def _refused(self, value: Any, why: str) -> InputError:
        return InputError(Given(str(self.name), value), f": {why}.")


def _kind(values: pd.Series[Any]) -> FieldKind:
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return "choice"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if _is_moment(values):
        return "text"
    present = values.dropna()
    if not present.map(lambda own: isinstance(own, str | bool | int | float)).all():
        return "fixed"
    return "choice" if present.nunique() <= FEW_CHOICES else "text"


def _is_moment(values: pd.Series[Any]) -> bool:
    dtype = values.dtype
    is_moment = pd.api.types.is_datetime64_any_dtype(dtype)
    return bool(is_moment or pd.api.types.is_timedelta64_dtype(dtype))


def _is_nan(value: Any) -> bool:
    return isinstance(value, Real) and math.isnan(value)


def _listed(texts: list[str]) -> str:
    return ", ".join(texts[:8]) + (" ..." if len(texts) > 8 else "")
