"""Columns of pandas, polars, pyarrow and NumPy tables as pandas Series of NumPy's kinds.

Every other module reads columns through here, so that one column is the same numbers, moments,
durations, booleans or objects whichever library keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: How a column keeps its values, where a language cannot ask about it as about others.
#: "objects": dates, moments or durations that a pandas query cannot compare with text.
#: "decimals": Python's or Arrow's decimals, which pandas compares with floats digit by digit.
#: "rounded": numbers of more digits than the floats that they are compared as.
#: "mixed": text beside numbers, booleans or other types.
#: "nan": floats of Arrow or polars with NaN that is not null, which a database takes for a number.
Storage = Literal["native", "objects", "decimals", "rounded", "mixed", "nan"]


@dataclass(frozen=True, eq=False)
class NativeColumn:
    """A column's values as a Series, and how the user's table keeps them."""

    series: pd.Series[Any]
    storage: Storage = "native"


def pandas_column(frame: pd.DataFrame, position: int) -> NativeColumn:
    """A column of a pandas table."""
    series = frame.iloc[:, position]
    if not isinstance(series.dtype, pd.ArrowDtype):
        return NativeColumn(_native_order(series))
    import pyarrow as pa

    return _arrow_column(pa.chunked_array([pa.array(series)]))


def array_column(values: NDArray[Any], position: int) -> NativeColumn:
    """A column of an array; what a masked array hides is missing."""
    return NativeColumn(_native_order(pd.Series(unmasked(values[:, position]))))


def unmasked(values: NDArray[Any]) -> Any:
    """The values of an array, missing where a masked array hides them."""
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
    """A column of a polars or pyarrow table, or of whatever else narwhals reads."""
    import narwhals as nw

    series = frame[frame.columns[position]]
    if frame.implementation.is_pyarrow():
        return _arrow_column(series.to_native())
    dtype = series.dtype
    if isinstance(dtype, nw.Enum):  # its categories have an order
        order = [str(category) for category in dtype.categories]
        return NativeColumn(
            pd.Series(pd.Categorical(series.to_list(), categories=order, ordered=True))
        )
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        zoned = pd.Series(moments).dt.tz_localize("UTC").dt.tz_convert(dtype.time_zone)
        return NativeColumn(zoned)
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
    """A table of which rows can be taken: pyarrow has no way to do that with views of text."""
    if not (type(frame).__module__.startswith("pyarrow") and hasattr(frame, "schema")):
        return frame
    import pyarrow as pa

    for at, field in enumerate(frame.schema):
        if pa.types.is_string_view(field.type) or pa.types.is_binary_view(field.type):
            plain = pa.string() if pa.types.is_string_view(field.type) else pa.binary()
            values = pa.array(frame.column(at).to_pylist(), plain)
            frame = frame.set_column(at, pa.field(field.name, plain), values)
    return frame


def _arrow_column(values: Any) -> NativeColumn:
    """A chunked array of Arrow's, which tells NaN and missing apart, as we do not."""
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
        return NativeColumn(values.to_pandas())
    if pa.types.is_duration(kind):
        return NativeColumn(values.to_pandas(), "objects")
    if pa.types.is_date(kind):
        return NativeColumn(values.to_pandas(date_as_object=False), "objects")
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return NativeColumn(values.to_pandas())
    return NativeColumn(pd.Series(values.to_pylist(), dtype=object))


def _nullable_integers(numbers: NDArray[Any], missing: NDArray[np.bool_]) -> pd.Series[Any]:
    """Whole numbers that stay whole although some are missing."""
    return pd.Series(pd.arrays.IntegerArray(numbers.copy(), missing.copy()))


def _native_order(series: pd.Series[Any]) -> pd.Series[Any]:
    """The same numbers in the byte order of this machine, which pandas asks for."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        return series.astype(dtype.newbyteorder("="))
    return series


def _in_machine_order(values: NDArray[Any]) -> NDArray[Any]:
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers that are kept as Python objects, in the narrowest dtype that holds them all."""
    missing = values.isna().to_numpy(dtype=bool)
    present = pd.Series(values.to_numpy()[~missing])
    numbers = pd.to_numeric(present)
    # decimals, whole numbers beyond 64 bits; and floats, which pandas takes for whole numbers or
    # not by what comes first
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
    """Dates and moments that are kept as Python objects, as pandas' own.

    Moments of several UTC offsets, as databases give them across a clock change, are told in UTC.
    """
    try:
        return pd.to_datetime(values)
    except ValueError:
        if not all(getattr(value, "tzinfo", None) is not None for value in values.dropna()):
            raise
        return pd.to_datetime(values, utc=True)


def number_storage(values: pd.Series[Any], numbers: pd.Series[Any]) -> Storage:
    """How well ``numbers`` stand for the objects that they were made from.

    Parameters
    ----------
    values : Series of object
        Python's numbers.
    numbers : Series
        What `as_numbers` made of them.
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


def as_objects(values: pd.Series[Any]) -> NDArray[Any]:
    """The values as Python objects, None where one is missing."""
    objects: NDArray[Any] = values.astype(object).to_numpy(copy=True)
    objects[values.isna().to_numpy(dtype=bool)] = None
    return objects


def factorized(values: pd.Series[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Places in the list of distinct values, -1 where one is missing; and that list.

    Equal values of several types (``1`` and ``True``) are one, of the type that sorts first:
    whole numbers before floats before booleans. So the list does not depend on the order of rows.
    """
    if isinstance(values.dtype, pd.StringDtype):
        places, distinct = pd.factorize(values.array, use_na_sentinel=True)
        return places, distinct.astype(object).tolist()
    objects = as_objects(values)
    places, distinct = pd.factorize(objects, use_na_sentinel=True)
    found = list(distinct)
    if values.dtype == object and {type(value) for value in found} & _RANK.keys():
        shown = _preferred(objects)
        found = [shown.get(value, value) for value in found]
    return places, found


#: Types of which two values can be equal although they are written otherwise, the preferred first.
_RANK: dict[type[Any], int] = {int: 0, float: 1, bool: 2}


def _preferred(objects: NDArray[Any]) -> dict[Any, Any]:
    """For each value the equal one whose type comes first in ``_RANK``, where types are mixed."""
    shown: dict[Any, Any] = {}
    for value in objects:
        if isinstance(value, bool | int | float):
            known = shown.setdefault(value, value)
            if _RANK.get(type(value), 3) < _RANK.get(type(known), 3):
                shown[value] = value
    return shown
