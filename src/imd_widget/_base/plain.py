"""Records as plain JSON values: `to_json` writes a dataclass, `from_json` checks and reads one.

What crosses a border (a file, a page, the widget's front-end) is a frozen dataclass, declared once.
`tools/generate_schema.py` writes the types of the front-end from the same fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import chain, repeat
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: An object of a file.
Plain = Mapping[str, Any]

#: Letters of a value that an error shows.
LONGEST = 60
#: Letters of a moment, a period or a dtype.
LONGEST_VALUE = 64

#: Metadata of a field that is not written as JSON; so are fields whose names begin with "_".
PYTHON_ONLY: Final = {"in_json": False}


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = 0


#: Types that JSON has itself.
_PLAIN: Final = frozenset({str, int, float, bool, NoneType})

#: Value of a field that the JSON object does not have, which is not the same as null.
ABSENT: Final = Absent.ABSENT


def to_json(value: Any) -> Any:
    """Return a record as plain values: dataclasses become dicts, tuples and arrays lists."""
    if isinstance(value, tuple | list):  # most items of long lists need no call
        return [item if type(item) in _PLAIN else to_json(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: to_json(item) for name, item in value.items()}
    if is_dataclass(value):
        pairs = ((name, getattr(value, name)) for name in json_names(type(value)))
        return {name: to_json(item) for name, item in pairs if item is not ABSENT}
    return value.tolist()


def json_names(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a dataclass that `to_json` writes."""
    of: Any = kind  # mypy takes a type for something that has no hash
    return _json_names(of)


@cache
def _json_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(own.name for own in json_fields(kind))


def json_fields(kind: type[Any]) -> Iterator[Field[Any]]:
    """The fields of a dataclass that `to_json` writes."""
    for own in fields(kind):
        if own.metadata.get("in_json", True) and not own.name.startswith("_"):
            yield own


def from_json(kind: type[T], plain: Plain, **known: Any) -> T:
    """Make a dataclass from plain values; lists become tuples, and objects the records they are.

    Unknown names are ignored. Files of earlier releases lack the fields that were added later,
    which have a default. Fields in ``known`` are not looked up.
    """
    of: Any = kind
    if not isinstance(plain, Mapping):
        raise ValueError(f"{kind.__name__} is {shown(plain)}")
    values = values_of(of, {**plain, **known})
    for name, hint in hints(of).items():
        if name in known or name not in plain:
            continue
        values[name] = _converted(plain[name], hint)
        if not matches_type(values[name], hint):
            raise ValueError(f"{name} is {shown(plain[name])}")
    return kind(**values)


def record_from(kind: type[T], source: Any, **known: Any) -> T:
    """Make a dataclass from the attributes of another object; arrays become tuples.

    Fields in ``known`` are not looked up.
    """
    of: Any = kind
    found = {name: getattr(source, name) for name in hints(of) if name not in known}
    return kind(**{name: _frozen(value) for name, value in found.items()}, **known)


def values_of(kind: type[Any], plain: Plain) -> dict[str, Any]:
    """Return the value of each field of a dataclass, unchecked: from ``plain``, or its default.

    A field that is missing and has no default raises KeyError.
    """
    of: Any = kind
    values = _defaults(kind) | {name: plain[name] for name in hints(of) if name in plain}
    return {name: values[name] for name in hints(of)}


def matches_type(value: Any, hint: Any) -> bool:
    """Whether a plain value is of a type. Floats must be finite, integers not negative."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(matches_type(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if parts[-1] is Ellipsis:
            return all(matches_type(one, parts[0]) for one in value)
        return len(value) == len(parts) and all(map(matches_type, value, parts))
    if origin is Mapping:
        if not isinstance(value, Mapping):
            return False
        return all(
            matches_type(own, part)
            for pair in value.items()
            for own, part in zip(pair, parts, strict=True)
        )
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
    if hint in (None, NoneType):
        return value is None
    return hint is Any or isinstance(value, hint)


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


def _converted(value: Any, hint: Any) -> Any:
    """Lists as tuples, and objects as records if the type has one for them."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if isinstance(value, list):
        items = next((get_args(own) for own in options if get_origin(own) is tuple), ())
        each = repeat(items[0]) if items[-1:] == (Ellipsis,) else chain(items, repeat(Any))
        return tuple(map(_converted, value, each))
    record: Any = next((own for own in options if is_dataclass(own)), None)
    if record is None or not isinstance(value, Mapping):
        return value
    return from_json(record, value)


def _frozen(value: Any) -> Any:
    """Arrays and lists as tuples."""
    if type(value) in _PLAIN or isinstance(value, tuple):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def shown(value: Any) -> str:
    """The repr of a value for an error, truncated to `LONGEST` characters."""
    return cut(repr(value), LONGEST)


def cut(text: str, longest: int) -> str:
    """A text, truncated to ``longest`` characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"
