"""Outputs and ``y`` of some rows as pandas Series, with the dtype that all rows have."""

from __future__ import annotations

from typing import Any

import pandas as pd
from numpy.typing import NDArray


def inferred(values: NDArray[Any], index: pd.Index[Any] | None = None) -> pd.Series[Any]:
    """Return values as a Series of the dtype that pandas infers for them."""
    try:
        return pd.Series(values, index=index).infer_objects()
    except UnicodeEncodeError:  # a lone surrogate, which Arrow cannot store as text
        return pd.Series(values, index=index, dtype=object)


def dtype_of(values: NDArray[Any]) -> Any:
    """Return the dtype that pandas infers for values."""
    return inferred(values).dtype


def series_of(values: NDArray[Any], dtype: Any) -> pd.Series[Any]:
    """Return some of the values that a dtype was inferred for, as a Series numbered from 0."""
    series: pd.Series[Any] = pd.Series(values, dtype=dtype)
    return series
