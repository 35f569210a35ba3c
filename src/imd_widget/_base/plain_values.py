"""Lossless conversion of names, labels, categories and thresholds to JSON and back.

A value of a type that JSON lacks is an object with the type as its key:
``{"date": "2024-02-29"}``.
"""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import InputError
from imd_widget._base.plain import short, shown

#: NaN is the object that pandas uses: look-ups find NaN by identity, as it is not equal to itself.
_FLOATS = {"nan": np.nan, "inf": math.inf, "-inf": -math.inf}

#: Floats whose values change when they are converted to Python's float.
_OWN_FLOATS = (np.float16, np.float32, np.longdouble)

_READ: dict[str, Callable[[Any], Any]] = {
    "float": _FLOATS.__getitem__,
    "float16": np.float16,
    "float32": np.float32,
    "longdouble": lambda text: np.longdouble(short(text, "a longdouble")),
    "timestamp": lambda text: pd.Timestamp(short(text, "a timestamp")),
    "datetime": lambda text: datetime.datetime.fromisoformat(short(text, "a datetime")),
    "date": lambda text: datetime.date.fromisoformat(short(text, "a date")),
    "time": lambda text: datetime.time.fromisoformat(short(text, "a time")),
    "timedelta": lambda nanoseconds: pd.Timedelta(int(nanoseconds), unit="ns"),
    "python_timedelta": lambda parts: datetime.timedelta(*map(int, parts)),
    "period": lambda pair: pd.Period(
        short(pair[0], "a period"), freq=short(pair[1], "the frequency of a period")
    ),
    "interval": lambda three: pd.Interval(from_plain(three[0]), from_plain(three[1]), three[2]),
    "decimal": Decimal,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "tuple": lambda values: tuple(from_plain(value) for value in values),
}


def to_plain(value: Any, what: str) -> Any:
    """Convert a value to JSON; ``what`` names it in the error if that is not possible."""
    if isinstance(value, np.generic) and not isinstance(value, _OWN_FLOATS):
        kinds: dict[str, Callable[[Any], Any]] = {"M": pd.Timestamp, "m": pd.Timedelta}
        value = kinds.get(value.dtype.kind, lambda scalar: scalar.item())(value)
    for kind in (bool, int, str):
        if isinstance(value, kind):
            return kind(value)  # converts subclasses such as IntEnum
    if value is None or (isinstance(value, float) and math.isfinite(value)):
        return value
    tagged = _tagged(value, what)
    if tagged is None:
        raise InputError(
            f"{what} {value!r} has the type {type(value).__name__}, which cannot be written to a "
            "file. Accepted are text, numbers, booleans, dates, times, pandas intervals and tuples "
            "of these: convert it and make the diff again."
        )
    return tagged


def _tagged(value: Any, what: str) -> dict[str, Any] | None:
    """An object with the type of the value as its key; None for an unknown type."""
    if isinstance(value, np.float16 | np.float32):
        return {type(value).__name__: float(value)}
    if isinstance(value, np.longdouble):
        return {"longdouble": str(value)}
    match value:
        case float():
            return {"float": str(value)}
        case pd.Timestamp():
            return {"timestamp": value.isoformat()}
        case pd.Timedelta():
            return {"timedelta": value.as_unit("ns").value}
        case datetime.timedelta():  # its text differs from that of pd.Timedelta
            return {"python_timedelta": [value.days, value.seconds, value.microseconds]}
        case datetime.datetime() | datetime.date() | datetime.time():
            return {type(value).__name__: value.isoformat()}
        case pd.Period():
            return {"period": [str(value), value.freqstr]}
        case pd.Interval():
            ends = [to_plain(end, what) for end in (value.left, value.right)]
            return {"interval": [*ends, value.closed]}
        case Decimal():
            return {"decimal": str(value)}
        case bytes():
            return {"bytes": base64.b64encode(value).decode("ascii")}
        case tuple():
            return {"tuple": [to_plain(part, what) for part in value]}
    return None


def from_plain(plain: Any) -> Any:
    """Convert a value from JSON; the inverse of `to_plain`."""
    if isinstance(plain, list):  # no name, label or category is one
        raise ValueError(f"a value is {shown(plain)}")
    if not isinstance(plain, dict):
        return plain
    kind, content = next(iter(plain.items()), (None, None))
    if len(plain) != 1 or kind not in _READ:
        raise ValueError(f"a value has the unknown type {str(kind)[:40]!r}")
    return _READ[kind](content)


def distinct_from_plain(plain: list[Any], name: Hashable) -> tuple[Hashable, ...]:
    """Values that were written, of which no two may be equal; ``name`` is used in the error."""
    values = tuple(map(from_plain, plain))
    if len(set(values)) != len(values):
        raise ValueError(f"a category of {shown(name)} is there twice")
    return values
