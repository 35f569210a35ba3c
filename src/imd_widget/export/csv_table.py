"""The rules of a diff as a table for spreadsheets."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from imd_widget._base.encodable import encodable_text
from imd_widget.comparison.by_groups import way_text
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups


def rule_table(diff: ModelDiff) -> str:
    """Return CSV text with a line for each rule; no cell is read as a formula.

    With ``by``, columns such as "site is north: rows", "rate", "how", "fixes" and "breaks" are the
    rows of the table inside the rule that belong to a group, the share of them that differs, the
    ways in which they differ, and what the change fixes and breaks there. If rules use scores, the
    column "scores" has the points of those that the rule uses.
    """
    frame = diff.rules.to_frame()
    if diff.rules.scores:
        frame["scores"] = [" ".join(diff.rules[[n]].score_sentences) for n in range(len(frame))]
    by = redacted_groups(diff)
    if by is not None:
        for place in range(len(by.groups)):
            inside = [groups[place] for groups in by.rules[: len(diff.rules)]]
            which = encodable_text(by.where(place))
            frame[f"{which}: rows"] = [own.rows for own in inside]
            frame[f"{which}: rate"] = np.array([own.rate for own in inside], dtype=float)
            frame[f"{which}: how"] = ["; ".join(map(way_text, own.ways)) for own in inside]
            judged = [own.correctness for own in inside]
            if any(right is not None for right in judged):
                frame[f"{which}: fixes"] = [right.fixes if right else 0 for right in judged]
                frame[f"{which}: breaks"] = [right.breaks if right else 0 for right in judged]
    for name, column in frame.items():
        if not (is_numeric_dtype(column.dtype) or is_datetime64_any_dtype(column.dtype)):
            cells = [without_formula(value) for value in column]
            frame[name] = pd.Series(cells, index=frame.index, dtype=object)
    frame.columns = pd.Index([without_formula(name) for name in frame.columns])
    return encodable_text(str(frame.to_csv(index=False)))


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
