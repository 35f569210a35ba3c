"""Conversion of columns of pandas, polars, pyarrow and NumPy tables to pandas Series.

All other modules read columns through this one, so that a column has the same numbers, moments,
durations, booleans or objects whichever library stores it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: How a column stores its values, if that limits the languages that rules can be written in.
#: "objects": dates, moments or durations that a pandas query cannot compare with text.
#: "decimals": Python's or Arrow's decimals, which pandas compares with floats digit by digit.
#: "rounded": numbers of more digits than the floats that they are compared as.
#: "mixed": text beside numbers, booleans or other types.
#: "nan": floats of Arrow or polars with NaN that is not null, which a database takes for a number.
Storage = Literal["native", "objects", "decimals", "rounded", "mixed", "nan"]


@dataclass(frozen=True, eq=False)
class NativeColumn:
    """The values of a column as a Series, and how the user's table stores them."""

    series: pd.Series[Any]
    storage: Storage = "native"


def pandas_column(frame: pd.DataFrame, position: int) -> NativeColumn:
    """A column of a pandas table."""
    series = frame.iloc[:, position]
    if not isinstance(series.dtype, pd.ArrowDtype):
        return NativeColumn(printable(_native_order(series)))
    import pyarrow as pa

    return _arrow_column(pa.chunked_array([pa.array(series)]))


def array_column(values: NDArray[Any], position: int) -> NativeColumn:
    """A column of an array; masked values are missing."""
    return NativeColumn(_native_order(pd.Series(unmasked(values[:, position]))))


def unmasked(values: NDArray[Any]) -> Any:
    """The values of an array, with masked values as missing."""
    if not np.ma.isMaskedArray(values):
        return values
    hidden, data = np.ma.getmaskarray(values), np.ma.getdata(values)
    if not hidden.any():
        return data
    if data.dtype.kind == "f":
        return np.where(hidden, np.nan, data).astype(data.dtype)
    if data.ndim == 1 and data.dtype.kind in "iu":
        return pd.arrays.IntegerArray(_in_machine_order(data), hidden)
    if data.ndim == 1 and data.dtype.kind == "b":
        return pd.arrays.BooleanArray(data, hidden)
    objects = data.astype(object)
    objects[hidden] = None
    return objects


def narwhals_column(frame: Any, position: int) -> NativeColumn:
    """A column of a polars or pyarrow table, or of any other that narwhals reads."""
    import narwhals as nw

    series = frame[frame.columns[position]]
    if frame.implementation.is_pyarrow():
        return _arrow_column(series.to_native())
    dtype = series.dtype
    if isinstance(dtype, nw.Enum):  # the categories of an Enum are ordered
        order = [str(category) for category in dtype.categories]
        return NativeColumn(
            pd.Series(pd.Categorical(series.to_list(), categories=order, ordered=True))
        )
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        zoned = pd.Series(moments).dt.tz_localize("UTC").dt.tz_convert(dtype.time_zone)
        return NativeColumn(printable(zoned))
    if dtype.is_integer() and not isinstance(dtype, nw.Int128 | nw.UInt128):
        missing = series.is_null().to_numpy()
        if not missing.any():
            return NativeColumn(pd.Series(series.to_numpy()))
        return NativeColumn(_nullable_integers(series.fill_null(0).to_numpy(), missing))
    if dtype.is_float():
        has_nan = bool(series.is_nan().any())
        return NativeColumn(pd.Series(series.to_numpy()), "nan" if has_nan else "native")
    if isinstance(dtype, nw.Date | nw.Datetime | nw.Duration):
        return NativeColumn(pd.Series(series.to_numpy()))
    return NativeColumn(pd.Series(series.to_list(), dtype=object))


def filterable(frame: Any) -> Any:
    """A table that supports filtering, which pyarrow does not implement for string views."""
    if not (type(frame).__module__.startswith("pyarrow") and hasattr(frame, "schema")):
        return frame
    import pyarrow as pa

    for position, field in enumerate(frame.schema):
        if pa.types.is_string_view(field.type) or pa.types.is_binary_view(field.type):
            plain = pa.string() if pa.types.is_string_view(field.type) else pa.binary()
            values = pa.array(frame.column(position).to_pylist(), plain)
            frame = frame.set_column(position, pa.field(field.name, plain), values)
    return frame


def _arrow_column(values: Any) -> NativeColumn:
    """Convert a chunked array of Arrow, in which NaN is not null; here both are missing."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_floating(kind):
        numbers = values.to_numpy()
        has_nan = int(np.isnan(numbers).sum()) > values.null_count
        return NativeColumn(pd.Series(numbers), "nan" if has_nan else "native")
    if pa.types.is_integer(kind):
        if not values.null_count:
            return NativeColumn(pd.Series(values.to_numpy()))
        numbers, missing = values.fill_null(0).to_numpy(), values.is_null().to_numpy()
        return NativeColumn(_nullable_integers(numbers, missing))
    if pa.types.is_boolean(kind):
        if not values.null_count:
            return NativeColumn(pd.Series(values.to_numpy()))
        flags, missing = values.fill_null(False).to_numpy(), values.is_null().to_numpy()
        return NativeColumn(pd.Series(pd.arrays.BooleanArray(flags, missing)))
    if pa.types.is_timestamp(kind):
        return NativeColumn(printable(values.to_pandas()))
    if pa.types.is_duration(kind):
        return NativeColumn(values.to_pandas(), "objects")
    if pa.types.is_date(kind):
        return NativeColumn(values.to_pandas(date_as_object=False), "objects")
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return NativeColumn(values.to_pandas())
    return NativeColumn(pd.Series(values.to_pylist(), dtype=object))


def printable(series: pd.Series[Any]) -> pd.Series[Any]:
    """The same moments, in UTC if the local time of one is outside the years 1 to 9999.

    Databases write 0001-01-01 for "no date", which is in the year before in a zone west of
    Greenwich. pandas 2 crashes when such a moment becomes an object, as in ``list`` or ``repr``,
    and pandas 3 cannot write it as text. Nothing here may make an object of a value.
    """
    if not isinstance(series.dtype, pd.DatetimeTZDtype) or series.dtype.unit == "ns":
        return series  # nanoseconds reach from the year 1677 to 2262
    local = series.dt.tz_localize(None).to_numpy()
    outside = (local < _FIRST_MOMENT) | (local > _LAST_MOMENT)  # False where a value is missing
    return series.dt.tz_convert("UTC") if outside.any() else series


def stacked_frames(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of frames with the same columns, numbered from 0.

    Moments with a time zone are joined column by column: ``pd.concat`` of pandas 2 makes an object
    of the first one of a frame, see `printable`.
    """
    if not any(isinstance(dtype, pd.DatetimeTZDtype) for dtype in frames[0].dtypes):
        return pd.concat(frames, ignore_index=True)
    columns = [
        pd.concat([frame.iloc[:, position] for frame in frames], ignore_index=True)
        for position in range(frames[0].shape[1])
    ]
    return pd.concat(columns, axis=1).set_axis(frames[0].columns, axis=1)


#: Two days within the least and the greatest ``datetime.datetime``: pandas 2 crashes on the first
#: local day, too.
_FIRST_MOMENT = np.datetime64("0001-01-03", "us")
_LAST_MOMENT = np.datetime64("9999-12-30", "us")


def _nullable_integers(numbers: NDArray[Any], missing: NDArray[np.bool_]) -> pd.Series[Any]:
    """A Series of a nullable integer dtype."""
    return pd.Series(pd.arrays.IntegerArray(numbers.copy(), missing.copy()))


def _native_order(series: pd.Series[Any]) -> pd.Series[Any]:
    """The same values in native byte order, which pandas requires."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        return series.astype(dtype.newbyteorder("="))
    return series


def _in_machine_order(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Convert numbers of an object column to the narrowest dtype that holds them all."""
    missing = values.isna().to_numpy(dtype=bool)
    present = pd.Series(values.to_numpy()[~missing])
    numbers = pd.to_numeric(present)
    # decimals and integers beyond 64 bits stay objects; for floats, pandas decides between integers
    # and floats by the first values
    if numbers.dtype == object or any(isinstance(v, float | np.floating) for v in present):
        numbers = numbers.astype(float)
    raw = numbers.to_numpy()
    if not missing.any():
        return pd.Series(raw, index=values.index)
    dtype = raw.dtype if raw.dtype.kind in "iu" else np.dtype(float)
    every = np.full(len(values), 0 if dtype.kind in "iu" else np.nan, dtype=dtype)
    every[~missing] = raw
    return _nullable_integers(every, missing) if dtype.kind in "iu" else pd.Series(every)


def as_moments(values: pd.Series[Any]) -> pd.Series[Any]:
    """Convert dates and moments of an object column to pandas' dtype; others stay as they are.

    Moments with different UTC offsets, as databases return across a clock change, become UTC.
    """
    if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
        return values
    try:
        return pd.to_datetime(values)
    except ValueError:
        if not all(getattr(value, "tzinfo", None) is not None for value in values.dropna()):
            raise
        return pd.to_datetime(values, utc=True)


def number_storage(values: pd.Series[Any], numbers: pd.Series[Any]) -> Storage:
    """Whether ``numbers`` equal the objects that they were converted from.

    Parameters
    ----------
    values : Series of object
        Numbers as Python objects.
    numbers : Series
        The result of `as_numbers`.
    """
    if numbers.dtype.kind != "f":
        return "native"
    decimals = False
    for value in pd.unique(values.dropna()):
        if isinstance(value, Decimal):
            decimals = True
            if value.is_finite() and Decimal(repr(float(value))) != value:
                return "rounded"
        elif isinstance(value, int) and int(float(value)) != value:
            return "rounded"
    return "decimals" if decimals else "native"


def n_distinct(values: pd.Series[Any]) -> tuple[int, int]:
    """Number of distinct numbers in a column, and of distinct floats that they become."""
    distinct = pd.unique(values.dropna())
    return len(distinct), len({float(value) for value in distinct})


def as_objects(values: pd.Series[Any]) -> NDArray[Any]:
    """The values as Python objects, None where one is missing."""
    objects: NDArray[Any] = values.astype(object).to_numpy(copy=True)
    objects[values.isna().to_numpy(dtype=bool)] = None
    return objects


def factorized(values: pd.Series[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Positions in the list of distinct values, -1 where missing; and that list.

    Equal values of different types (``1`` and ``True``) are one value, of the type that comes
    first: int, float, bool. The list therefore does not depend on the order of rows.
    """
    if isinstance(values.dtype, pd.StringDtype):
        codes, distinct = pd.factorize(values.array, use_na_sentinel=True)
        return codes, distinct.astype(object).tolist()
    objects = as_objects(values)
    codes, distinct = pd.factorize(objects, use_na_sentinel=True)
    listed = list(distinct)
    if values.dtype == object and {type(value) for value in listed} & _RANK.keys():
        preferred = _preferred(objects)
        listed = [preferred.get(value, value) for value in listed]
    return codes, listed


#: Types whose values can be equal to each other, in the order of preference.
_RANK: dict[type[Any], int] = {int: 0, float: 1, bool: 2}


def _preferred(objects: NDArray[Any]) -> dict[Any, Any]:
    """For each number the equal one whose type comes first in ``_RANK``."""
    preferred: dict[Any, Any] = {}
    for value in objects:
        if isinstance(value, bool | int | float):
            known = preferred.setdefault(value, value)
            if _RANK.get(type(value), 3) < _RANK.get(type(known), 3):
                preferred[value] = value
    return preferred
