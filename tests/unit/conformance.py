"""Does a JSON value have the type that the schema says? Every departure is named with its place."""

from __future__ import annotations

import json
import math
import types
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from typing import (
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from imd_widget._base.plain import Absent, json_fields, json_names, to_json
from imd_widget.views.schema import Columns


def departures(value: Any, hint: Any) -> list[str]:
    """What of a value, written as JSON and read again, is not what the type says."""
    name = getattr(hint, "__name__", str(hint))
    return list(_departures(json.loads(json.dumps(to_json(value))), hint, name))


def _departures(value: Any, hint: Any, at: str) -> Iterator[str]:
    origin, args = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        yield from _record(value, hint, at)
    elif origin is Columns:
        yield from _columns(value, args[0], at)
    elif origin in (Union, types.UnionType):
        others = [one for one in args if one not in (type(None), Absent)]
        if value is not None or type(None) not in args:
            found = [list(_departures(value, other, at)) for other in others]
            yield from min(found, key=len)
    elif origin is list or (origin is tuple and args[-1] is Ellipsis):
        yield from _items(value, [args[0]] * len(value) if isinstance(value, list) else [], at)
    elif origin is tuple:
        yield from _items(value, list(args), at)
    elif origin is Mapping:
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
    hints, names = get_type_hints(hint), json_names(hint)
    for name in names:
        if name in value:
            yield from _departures(value[name], hints[name], f"{at}.{name}")
        elif Absent not in get_args(hints[name]):
            yield f"{at}: no field {name}"
    yield from (f"{at}: unknown field {name}" for name in value if name not in names)


def _columns(value: Any, record: Any, at: str) -> Iterator[str]:
    shape = list(_record(value, Columns, at))
    yield from shape
    if shape:
        return
    count, fields = value["count"], value["fields"]
    hints = get_type_hints(record)
    names = [own.name for own in json_fields(record) if own.metadata.get("packed", True)]
    for name, hint in ((name, hints[name]) for name in names) if count else ():
        if name not in fields:
            yield f"{at}: no field {name}"
        elif fields[name] is None:
            yield from _departures(None, hint, f"{at}.{name}")
        else:
            yield from _items(fields[name], [hint] * count, f"{at}.{name}")
    yield from (f"{at}: unknown field {name}" for name in fields if name not in names)


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
