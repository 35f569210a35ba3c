"""Rules in words, as a pandas query and as SQL: the only place where a rule becomes text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from imd_widget.errors import InputError

if TYPE_CHECKING:
    from imd_widget.rules.rule import Interval, Rule

# pandas wants an array from a query, not a single True: compare something of the right length
QUERY_ALWAYS = "index == index or index != index"
QUERY_NEVER = "index != index and index == index"
SQL_ALWAYS = "TRUE"
SQL_NEVER = "FALSE"


def number_text(value: Any) -> str:
    """The shortest text that means exactly this number: 42, not 42.0."""
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
    return str(value)


def condition_text(condition: Interval) -> str:
    """``age < 42``, ``age >= 18`` or ``18 <= age < 42``."""
    name = str(condition.column)
    if condition.low is None:
        return f"{name} < {number_text(condition.high)}"
    if condition.high is None:
        return f"{name} >= {number_text(condition.low)}"
    return f"{number_text(condition.low)} <= {name} < {number_text(condition.high)}"


def conditions_text(rule: Rule) -> str:
    """The conditions of a rule joined by "and"; "always" where it has none."""
    return " and ".join(condition_text(condition) for condition in rule.conditions) or "always"


def rule_text(rule: Rule) -> str:
    """A rule in one line: where, who says what, and how often they differ there."""
    first, second = rule.outcomes
    return (
        f"{conditions_text(rule)}: {first} -> {second} "
        f"({rule.differing} of {rule.support} rows differ)"
    )


def rule_query(rule: Rule) -> str:
    """A rule for ``DataFrame.query``."""
    parts = [
        f"{_query_name(column)} {operator} {number_text(value)}"
        for condition in rule.conditions
        for column, operator, value in condition.predicates
    ]
    return " and ".join(parts) or QUERY_ALWAYS


def rule_sql(rule: Rule) -> str:
    """A rule as a condition for SQL's WHERE."""
    parts = [
        f"{_sql_name(column)} {operator} {number_text(value)}"
        for condition in rule.conditions
        for column, operator, value in condition.predicates
    ]
    return " AND ".join(parts) or SQL_ALWAYS


def any_of(parts: Iterable[str], joint: str, never: str) -> str:
    """One condition that holds where any of ``parts`` does."""
    return joint.join(f"({part})" for part in parts) or never


def _query_name(name: Hashable) -> str:
    if not isinstance(name, str):
        raise InputError(
            f"column {name!r} cannot be named in a pandas query, which knows text names only: "
            "use rule.mask(X), or rename the columns with X.rename(columns=str)."
        )
    if "`" in name:
        raise InputError(
            f"column {name!r} has a backtick in its name, which a pandas query cannot hold: "
            "use rule.mask(X), or rename the column."
        )
    return name if name.isidentifier() and name.isascii() else f"`{name}`"


def _sql_name(name: Hashable) -> str:
    quoted = str(name).replace('"', '""')
    return f'"{quoted}"'
