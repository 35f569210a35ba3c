"""Does a JSON value have the type that the schema says? Every departure is named with its place."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterator
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from imd_widget.views.schema import Columns, Length


def departures(value: Any, hint: Any) -> list[str]:
    """What of a value, written as JSON and read again, is not what the type says."""
    name = getattr(hint, "__name__", str(hint))
    return list(_departures(json.loads(json.dumps(value)), hint, name))


def _departures(value: Any, hint: Any, at: str) -> Iterator[str]:
    origin, args = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        yield from _record(value, hint, at)
    elif origin is Columns:
        yield from _columns(value, args[0], at)
    elif origin in (Union, types.UnionType):
        others = [one for one in args if one is not type(None)]
        if value is not None or len(others) == len(args):
            found = [list(_departures(value, other, at)) for other in others]
            yield from min(found, key=len)
    elif origin is Annotated:
        [length] = (note.items for note in args[1:] if isinstance(note, Length))
        yield from _departures(value, args[0], at)
        if isinstance(value, list) and len(value) != length:
            yield f"{at}: {len(value)} items, not {length}"
    elif origin is list:
        yield from _items(value, [args[0]] * len(value) if isinstance(value, list) else [], at)
    elif origin is tuple:
        yield from _items(value, list(args), at)
    elif origin is dict:
        yield from _mapping(value, args, at)
    elif not _is(value, hint):
        yield f"{at}: {value!r} is not {hint}"


def _is(value: Any, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return any(value == one and type(value) is type(one) for one in get_args(hint))
    if hint is float:  # JSON has one kind of number, and knows neither NaN nor infinity
        return type(value) in (int, float) and math.isfinite(value)
    return hint is Any or type(value) is hint


def _record(value: Any, hint: Any, at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {value!r} is not {hint.__name__}"
        return
    hints = get_type_hints(hint, include_extras=True)
    for name, field in hints.items():
        optional = get_origin(field) is NotRequired
        if name in value:
            inner = get_args(field)[0] if optional else field
            yield from _departures(value[name], inner, f"{at}.{name}")
        elif not optional and hint.__total__:
            yield f"{at}: no field {name}"
    yield from (f"{at}: unknown field {name}" for name in value if name not in hints)


def _columns(value: Any, record: Any, at: str) -> Iterator[str]:
    shape = list(_record(value, Columns, at))
    yield from shape
    if shape:
        return
    count, fields = value["count"], value["fields"]
    hints = get_type_hints(record, include_extras=True)
    for name, hint in hints.items() if count else ():
        if name not in fields:
            yield f"{at}: no field {name}"
        elif fields[name] is None:
            yield from _departures(None, hint, f"{at}.{name}")
        else:
            yield from _items(fields[name], [hint] * count, f"{at}.{name}")
    yield from (f"{at}: unknown field {name}" for name in fields if name not in hints)


def _items(value: Any, hints: list[Any], at: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{at}: {value!r} is not a list"
        return
    if len(value) != len(hints):
        yield f"{at}: {len(value)} items, not {len(hints)}"
    for i, (item, hint) in enumerate(zip(value, hints, strict=False)):
        yield from _departures(item, hint, f"{at}[{i}]")


def _mapping(value: Any, args: tuple[Any, ...], at: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {value!r} is not an object"
        return
    for key, item in value.items():
        yield from _departures(key, args[0], f"{at} key")
        yield from _departures(item, args[1], f"{at}[{key!r}]")
