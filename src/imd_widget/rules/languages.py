"""Render rules as text, as a pandas query and as SQL; no other module renders them."""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import InputError
from imd_widget._base.intervals import UNKNOWN, WIDE
from imd_widget.data.derivation import Derivation
from imd_widget.data.point_score import PointScore
from imd_widget.outputs.number_text import amount, short_numbers
from imd_widget.rules.derived_languages import (
    derivation,
    derived_query,
    derived_sql,
    derived_text,
    derived_value_text,
    on_source,
)
from imd_widget.rules.score_languages import score_query, score_sql

if TYPE_CHECKING:
    from imd_widget.data.native import Storage
    from imd_widget.outputs.correctness import Right
    from imd_widget.rules.conditions import Condition, Interval, Membership
    from imd_widget.rules.rule import Rule

# a pandas query has to evaluate to an array, not to a single True
QUERY_ALWAYS = "index == index or index != index"
QUERY_NEVER = "index != index and index == index"
SQL_ALWAYS = "TRUE"
SQL_NEVER = "FALSE"


def value_text(value: Any) -> str:
    """Return the shortest text for exactly this value: 42, not 42.0; 2021-03-01, not 00:00:00."""
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(value)
    if isinstance(value, pd.Timestamp):
        naive = value if value.tz is None else value.tz_convert("UTC").tz_localize(None)
        day = naive == naive.normalize()
        text = naive.strftime("%Y-%m-%d") if day else naive.isoformat(sep=" ")
        return text if value.tz is None else f"{text} UTC"
    return str(value)


def column_value_text(name: Hashable, value: Any) -> str:
    """Return a value of the column with this name as text; "Sunday" for 6 if it is a weekday."""
    own = derived_value_text(name, value) if isinstance(name, Derivation) else None
    return value_text(value) if own is None else own


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent; a share other than 0 or 1 is never rounded to 0 % or 100 %."""
    smallest = 10.0**-digits
    value = 100 * share
    if 0 < value < smallest:
        return f"under {smallest:g} %"
    if 100 - smallest < value < 100:
        return f"over {100 - smallest:g} %"
    return f"{value:.{digits}f} %"


def row_share(share: float) -> str:
    """Return a share of the rows of a table in percent, with the one digit that headlines have."""
    return percent(share, digits=1)


def with_interval(share: float, interval: tuple[float, float] | None) -> str:
    """Return a share as text, with its interval if that is known and wider than `WIDE`."""
    if interval is None or interval == UNKNOWN or interval[1] - interval[0] <= WIDE:
        return percent(share)
    low, high = (round(100 * end) for end in interval)
    return f"{percent(share)} ({low} to {high} %)"


#: The end of the name of a column of how sure a model is.
_SURE = re.compile(r"'s (margin|probability( of .+)?)$", re.DOTALL)


def condition_text(condition: Condition) -> str:
    """``age < 42``, ``rooms is 3 to 5``, ``job is one of cook, nurse``, ``age < 42 or missing``.

    A negated list begins with the missing values, ``job is missing or not cook``: "not cook or
    missing" would read as "neither".

    The text, the query, the SQL and the mask of a condition hold for the same rows.
    """
    from imd_widget.rules.conditions import Interval, Membership

    derived = derivation(condition)
    name, position = str(condition.column), condition.position
    if derived is not None:
        name, position = str(derived.source), derived.at
    if condition.given and name.endswith("predicts"):
        return _given_text(condition, name)
    if not condition.unique and not isinstance(condition.column, PointScore):
        name = f"{name} (column {position + 1})"
    if derived is not None:
        return derived_text(condition, name)
    if isinstance(condition, Interval):
        is_band = condition.given and condition.low is not None and condition.high is not None
        if is_band and _SURE.search(name):
            return f"{name} is {value_text(condition.low)} to under {value_text(condition.high)}"
        text = _interval_text(condition, name)
    elif isinstance(condition, Membership):
        if condition.negated and condition.missing:
            return _membership_text(condition, f"{name} is missing or")
        text = _membership_text(condition, f"{name} is")
    else:
        return f"{name} is {'' if condition.missing else 'not '}missing"
    return f"{text} or missing" if condition.missing else text


def _given_text(condition: Condition, name: str) -> str:
    """Return a condition on the outputs of a model: ``f predicts yes``, ``f predicts 0.7 or more``.

    ``name`` ends in "predicts"; in files of earlier versions in "says".
    """
    from imd_widget.rules.conditions import Interval, Membership

    if isinstance(condition, Membership):
        shown = ", ".join(value_text(value) for value in condition.values)
        if len(condition.values) == 1:
            if condition.negated:
                model, verb = name.rsplit(" ", 1)
                name = f"{model} does not {verb.removesuffix('s')}"
            return f"{name} {shown}"
        return f"{name} {'none' if condition.negated else 'one'} of {shown}"
    if not isinstance(condition, Interval):
        return f"{name} {'nothing' if condition.missing else 'something'}"
    low, high = condition.low, condition.high
    if low is None:
        return f"{name} less than {value_text(high)}"
    if high is None:
        return f"{name} {value_text(low)} or more"
    return f"{name} {value_text(low)} or more and less than {value_text(high)}"


def _interval_text(condition: Interval, name: str) -> str:
    if condition.order is not None:
        return f"{name} is {_range_of_order(condition)}"
    low, high = condition.low, condition.high
    if low is None:
        return f"{name} < {value_text(high)}"
    if high is None:
        return f"{name} >= {value_text(low)}"
    if condition.whole:  # then no value lies between high - 1 and high
        first, last = math.ceil(low), math.ceil(high) - 1
        return f"{name} is {first}" if first == last else f"{name} is {first} to {last}"
    return f"{value_text(low)} <= {name} < {value_text(high)}"


def _range_of_order(condition: Interval) -> str:
    """Return the ordered categories as text: ``SI2``, ``one of S, M``, ``HS or below``."""
    inside = [value_text(category) for category in condition.categories]
    if len(inside) == 1:
        return inside[0]
    if len(inside) == 2:
        return f"one of {', '.join(inside)}"
    if condition.low is None:
        return f"{inside[-1]} or below"
    if condition.high is None:
        return f"{inside[0]} or above"
    return f"{inside[0]} to {inside[-1]}"


def _membership_text(condition: Membership, start: str) -> str:
    shown = ", ".join(value_text(value) for value in condition.values)
    if len(condition.values) == 1:
        return f"{start} {'not ' if condition.negated else ''}{shown}"
    return f"{start} {'none' if condition.negated else 'one'} of {shown}"


def conditions_text(conditions: Iterable[Condition]) -> str:
    """Return the conditions joined by "and"; "always" if there are none."""
    parts = set_apart([condition_text(condition) for condition in conditions])
    return " and ".join(parts) or "always"


def set_apart(texts: Sequence[str]) -> list[str]:
    """Return the texts of conditions to be joined, in brackets where they hold an "or".

    "a or missing and b" could be misread. The front-end has the same rule.
    """
    several = len(texts) > 1
    return [f"({text})" if several and _ALTERNATIVES.search(text) else text for text in texts]


#: A condition that also holds for missing values.
_ALTERNATIVES = re.compile(
    r" or missing$| is missing or (not|none of|has|contains|does not contain|is) "
)


def rule_text(
    rule: Rule,
    names: tuple[str, str] | None = None,
    aside: bool = False,
    called: tuple[str, str] = ("m1", "m2"),
) -> str:
    """Return a rule in one line: its conditions, outcomes and number of differing rows.

    ``names`` are the names of the models. Without them the outcomes have none, and ``called`` is
    what the models are called where it has to be clear which one is right. ``aside`` adds the
    counts of the rows kept aside, if there are any.
    """
    if rule.agrees:
        rows = f"{rule.support - rule.differing} of {_rows(rule.support)}"
        if aside:
            agreeing = rule.holdout_support - rule.holdout_differing
            rows += _on_other_rows(rule, agreeing, "agree")
        return f"{conditions_text(rule.conditions)}: they agree ({rows})"
    one, two = names or called
    rows = "row differs" if rule.support == 1 else "rows differ"
    title = rule.title
    told = title.shares and len(title.pairs) > 1 and len(rule.outcome_pairs) == len(title.pairs)
    text = f"{rule.differing} of {rule.support} {rows}{'' if told else _how(rule)}"
    if aside:
        text += _on_other_rows(rule, rule.holdout_differing, "differ")
    for right, where in ((rule.right, ""), (rule.holdout_right, "kept aside, ")):
        if right is not None and right.known:
            errors = _errors(right, one, two) if rule.within else ""
            good = f"{rule.within} of y" if rule.within else "right"
            text += f"; {where}{errors}only {one} is {good} on {amount(right.first)}"
            text += f", only {two} on {amount(right.second)}"
            break
    return f"{conditions_text(rule.conditions)}: {title.text(names, shares=told)} ({text})"


def _on_other_rows(rule: Rule, n: int, verb: str) -> str:
    """Return what was measured on rows not used to fit, ``n`` of which differ (or agree)."""
    if rule.holdout_support:
        return f"; kept aside {n} of {rule.holdout_support}"
    if rule.expected_rate is None:
        return ""
    rate = percent(1 - rule.expected_rate if rule.agrees else rule.expected_rate)
    if rule.measured_rate is None:
        return f"; expect {rate} of new rows"
    return f"; {rate} of held-out rows {verb}"


def _errors(right: Right, one: str, two: str) -> str:
    """Return the mean of ``y`` and the errors of both models, if they are known."""
    if right.errors is None or right.rmse is None or right.mean_y is None:
        return ""
    (mae_1, mae_2), (rmse_1, rmse_2) = map(short_numbers, (right.errors, right.rmse))
    (mean,) = short_numbers((right.mean_y,))
    return (
        f"y is {mean} on average, mean absolute error {one} {mae_1}, {two} {mae_2}, "
        f"root mean squared error {one} {rmse_1}, {two} {rmse_2}; "
    )


def _rows(n: int) -> str:
    return f"{n} rows" if n != 1 else "1 row"


def _how(rule: Rule) -> str:
    """Return the shares of the outcome pairs, unless all differing rows have the same pair."""
    if rule.outcome_share == 1 or not rule.differing:
        return ""
    if rule.up is not None and rule.down is not None:
        return f": up on {amount(rule.up)}, down on {amount(rule.down)}"
    parts = [f"{percent(pair.share)} {' -> '.join(pair.said)}" for pair in rule.outcome_pairs]
    rest = 1 - sum(pair.share for pair in rule.outcome_pairs)
    return f": {', '.join(parts)}" + (", ..." if rest > 1e-9 else "")


def numbered(rules: Iterable[tuple[int, Rule]], names: tuple[str, str] | None = None) -> list[str]:
    """Return one line per rule, with its number and the counts of the rows kept aside."""
    return [f"{number:3}. {rule_text(rule, names, aside=True)}" for number, rule in rules]


def or_none(write: Callable[[], str]) -> str | None:
    """Return the text; None if the language cannot express it."""
    try:
        return write()
    except InputError:
        return None


def rule_query(rule: Rule) -> str:
    """Return a rule as an expression for ``DataFrame.query``."""
    return " and ".join(condition_query(condition) for condition in rule.conditions) or QUERY_ALWAYS


def rule_sql(rule: Rule) -> str:
    """Return a rule as a condition for SQL's WHERE."""
    return " AND ".join(condition_sql(condition) for condition in rule.conditions) or SQL_ALWAYS


def any_of(parts: Iterable[str], joint: str, never: str) -> str:
    """Return one condition that holds if any of ``parts`` holds."""
    return joint.join(f"({part})" for part in parts) or never


def condition_query(condition: Condition) -> str:
    """Return a condition as an expression for ``DataFrame.query``."""
    from imd_widget.rules.conditions import Interval, Membership

    _check_unique(condition)
    derived = derivation(condition)
    if derived is not None:
        _check_storage(on_source(condition, derived), _NO_QUERY, "a pandas query")
        return derived_query(condition, _query_name(derived.source))
    if isinstance(condition.column, PointScore):
        _check_storage(condition, _NO_QUERY, "a pandas query")
        return score_query(condition, condition.column, _query_name, _query_literal)
    name = _query_name(condition.column)
    present, absent = f"{name}.notna()", f"{name}.isna()"
    negative = isinstance(condition, Membership) and condition.negated
    if not isinstance(condition, Interval | Membership) or condition.missing or negative:
        _check_storage(condition, _NO_GAPS, "a pandas query")
    if isinstance(condition, Interval) and condition.order is None:
        _check_storage(condition, _NO_QUERY, "a pandas query")
        text = _comparisons(condition, name, _query_literal, " and ")
    elif isinstance(condition, Interval | Membership):
        negated, listed = _listed(condition)
        values = ", ".join(map(_query_literal, listed))
        text = f"{name} {'not in' if negated else 'in'} [{values}]"
        if negated:  # in pandas "not in" holds for a missing value
            return text if condition.missing else f"{text} and {present}"
    else:
        return absent if condition.missing else present
    return f"({text} or {absent})" if condition.missing else text


def condition_sql(condition: Condition) -> str:
    """Return a condition for SQL's WHERE."""
    from imd_widget.rules.conditions import Interval, Membership

    _check_unique(condition)
    derived = derivation(condition)
    if derived is not None:
        return derived_sql(condition, _sql_name(on_source(condition, derived)))
    if isinstance(condition.column, PointScore):
        _check_storage(condition, _NO_GAPS, "SQL")
        named = partial(_sql_column, condition)
        return score_sql(condition, condition.column, named, _sql_literal)
    name = _sql_name(condition)
    is_presence = not isinstance(condition, Interval | Membership)
    _check_storage(condition, _NO_GAPS if is_presence else _NO_SQL, "SQL")
    if isinstance(condition, Interval) and condition.order is None:
        text = _comparisons(condition, name, _sql_literal, " AND ")
    elif isinstance(condition, Interval | Membership):
        negated, listed = _listed(condition)
        values = ", ".join(map(_sql_literal, listed))
        text = f"{name} {'NOT IN' if negated else 'IN'} ({values})"
    else:
        return f"{name} IS {'' if condition.missing else 'NOT '}NULL"
    return f"({text} OR {name} IS NULL)" if condition.missing else text


#: The storages for which an expression would hold for other rows than the mask: a description of
#: the column, and how to convert it.
_ROUNDED = ("numbers of more digits than 64-bit floats have", ".astype(float)")
_NAN = ("NaN that is not missing to a database or to Arrow", "fill_nan(None) or the like")
_NO_QUERY: Mapping[Storage, tuple[str, str]] = {
    "objects": (
        "Python date objects, or dates or durations of Arrow",
        "pd.to_datetime or pd.to_timedelta",
    ),
    "decimals": ("decimals", ".astype(float)"),
    "rounded": _ROUNDED,
}
_NO_SQL: Mapping[Storage, tuple[str, str]] = {
    "rounded": _ROUNDED,
    "mixed": ("values of several types", ".astype(str)"),
    "nan": _NAN,
}
#: The storages refused in conditions that test for missing values.
_NO_GAPS: Mapping[Storage, tuple[str, str]] = {"nan": _NAN}


def _check_storage(
    condition: Condition,
    refused: Mapping[Storage, tuple[str, str]],
    language: str,
) -> None:
    """Raise an error if an expression would hold for other rows than the mask."""
    if condition.storage in refused:
        what, remedy = refused[condition.storage]
        raise InputError(
            f"column {condition.column!r} holds {what}, which {language} does not compare as the "
            f"rule does: use rule.mask(X), or convert the column with {remedy}."
        )


def _listed(condition: Interval | Membership) -> tuple[bool, tuple[Hashable, ...]]:
    """Return whether a condition is negated, and the categories that it names."""
    from imd_widget.rules.conditions import Membership

    if isinstance(condition, Membership):
        return condition.negated, condition.values
    return False, condition.categories


def _comparisons(condition: Interval, name: str, literal: Any, joint: str) -> str:
    return joint.join(
        f"{name} {operator} {literal(value)}"
        for _, operator, value in condition.predicates
        if value is not None
    )


#: pandas' Arrow columns refuse larger numbers in a comparison.
_LARGEST_IN_QUERY = (1 << 63) - 1


def _query_literal(value: Any) -> str:
    if isinstance(value, int) and value > _LARGEST_IN_QUERY:
        raise InputError(
            f"{value} is larger than a pandas query can hold for every kind of column "
            f"(up to {_LARGEST_IN_QUERY}): use rule.mask(X)."
        )
    if isinstance(value, pd.Timestamp | pd.Timedelta):
        return repr(str(value))
    if isinstance(value, str):
        if "`" in value:
            raise InputError(
                f"{value!r} has a backtick, which a pandas query cannot contain: use rule.mask(X)."
            )
        # pandas reads a quote after a backslash as a part of the text
        return repr(value).replace("\\\\", r"\x5c")
    _check_literal(value)
    return _exact_text(value)


def _exact_text(value: Any) -> str:
    """Return a number with all its digits: Arrow distinguishes float32 0.7 from float64 0.7."""
    short = isinstance(value, np.float16 | np.float32)
    return value_text(float(value) if short else value)


def _check_literal(value: Any) -> None:
    if not isinstance(value, bool | int | float | np.number | np.bool_):
        raise InputError(
            f"a category is {value!r} ({type(value).__name__}), which a query cannot contain: use "
            "rule.mask(X), or turn the column into text."
        )


def _sql_literal(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, pd.Timestamp):
        kind = "TIMESTAMP" if value.tz is None else "TIMESTAMPTZ"
        return f"{kind} '{value}'"
    if isinstance(value, pd.Timedelta):
        return f"INTERVAL '{value // pd.Timedelta(microseconds=1)} microseconds'"
    if not isinstance(value, str):
        _check_literal(value)
        return _exact_text(value)
    if "\0" in value:
        raise InputError(
            f"{value!r} has a NUL, which SQL cannot contain: use rule.mask(X), or clean the column."
        )
    quoted = str(value).replace("'", "''")
    return f"'{quoted}'"


def _check_unique(condition: Condition) -> None:
    if not condition.unique:
        raise InputError(
            f"the table has more than one column called {condition.column!r}, which a query cannot "
            "tell apart: use rule.mask(X), or rename the columns."
        )


def _query_name(name: Hashable) -> str:
    if not isinstance(name, str):
        raise InputError(
            f"column {name!r} cannot be named in a pandas query, which only knows text names: "
            "use rule.mask(X), or rename the columns with X.rename(columns=str)."
        )
    if "`" in name:
        raise InputError(
            f"column {name!r} has a backtick in its name, which a pandas query cannot contain: "
            "use rule.mask(X), or rename the column."
        )
    if not name.isprintable() or unicodedata.normalize("NFKC", name) != name or name in _CONSTANTS:
        raise InputError(
            f"column {name!r} has a name that a pandas query reads as something else: use "
            "rule.mask(X), or rename the column."
        )
    plain = name.isidentifier() and name.isascii() and not keyword.iskeyword(name)
    return name if plain else f"`{name}`"


#: Names that are numbers inside a query, whatever the columns are called.
_CONSTANTS = ("inf", "Inf")


def _sql_column(condition: Condition, column: Hashable) -> str:
    """Return the name in SQL of a column that the column of a condition is computed from."""
    return _sql_name(replace(condition, column=column))


def _sql_name(condition: Condition) -> str:
    name = str(condition.column)
    if not name or "\0" in name:
        raise InputError(
            f"column {condition.column!r} cannot be named in SQL, which knows neither empty names "
            "nor a NUL in one: use rule.mask(X), or rename the column."
        )
    if not condition.unique_in_sql:
        raise InputError(
            f"the table has more than one column called {name!r} but for upper and lower case, "
            "which SQL does not tell apart: use rule.mask(X), or rename the columns."
        )
    return sql_identifier(name)


def sql_identifier(name: str) -> str:
    """Return the name of a column in SQL, in quotation marks."""
    quoted = name.replace('"', '""')
    return f'"{quoted}"'
