"""Checks that a plain value of a JSON file has the type that a dataclass declares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: An object of a file.
Plain = Mapping[str, Any]

#: Letters of a value that an error shows.
LONGEST = 60
#: Letters of a moment, a period or a dtype.
LONGEST_VALUE = 64


def shown(value: Any) -> str:
    """The repr of a value for an error, truncated to `LONGEST` characters."""
    return cut(repr(value), LONGEST)


def cut(text: str, longest: int) -> str:
    """A text, truncated to ``longest`` characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def made(kind: type[T], plain: Plain, **known: Any) -> T:
    """Make a dataclass from plain values; unknown names are ignored, lists become tuples.

    Fields in ``known`` are not looked up.
    """
    of: Any = kind  # mypy takes a type for something that has no hash
    values = values_of(of, {**plain, **known})
    for name, hint in hints(of).items():
        if name in known or name not in plain:
            continue
        values[name] = _tupled(plain[name])
        if not fits(values[name], hint):
            raise ValueError(f"{name} is {shown(plain[name])}")
    return kind(**values)


def values_of(kind: type[Any], plain: Plain) -> dict[str, Any]:
    """Return the value of each field of a dataclass, unchecked: from ``plain``, or its default.

    Files of earlier releases lack the fields that were added later, which have a default. A field
    that is missing and has none raises KeyError.
    """
    of: Any = kind  # mypy takes a type for something that has no hash
    values = _defaults(kind) | {name: plain[name] for name in hints(of) if name in plain}
    return {name: values[name] for name in hints(of)}


def fits(value: Any, hint: Any) -> bool:
    """Whether a plain value is of a type. Floats must be finite, integers not negative."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if parts[-1] is Ellipsis:
            return all(fits(one, parts[0]) for one in value)
        return len(value) == len(parts) and all(map(fits, value, parts))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
    if hint in (None, NoneType):
        return value is None
    return isinstance(value, hint)


def listed(plain: Plain, name: str) -> list[Any]:
    """A field that must be a list."""
    value = plain[name]
    if not isinstance(value, list):
        raise ValueError(f"{name} is {shown(value)}")
    return value


def short(value: Any, what: str) -> str:
    """A text of at most `LONGEST_VALUE` characters: longer dates and dtypes are slow to parse."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {shown(value)}")
    if len(value) > LONGEST_VALUE:
        raise ValueError(f"{what} has {len(value):,} letters, and none has over {LONGEST_VALUE}")
    return value


def whole(value: Any, what: str, least: int, below: int) -> int:
    """An integer with ``least <= value < below``."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < below:
        raise ValueError(f"{what} is {shown(value)}")
    return value


@cache
def hints(kind: type[Any]) -> Mapping[str, Any]:
    """The types of a dataclass's fields, by name."""
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in fields(kind)}


def _defaults(kind: type[Any]) -> dict[str, Any]:
    """The defaults of the fields that have one."""
    made = {f.name: f.default_factory() for f in fields(kind) if f.default_factory is not MISSING}
    return made | {f.name: f.default for f in fields(kind) if f.default is not MISSING}


def _finite(value: float) -> bool:
    return abs(value) < 1 << 1000 if isinstance(value, int) else math.isfinite(value)


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
