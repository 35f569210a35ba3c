"""The kind of a column, inferred from its dtype and, for objects, from its values."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd

#: "order": an ordered categorical. "empty": objects that are all missing.
ColumnKind = Literal[
    "number", "flag", "moment", "duration", "order", "category", "complex", "empty"
]

#: Kinds of columns whose values can be read as floats.
FLOAT_KINDS: tuple[ColumnKind, ...] = ("number", "flag", "moment", "duration")

_BY_DTYPE: dict[str, ColumnKind] = {
    **dict.fromkeys("iuf", "number"),
    "b": "flag",
    "c": "complex",
    "m": "duration",
    "M": "moment",
}
_BY_VALUES: dict[str, ColumnKind] = {
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "number"),
    **dict.fromkeys(("datetime64", "datetime", "date"), "moment"),
    **dict.fromkeys(("timedelta64", "timedelta"), "duration"),
    "boolean": "flag",
    "complex": "complex",
}


def column_kind(values: pd.Series[Any]) -> ColumnKind:
    """The kind of a column; text and values of any other type are categories."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return "order" if values.dtype.ordered else "category"
    by_dtype = _BY_DTYPE.get(getattr(values.dtype, "kind", "O"))
    if by_dtype is not None:
        return by_dtype
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    if inferred == "empty" and values.dtype == object:
        return "empty"
    return _BY_VALUES.get(inferred, "category")
