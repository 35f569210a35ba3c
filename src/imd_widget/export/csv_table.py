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
    """Return CSV text with a line for each rule; no cell is read as a formula."""
    frame = RuleSet(tuple(map(_encodable_rule, diff.rules))).to_frame()
    for name, column in frame.items():
        if not (is_numeric_dtype(column.dtype) or is_datetime64_any_dtype(column.dtype)):
            cells = [without_formula(value) for value in column]
            frame[name] = pd.Series(cells, index=frame.index, dtype=object)
    return str(frame.to_csv(index=False))


def _encodable_rule(rule: Rule) -> Rule:
    """Return the rule with names and labels that UTF-8 can encode."""
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


def without_formula(value: Any) -> Any:
    """Return a cell that a spreadsheet reads as text or as a number, never as a formula.

    Text that begins like a formula gets a single quote in front, as OWASP recommends.
    """
    if isinstance(value, numbers.Number):
        return value
    # to_csv does not quote a carriage return: the text after it would begin another line
    text = re.sub("\r\n?", "\n", str(value))
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


_FORMULA = (*"=+-@\t\n", *"＝＋－＠")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


CSV = Format(".csv", "a line for each rule", rule_table)
