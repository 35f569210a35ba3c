"""Render conditions on derived columns as text, as a pandas query and as SQL on the raw table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zoneinfo import available_timezones

from imd_widget._base.errors import InputError
from imd_widget.data.date_parts import DATE_PARTS
from imd_widget.data.derivation import UNITS, Derivation
from imd_widget.data.words import (
    LETTERS,
    MARKS,
    SIGNS,
    WORD_CLASS,
    is_unspaced,
    spellings,
    word_pattern,
)

if TYPE_CHECKING:
    from imd_widget.rules.conditions import Condition, Interval

#: From the names of days and months to what rules call them.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_PARTS_OF_DAY = ("at night", "in the morning", "in the afternoon", "in the evening")
_WEEKEND = (5, 6)
#: What holds for a text if a flag is True, and if it is False.
_FLAGS = {
    **{sign: (f"has a {sign}", f"has no {sign}") for sign in SIGNS},
    **{many: (f"has {many}", f"has no {many}") for many in ("code", "capitals", *LETTERS)},
    "weekend": ("is on a weekend", "is not on a weekend"),
}
#: The verbs of conditions, as they are supposed.
_PAST = {
    "does not contain '": "did not contain '",
    "contains '": "contained '",
    "has ": "had ",
    "is ": "were ",
}
#: The fields of SQL's EXTRACT, and what is added to our number.
_SQL_PARTS = {
    "hour": ("HOUR", 0),
    "weekday": ("ISODOW", 1),
    "month": ("MONTH", 0),
    "day": ("DAY", 0),
}
#: The characters of words for a class of RE2, the regular expressions of DuckDB.
_SQL_CLASS = r"\p{L}\p{N}_" + "".join(rf"\x{{{low:04x}}}-\x{{{high:04x}}}" for low, high in MARKS)
#: More spellings of a word than this make no readable SQL.
MOST_SPELLINGS = 16


def derivation(condition: Condition) -> Derivation | None:
    """Return how the column of a condition is derived; None if it is a column of the table."""
    return condition.column if isinstance(condition.column, Derivation) else None


def on_source(condition: Condition, derived: Derivation) -> Condition:
    """Return a condition with the name and position of the raw column."""
    return replace(condition, column=derived.source, position=derived.at)


def derived_text(condition: Condition, name: str) -> str:
    """Return ``pickup hour is 22 to 5``, ``review contains 'refund'``, ``it has 80 or more words``.

    ``name`` is that of the raw column.
    """
    from imd_widget.rules.conditions import Interval, Membership

    derived = derivation(condition)
    assert derived is not None
    if isinstance(condition, Interval):
        if derived.part not in UNITS:
            text = f"{name} {_date_text(derived, condition)}"
            return f"{text} or missing" if condition.missing else text
        text = f"has {_length(condition)} {derived.part}"
        text = text.removesuffix("s") if text.startswith("has 1 ") else text
    elif isinstance(condition, Membership):
        flag = _flag(condition)
        if derived.part == "word":
            text = f"{'contains' if flag else 'does not contain'} '{derived.word}'"
        else:
            text = _FLAGS[derived.part][0 if flag else 1]
    else:
        return f"{name} is {'' if condition.missing else 'not '}missing"
    return f"{name} is missing or {text}" if condition.missing else f"{name} {text}"


def derived_value_text(derived: Derivation, value: Any) -> str | None:
    """Return ``Sunday``, ``May``, ``morning``; None for other values than such parts of dates."""
    if derived.part == "part_of_day":
        return _PARTS_OF_DAY[value].split()[-1]
    if derived.part == "weekday":
        return _DAYS[value]
    return _MONTHS[value - 1] if derived.part == "month" else None


def derived_point_text(derived: Derivation, value: Any) -> str:
    """Return a value of a derived column, or None for a missing one, as the name of a point.

    ``Sunday``, ``22``, ``contains 'refund'``, ``has no list``, ``missing``.
    """
    if value is None:
        return "missing"
    if derived.is_flag:
        return _of_value(derived, value)
    return derived_value_text(derived, value) or str(round(value))


def premise(derived: Derivation, value: Any) -> str:
    """Return what is supposed after "if": ``review did not contain 'refund'``."""
    text = _of_value(derived, value)
    for present, past in _PAST.items():
        before, found, after = text.partition(present)
        if found:
            return f"{derived.source} {before}{past}{after}"
    raise AssertionError(text)


def holds_for(condition: Any, value: Any) -> bool:
    """Whether a condition on a derived column holds for one of its values; None: missing."""
    from imd_widget.rules.conditions import Membership, Presence

    if value is None or isinstance(condition, Presence):
        return bool(condition.missing) == (value is None)
    if isinstance(condition, Membership):
        return (value in condition.values) != condition.negated
    if condition.order is not None:
        return value in condition.categories
    low, high = condition.named
    return bool((low is None or value >= low) and (high is None or value < high))


def _of_value(derived: Derivation, value: Any) -> str:
    """The condition that a derived column has one value, without the name of the raw column."""
    from imd_widget.rules.conditions import Interval, Membership, Presence

    own: Condition
    if value is None:
        own = Presence(derived, missing=True)
    elif derived.is_flag:
        own = Membership(derived, (bool(value),))
    elif derived.part in DATE_PARTS:
        order = DATE_PARTS[derived.part].order(value)
        own = Interval(derived, low=value, high=order[1], order=order)
    else:
        own = Interval(derived, low=round(value), high=round(value) + 1)
    return derived_text(own, "").strip()


def _flag(condition: Any) -> bool:
    """Whether a condition on booleans holds for True."""
    return bool((True in condition.values) != condition.negated)


def _date_text(derived: Derivation, condition: Interval) -> str:
    values = condition.categories
    if derived.part == "weekday":
        if values == _WEEKEND:
            return "is on a weekend"
        return f"is {'on a ' if len(values) == 1 else ''}{_range(values, _DAYS.__getitem__)}"
    if derived.part == "month":
        return f"is in {_range(values, lambda month: _MONTHS[month - 1])}"
    if derived.part == "part_of_day":
        return _part_of_day(values)
    what = "day of the month" if derived.part == "day" else derived.part
    return f"{what} is {_range(values, str)}"


def _part_of_day(values: Sequence[Any]) -> str:
    rest = [text for value, text in enumerate(_PARTS_OF_DAY) if value not in values]
    if len(rest) == 1:
        return f"is not {rest[0]}"
    return f"is {' or '.join(_PARTS_OF_DAY[value] for value in values)}"


def _range(values: Sequence[Any], shown: Callable[[int], str]) -> str:
    first, last = shown(values[0]), shown(values[-1])
    return first if len(values) == 1 else f"{first} to {last}"


def _length(condition: Interval) -> str:
    """Return a range of numbers: ``80 or more``, ``fewer than 80``, ``80 to 120``, ``3``."""
    if condition.low is None:
        return f"fewer than {math.ceil(condition.high)}"
    first = math.ceil(condition.low)
    if condition.high is None:
        return f"{first} or more"
    last = math.ceil(condition.high) - 1
    return str(first) if first == last else f"{first} to {last}"


def derived_query(condition: Condition, name: str) -> str:
    """Return an expression for ``DataFrame.query``; ``name`` is that of the raw column in it."""
    from imd_widget.rules.conditions import Interval, Membership

    derived = derivation(condition)
    assert derived is not None
    present, absent = f"{name}.notna()", f"{name}.isna()"
    if not isinstance(condition, Interval | Membership):
        return absent if condition.missing else present
    if not derived.of_text:
        text = _date_query(condition, derived, name)
    elif isinstance(condition, Interval):
        objects = f"{name}.astype('object')"  # other columns of texts read patterns otherwise
        number = f"{objects}.str.len()"
        if derived.part == "words":
            number = f"{objects}.str.count('[{_in_query(WORD_CLASS)}]+')"
        text = _compared(condition, number, " and ")
    else:
        flag = _flag(condition)
        missing = str(condition.missing == flag)
        return f"{'' if flag else 'not '}{_search(derived, name)}, na={missing})"
    return f"({text} or {absent})" if condition.missing else text


def _date_query(condition: Condition, derived: Derivation, name: str) -> str:
    zone = "" if derived.zone is None else f".dt.tz_convert('{derived.zone}')"
    values, part = _date_values(condition, derived)
    attribute = DATE_PARTS[part].attribute
    return f"{name}{zone}.dt.{attribute} in [{', '.join(map(str, values))}]"


def _date_values(condition: Any, derived: Derivation) -> tuple[tuple[int, ...], str]:
    """Return the values of a part of dates for which a condition holds, and which part it is.

    The part is one that pandas and SQL have.
    """
    if derived.part == "part_of_day":
        own = DATE_PARTS[derived.part].attribute_values
        return tuple(hour for value in condition.categories for hour in own(value)), "hour"
    if derived.part != "weekend":
        return condition.categories, derived.part
    return _WEEKEND if _flag(condition) else (0, 1, 2, 3, 4), "weekday"


def _search(derived: Derivation, name: str) -> str:
    """Return the beginning of a search in texts, up to its last argument."""
    texts = f"{name}.astype('object').str"
    if derived.part != "word":
        return f"{texts}.contains('{_in_query(SIGNS[derived.part])}'"
    pattern = _in_query(word_pattern(derived.word))
    return f"{texts}.normalize('NFC').str.casefold().str.contains('{pattern}'"


def _in_query(pattern: str) -> str:
    """Return a regular expression inside the quotes of a query."""
    return pattern.replace("\\", "\\\\")


def _compared(condition: Interval, number: str, joint: str) -> str:
    bounds = (("<", condition.high), (">=", condition.low))
    return joint.join(
        f"{number} {sign} {math.ceil(bound)}" for sign, bound in bounds[::-1] if bound is not None
    )


def derived_sql(condition: Condition, name: str) -> str:
    """Return a condition for SQL's WHERE; ``name`` is that of the raw column in it."""
    from imd_widget.rules.conditions import Interval, Membership

    derived = derivation(condition)
    assert derived is not None
    if not isinstance(condition, Interval | Membership):
        return f"{name} IS {'' if condition.missing else 'NOT '}NULL"
    if not derived.of_text:
        text = _date_sql(condition, derived, name)
    elif isinstance(condition, Interval):
        number = f"length({name})"
        if derived.part == "words":
            number = f"len(regexp_extract_all({name}, '[{_SQL_CLASS}]+'))"
        text = _compared(condition, number, " AND ")
    else:
        text = f"{'' if _flag(condition) else 'NOT '}{_sql_search(derived, name)}"
    return f"({text} OR {name} IS NULL)" if condition.missing else text


def _date_sql(condition: Condition, derived: Derivation, name: str) -> str:
    values, part = _date_values(condition, derived)
    field, more = _SQL_PARTS[part]
    moment = name
    if derived.zone is not None:
        if derived.zone not in available_timezones():
            raise InputError(
                f"the time zone {derived.zone!r} of column {derived.source!r} has no name in SQL: "
                "use rule.mask(X), or convert the column with .dt.tz_convert."
            )
        moment = f"{name} AT TIME ZONE '{derived.zone}'"
    listed = ", ".join(str(value + more) for value in values)
    return f"EXTRACT({field} FROM {moment}) IN ({listed})"


def _sql_search(derived: Derivation, name: str) -> str:
    if derived.part != "word":
        return f"regexp_matches({name}, '{SIGNS[derived.part]}')"
    found = [list(spellings(word)) for word in derived.word.split(" ")]
    if math.prod(map(len, found)) > MOST_SPELLINGS:
        raise InputError(
            f"the word {derived.word!r} has too many spellings for SQL, such as ß for ss: use "
            "rule.mask(X) or rule.to_query()."
        )
    words = [own[0] if len(own) == 1 else f"(?:{'|'.join(own)})" for own in found]
    pattern = f"[^{_SQL_CLASS}]+".join(words)
    if not is_unspaced(derived.word):
        pattern = f"(?:^|[^{_SQL_CLASS}]){pattern}(?:$|[^{_SQL_CLASS}])"
    return f"regexp_matches(nfc_normalize({name}), '(?i){pattern}')"
