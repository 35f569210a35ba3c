"""Values of a column as NumPy arrays that can be compared exactly with thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.native import as_moments, as_numbers, factorized

#: Positions in the list of distinct values, -1 where missing; and that list.
Distinct = tuple[NDArray[np.intp], list[Any]]


def is_numeric(values: pd.Series[Any]) -> bool:
    """Whether the dtype of a column is numeric; objects may still be numbers."""
    return getattr(values.dtype, "kind", "O") in "iuf"


def distinct_values(values: pd.Series[Any]) -> Distinct:
    """Positions in the list of distinct values, -1 where missing; and that list."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        codes = values.cat.codes.to_numpy().astype(np.intp)
        return codes, values.cat.categories.astype(object).tolist()
    if values.dtype == bool:
        return values.to_numpy().astype(np.intp), [False, True]
    if is_numeric(values):
        raw, missing = raw_values(values, np.dtype(float))
        distinct, codes = np.unique(raw, return_inverse=True)
        if missing is not None:
            codes[missing] = -1
        return codes, [_plain_number(value) for value in distinct.tolist()]
    return factorized(values)


def _plain_number(value: Any) -> Any:
    """Convert a whole float to int."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def raw_values(
    values: pd.Series[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Numbers or moments as a NumPy array, and the mask of missing values, None if there are none.

    Parameters
    ----------
    values : Series
    dtype : dtype
        ``datetime64[us]`` for moments, ``timedelta64[us]`` for durations. Numbers keep their
        own dtype.
    """
    if dtype.kind in "mM":
        raw = _moments(values, dtype) if dtype.kind == "M" else _durations(values, dtype)
        missing = np.isnat(raw)
        return raw, missing if missing.any() else None
    if values.dtype == object:
        values = as_numbers(values)
    if isinstance(values.dtype, np.dtype):
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
    """Numbers of an extension dtype as a NumPy array; integers stay integers."""
    extension: Any = values.dtype
    missing = values.isna().to_numpy(dtype=bool)
    if not missing.any():
        return values.to_numpy(), None
    dtype = np.dtype(getattr(extension, "numpy_dtype", getattr(extension, "subtype", float)))
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
        Thresholds above the maximum of the dtype are omitted.
    """
    bound_dtype, dtype = thresholds.dtype, raw.dtype
    if bound_dtype.kind in "iu" and dtype.kind == "f":
        return raw, np.array([_float_from(t) for t in thresholds.tolist()], dtype=float)
    if bound_dtype.kind == "f" and dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        least = [math.ceil(t) if math.isfinite(t) else t for t in thresholds.tolist()]
        reached = [max(t, limits.min) for t in least if t <= limits.max]
        return raw, np.array([int(t) for t in reached], dtype=dtype)
    if bound_dtype == np.int64 and dtype == np.uint64:
        return np.minimum(raw, np.uint64(np.iinfo(np.int64).max)).astype(np.int64), thresholds
    if bound_dtype == np.uint64 and dtype == np.int64:
        return np.maximum(raw, 0).astype(np.uint64), thresholds
    return raw, thresholds


def _float_from(threshold: int) -> float:
    """The smallest float that is ``>= threshold``."""
    nearest = float(threshold)
    return nearest if int(nearest) >= threshold else math.nextafter(nearest, math.inf)
