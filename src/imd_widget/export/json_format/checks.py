"""Validation of JSON values against the types of dataclass fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: A JSON object.
Plain = Mapping[str, Any]

#: Maximal length of a value in an error message.
LONGEST = 60
#: Maximal length of the text of a moment, a period or a dtype.
LONGEST_VALUE = 64


def shown(value: Any) -> str:
    """A value for an error message, cut to ``LONGEST``."""
    return cut(repr(value), LONGEST)


def cut(text: str, longest: int) -> str:
    """The first ``longest`` characters of a text."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def made(kind: type[T], plain: Plain, **known: Any) -> T:
    """Create a dataclass from a JSON object; lists become tuples, unknown keys are ignored.

    Fields in ``known`` are taken from there, and not validated. A ValueError is raised if a value
    does not have the type of its field.
    """
    values = dict(known)
    hashable: Any = kind  # mypy considers type[T] not hashable
    for name, hint in hints(hashable).items():
        if name in known:
            continue
        if name not in plain and name in _with_default(hashable):
            continue
        value = _tupled(plain[name])
        if not fits(value, hint):
            raise ValueError(f"{name} is {shown(plain[name])}")
        values[name] = value
    return kind(**values)


def fits(value: Any, hint: Any) -> bool:
    """Whether a JSON value has a type; floats must be finite, ints ``>= 0``."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if parts[-1] is Ellipsis:
            return all(fits(item, parts[0]) for item in value)
        return len(value) == len(parts) and all(map(fits, value, parts))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
    if hint in (None, NoneType):
        return value is None
    return isinstance(value, hint)


def listed(plain: Plain, name: str) -> list[Any]:
    """Return a field; raise a ValueError unless it is a list."""
    value = plain[name]
    if not isinstance(value, list):
        raise ValueError(f"{name} is {shown(value)}")
    return value


def short(value: Any, what: str) -> str:
    """Return a text; raise a ValueError if it is too long, as parsing may then be slow."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {shown(value)}")
    if len(value) > LONGEST_VALUE:
        raise ValueError(f"{what} has {len(value):,} letters, and none has over {LONGEST_VALUE}")
    return value


def whole(value: Any, what: str, least: int, below: int) -> int:
    """Return an integer; raise a ValueError unless ``least <= value < below``."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < below:
        raise ValueError(f"{what} is {shown(value)}")
    return value


@cache
def hints(kind: type[Any]) -> Mapping[str, Any]:
    """The types of a dataclass's fields, by name."""
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in fields(kind)}


@cache
def _with_default(kind: type[Any]) -> frozenset[str]:
    """Names of the fields that have a default."""
    return frozenset(field.name for field in fields(kind) if field.default is not MISSING)


def _finite(value: float) -> bool:
    return abs(value) < 1 << 1000 if isinstance(value, int) else math.isfinite(value)


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
