"""The rules of a diff as a table for spreadsheets."""

from __future__ import annotations

import numbers
import re
from dataclasses import replace
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from imd_widget._base.encodable import encodable_text
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.base import Format
from imd_widget.rules.conditions import Condition
from imd_widget.rules.rule import Rule, RuleSet


def rule_table(diff: ModelDiff) -> str:
    """A line for each rule, its cells as a spreadsheet may read them."""
    frame = RuleSet(tuple(map(_encodable_rule, diff.rules))).to_frame()
    for name, column in frame.items():
        if not (is_numeric_dtype(column.dtype) or is_datetime64_any_dtype(column.dtype)):
            cells = [computes_nothing(value) for value in column]
            frame[name] = pd.Series(cells, index=frame.index, dtype=object)
    return str(frame.to_csv(index=False))


def _encodable_rule(rule: Rule) -> Rule:
    """The rule with names and labels that a column of text can hold."""
    conditions = tuple(replace(c, **_encodable_fields(c)) for c in rule.conditions)
    first, second = map(_encodable_value, rule.outcomes)
    return replace(rule, conditions=conditions, outcomes=(first, second))


def _encodable_fields(c: Condition) -> dict[str, Any]:
    names = ("column", "low", "high", "values", "order")
    return {name: _encodable_value(getattr(c, name)) for name in names if hasattr(c, name)}


def _encodable_value(value: Any) -> Any:
    if isinstance(value, str):
        return encodable_text(value)
    return tuple(map(_encodable_value, value)) if type(value) is tuple else value


def computes_nothing(value: Any) -> Any:
    """A cell that a spreadsheet takes for text, or for a number, and never for a formula.

    Text that begins as a formula does gets a single quote before it, as OWASP recommends.
    """
    if isinstance(value, numbers.Number):
        return value
    # a carriage return is not quoted, and what follows it would be the first cell of another line
    text = re.sub("\r\n?", "\n", str(value))
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


_FORMULA = (*"=+-@\t\n", *"＝＋－＠")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


CSV = Format(".csv", "a line for each rule", rule_table)
