"""A reader of conditions as rules say them, which knows nothing of how they are made."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tests.fuzz.tables import Column

Holds = Callable[[Any], bool]


def shown(value: Any) -> str:
    """A category as a rule shows it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def rows_inside(text: str, name: str, column: Column, values: Sequence[Any]) -> list[list[bool]]:
    """For each way to read a condition: which values it holds for (None is a missing one).

    There is one way, unless a category reads like a part of a rule.
    """
    readings: list[list[bool]] = []
    for holds, missing in _readings(text, name, column):
        inside = [missing if v is None else holds(column.kind.key(v)) for v in values]
        if inside not in readings:
            readings.append(inside)
    return readings


DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = [dt.date(2000, month, 1).strftime("%B") for month in range(1, 13)]
#: How a condition on a part of dates begins, its values in order, and the part of each row.
PARTS: dict[str, tuple[list[str], Callable[[pd.Timestamp], int]]] = {
    "hour is ": ([str(hour) for hour in range(24)], lambda moment: moment.hour),
    "is on a ": (DAYS, lambda moment: moment.weekday()),
    "is in ": (MONTHS, lambda moment: moment.month - 1),
    "day of the month is ": ([str(day + 1) for day in range(31)], lambda moment: moment.day - 1),
    "is ": (DAYS, lambda moment: moment.weekday()),
}


def dates_inside(text: str, name: str, values: pd.Series[Any], zone: str | None) -> NDArray[Any]:
    """Which dates a condition on a part of dates holds for, one by one."""
    rest = text.removeprefix(f"{name} ")
    if rest in ("is missing", "is not missing"):
        return np.asarray(values.isna() == (rest == "is missing"))
    missing = rest.endswith(" or missing")
    rest = rest.removesuffix(" or missing").replace("is on a weekend", "is Saturday to Sunday")
    start = next(start for start in PARTS if rest.startswith(start))
    order, part = PARTS[start]
    first, _, last = rest.removeprefix(start).partition(" to ")
    low, high = order.index(first), order.index(last or first)
    inside = {(low + step) % len(order) for step in range((high - low) % len(order) + 1)}

    def holds(value: Any) -> bool:
        if pd.isna(value):
            return missing
        moment = pd.Timestamp(value)
        return part(moment if zone is None else moment.tz_convert(zone)) in inside

    return np.array([holds(value) for value in values], dtype=bool)


def scores_inside(text: str, name: str, scores: Sequence[int]) -> NDArray[Any]:
    """Which whole numbers a condition on a score holds for."""
    rest = text.removeprefix(f"{name} ")
    number = r"(-?\d+)"
    ways: dict[str, Callable[..., bool]] = {
        f"< {number}": lambda v, high: v < high,
        f">= {number}": lambda v, low: v >= low,
        f"is {number}": lambda v, one: v == one,
        f"is {number} to {number}": lambda v, low, high: low <= v <= high,
    }
    for pattern, holds in ways.items():
        found = re.fullmatch(pattern, rest)
        if found is not None:
            bounds = [
                int(bound.replace(",", "").replace("\u2212", "-")) for bound in found.groups()
            ]
            return np.array([holds(value, *bounds) for value in scores], dtype=bool)
    raise AssertionError(f"{text!r} cannot be read")


def texts_inside(text: str, name: str, values: Sequence[Any]) -> NDArray[Any]:
    """Which texts a condition on their words, length or signs holds for, one by one."""
    rest = text.removeprefix(f"{name} ")
    if rest in ("is missing", "is not missing"):
        return np.array([pd.isna(value) == (rest == "is missing") for value in values], dtype=bool)
    missing = rest.startswith("is missing or ")
    holds = _of_text(rest.removeprefix("is missing or "))
    return np.array([missing if pd.isna(one) else holds(one) for one in values], dtype=bool)


def _of_text(rest: str) -> Holds:
    word = re.fullmatch("(contains|does not contain) '(.+)'", rest)
    if word:
        wanted = word[2].split(" ")
        return lambda value: _has_words(value, wanted) == (word[1] == "contains")
    length = re.fullmatch(
        r"has (fewer than )?(\d+)( or more)?(?: to (\d+))? (word|character)s?", rest
    )
    if length:
        number, last = int(length[2]), int(length[4] or length[2])
        low, high = (0, number - 1) if length[1] else (number, np.inf if length[3] else last)
        count = len if length[5] == "character" else lambda value: len(naive_words(value))
        return lambda value: low <= count(value) <= high
    start = next(start for start in ("has no ", "has a ", "has ") if rest.startswith(start))
    sign = next(sign for sign in SIGNS if rest.removeprefix(start) == sign)
    return lambda value: SIGNS[sign](value) == (start != "has no ")


def _has_words(value: str, wanted: list[str]) -> bool:
    if re.fullmatch("[\u4e00-\u9fff]+", wanted[0]):  # of a script without spaces
        return wanted[0] in value
    own = naive_words(unicodedata.normalize("NFC", value).casefold())
    return any(own[at : at + len(wanted)] == wanted for at in range(len(own)))


def naive_words(text: str) -> list[str]:
    """Runs of letters, digits, marks and underscores."""
    inside = [one == "_" or unicodedata.category(one)[0] in "LNM" for one in text]
    return "".join(one if own else " " for one, own in zip(text, inside, strict=True)).split()


#: What the signs that `kinds.free_texts` may have mean.
SIGNS: dict[str, Callable[[str], bool]] = {
    "question mark": lambda value: "?" in value,
    "digit": lambda value: any("0" <= one <= "9" for one in value),
    "link": lambda value: "www." in value,
    "list": lambda value: any(line.startswith("- ") for line in value.split("\n")),
    "code": lambda value: "`" in value,
    "line break": lambda value: "\n" in value,
    "capitals": lambda value: any(
        three.isupper() for three in re.findall(r"(?=([^\W\d_]{3}))", value)
    ),
    "Latin letters": lambda value: any(_is_of(one, "LATIN") for one in value),
    "Cyrillic letters": lambda value: any(_is_of(one, "CYRILLIC") for one in value),
    "Devanagari letters": lambda value: any(_is_of(one, "DEVANAGARI LETTER") for one in value),
    "Chinese characters": lambda value: any(_is_of(one, "CJK UNIFIED") for one in value),
}


def _is_of(letter: str, script: str) -> bool:
    return unicodedata.name(letter, "").startswith(script)


def _readings(text: str, name: str, column: Column) -> Iterator[tuple[Holds, bool]]:
    """What may be meant: which values are inside, and whether missing ones are."""
    if text == f"{name} is missing":
        yield (lambda value: False), True
    if text == f"{name} is not missing":
        yield (lambda value: True), False
    parts = [(text, False)]
    if text.endswith(" or missing"):
        parts.append((text.removesuffix(" or missing"), True))
    for negation in ("not ", "none of "):
        start = f"{name} is missing or {negation}"
        if text.startswith(start):
            parts.append((f"{name} is {negation}{text.removeprefix(start)}", True))
    for part, missing in parts:
        read = _of_categories if _has_categories(column) else _of_order
        for holds in read(part, name, column):
            yield holds, missing


def _has_categories(column: Column) -> bool:
    return not column.kind.ordered or column.kind.categories is not None


_LITERAL = r"(\S.*?\S|\S)"


def _of_order(text: str, name: str, column: Column) -> Iterator[Holds]:
    """``a < 3``, ``a >= 3``, ``3 <= a < 5``, ``a is 3``, ``a is 3 to 5``, ``a is none of 0, 1``."""
    patterns: dict[str, Callable[..., bool]] = {
        f"{{}} < {_LITERAL}": lambda v, high: v < high,
        f"{{}} >= {_LITERAL}": lambda v, low: v >= low,
        f"{_LITERAL} <= {{}} < {_LITERAL}": lambda v, low, high: low <= v < high,
        f"{{}} is {_LITERAL}": lambda v, one: v == one,
        f"{{}} is not {_LITERAL}": lambda v, one: v != one,
        f"{{}} is {_LITERAL} to {_LITERAL}": lambda v, low, high: low <= v <= high,
        f"{{}} is one of {_LITERAL}, {_LITERAL}": lambda v, one, two: v in (one, two),
        f"{{}} is none of {_LITERAL}, {_LITERAL}": lambda v, one, two: v not in (one, two),
    }
    for pattern, holds in patterns.items():
        found = re.fullmatch(pattern.format(re.escape(name)), text, re.DOTALL)
        if found is None:
            continue
        try:
            bounds = [column.kind.literal(bound) for bound in found.groups()]
        except ValueError:  # such as "3 to 5" read as one number
            continue
        yield lambda value, holds=holds, bounds=bounds: holds(value, *bounds)


def _of_categories(text: str, name: str, column: Column) -> Iterator[Holds]:
    """``a is x``, ``a is not x``, ``one of x, y``, ``none of x, y``, ``x or below``, ``x to y``."""
    if not text.startswith(f"{name} is "):
        return
    rest = text.removeprefix(f"{name} is ")
    known = [value for value in dict.fromkeys(column.categories) if value is not None]
    named = [(shown(value), value) for value in known]
    for start, outside in (("one of ", False), ("none of ", True)):
        if rest.startswith(start):
            for chosen in _listed(rest.removeprefix(start), named):
                yield _is_one_of(chosen, outside)
    for start, outside in (("", False), ("not ", True)):
        for label, value in named:
            if rest == start + label:
                yield _is_one_of([value], outside)
    if not column.kind.ordered:
        return
    for at, (label, _) in enumerate(named):
        if rest == f"{label} or below":
            yield _is_one_of(known[: at + 1], outside=False)
        if rest == f"{label} or above":
            yield _is_one_of(known[at:], outside=False)
        for stop, (last, _) in enumerate(named[at:], at):
            if rest == f"{label} to {last}":
                yield _is_one_of(known[at : stop + 1], outside=False)


def _is_one_of(chosen: Sequence[Any], outside: bool) -> Holds:
    return lambda value: (value in chosen) != outside


def _listed(text: str, named: Sequence[tuple[str, Any]]) -> Iterator[list[Any]]:
    """Every way to read a list of categories."""
    for label, value in named:
        if text == label:
            yield [value]
        elif text.startswith(f"{label}, "):
            for more in _listed(text.removeprefix(f"{label}, "), named):
                yield [value, *more]
