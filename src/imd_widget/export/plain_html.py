"""The rules of a diff as HTML tables, for a page that is read without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.export.markdown import rate_of_group
from imd_widget.rules.languages import conditions_text, percent


def rule_tables(diff: ModelDiff) -> str:
    """Return a table of the rules, one of the rules of agreement, and one of the groups."""
    parts = []
    if diff.rules:
        head = ["rule", "where", " → ".join(diff.names), "rows", "differ"]
        lines = [
            [
                str(number),
                conditions_text(rule.conditions),
                rule.title.text(arrow="→"),
                f"{rule.support:,}",
                percent(rule.rate) if rule.support else "",
            ]
            for number, rule in enumerate(diff.rules)
        ]
        parts.append(_table("Where they differ", head, lines))
    if diff.agreement:
        lines = [
            [
                str(number),
                conditions_text(rule.conditions),
                f"{rule.support:,}",
                percent(1 - rule.rate) if rule.support else "",
            ]
            for number, rule in enumerate(diff.agreement, len(diff.rules))
        ]
        parts.append(_table("Where they agree", ["rule", "where", "rows", "agree"], lines))
    by = redacted_groups(diff)
    if by is not None:
        inside = [(f"rule {number}", groups) for number, groups in enumerate(by.rules)]
        lines = [
            [name, *map(rate_of_group, groups)]
            for name, groups in [("all rows", by.groups), *inside]
        ]
        head = [by.name, *(group.value for group in by.groups)]
        parts.append(_table("Share of the rows that differ, by group", head, lines))
    return "\n".join(parts)


def _table(caption: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in line)}</tr>" for line in lines
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
