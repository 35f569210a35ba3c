"""Parts of dates: hour, part of the day, weekday, month, day of the month, and weekends.

They are those of the time zone of the column, as pandas computes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import as_moments

#: The first day of a weekend, with Monday as 0.
SATURDAY = 5


@dataclass(frozen=True)
class DatePart:
    """A part of dates whose values follow each other in a cycle."""

    #: The attribute of pandas' ``Series.dt``.
    attribute: str
    #: The least value.
    first: int
    #: The length of the cycle.
    n_values: int
    #: The first value of a second order: a range across the end of the cycle, such as the hours
    #: from 22 to 5, lies within it.
    turn: int
    #: The first value of the attribute that each value stands for, if it stands for several ones.
    starts: tuple[int, ...] = ()
    #: The length of the cycle of the attribute, if values stand for several ones.
    period: int = 0

    def attribute_values(self, value: int) -> tuple[int, ...]:
        """Return the values of the attribute that a value stands for."""
        if not self.starts:
            return (value,)
        start, end = self.starts[value], self.starts[(value + 1) % self.n_values]
        length = (end - start) % self.period
        return tuple((start + step) % self.period for step in range(length))

    def of_attribute(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the values that stand for values of the attribute."""
        if not self.starts:
            return values
        table = np.empty(self.period, dtype=np.int64)
        for value in range(self.n_values):
            table[list(self.attribute_values(value))] = value
        return table[values]

    def order(self, start: int) -> tuple[int, ...]:
        """Return all values, from ``start`` on."""
        return tuple(
            self.first + (start - self.first + step) % self.n_values
            for step in range(self.n_values)
        )


#: The parts with an order, by name.
DATE_PARTS = {
    "hour": DatePart("hour", 0, 24, 12),
    # night, morning, afternoon, evening
    "part_of_day": DatePart("hour", 0, 4, 2, starts=(22, 6, 12, 18), period=24),
    "weekday": DatePart("day_of_week", 0, 7, 3),
    "month": DatePart("month", 1, 12, 7),
    "day": DatePart("day", 1, 31, 16),
}


def zone_name(series: pd.Series[Any]) -> str | None:
    """Return the name of the time zone of moments, None if they have none.

    Raises
    ------
    ValueError
        If pandas does not know a zone by this name.
    """
    if not isinstance(series.dtype, pd.DatetimeTZDtype):
        return None
    name = str(series.dtype.tz)
    try:
        pd.DatetimeTZDtype("us", name)
    except Exception as error:
        raise ValueError(f"pandas knows no time zone of the name {name}") from error
    return name


def date_values(raw: pd.Series[Any], part: str, start: int, zone: str | None) -> pd.Series[Any]:
    """Return a part of dates: an ordered categorical of numbers, or booleans for "weekend".

    Parameters
    ----------
    raw : Series
        Dates or moments; those with a time zone are converted to ``zone``.
    part : str
        "weekend", or a name in `DATE_PARTS`.
    start : int
        The first value of the order.
    zone : str or None
        The time zone; None for moments without one.
    """
    moments = _in_zone(as_moments(raw), zone)
    if part == "weekend":
        return _weekends(moments)
    kind = DATE_PARTS[part]
    values, missing = _numbers(moments, kind.attribute)
    codes = (kind.of_attribute(values) - start) % kind.n_values
    codes[missing] = -1
    order = pd.Index(kind.order(start))
    return pd.Series(pd.Categorical.from_codes(codes, order, ordered=True))


def _in_zone(moments: pd.Series[Any], zone: str | None) -> pd.Series[Any]:
    aware = isinstance(moments.dtype, pd.DatetimeTZDtype)
    if aware and zone is not None:
        local: pd.Series[Any] = moments.dt.tz_convert(zone)
        return local
    if moments.dtype.kind != "M" or aware or zone is not None:
        if not moments.notna().any():
            return pd.Series(np.full(len(moments), np.datetime64("NaT", "us")))
        which = "without" if zone is None else "with"
        raise TypeError(f"expected timestamps {which} a time zone, got {moments.dtype}")
    return moments


def _weekends(moments: pd.Series[Any]) -> pd.Series[Any]:
    days, missing = _numbers(moments, "day_of_week")
    flags = days >= SATURDAY
    if not missing.any():
        return pd.Series(flags)
    return pd.Series(pd.arrays.BooleanArray(flags, missing))


def _numbers(
    moments: pd.Series[Any], attribute: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return an attribute of moments as integers, and where a moment is missing."""
    missing = moments.isna().to_numpy(dtype=bool)
    values = getattr(moments.dt, attribute).to_numpy(dtype=float, na_value=np.nan)
    return np.where(missing, 0, values).astype(np.int64), missing
