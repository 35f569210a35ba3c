"""The headline, the rules and the tree of a diff as HTML, for a page without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import accumulate

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.comparison.summary import headline
from imd_widget.export.markdown import expected, rate_of_group
from imd_widget.rules.languages import conditions_text, percent


def plain_diff(diff: ModelDiff) -> str:
    """Return the bar of the headline, the tables of rules and the tree as text."""
    tree = f"<h2>The tree</h2><pre>{escape(diff.tree.to_text())}</pre>"
    return "\n".join([headline_bar(diff), rule_tables(diff), tree])


def headline_bar(diff: ModelDiff) -> str:
    """Return the bar of all rows with its legend; the style sheet of the page has its colours."""
    parts = headline(diff).bar
    starts = list(accumulate((part.length for part in parts), initial=0.0))
    bars = "".join(
        f'<rect class="imd-plain-{part.kind}" x="{1000 * start:.1f}" y="0" '
        f'width="{1000 * part.length:.1f}" height="20"/>'
        for part, start in zip(parts, starts, strict=False)
    )
    legend = "".join(
        f'<li><svg width="12" height="12" aria-hidden="true"><rect class="imd-plain-{part.kind}" '
        f'width="12" height="12"/></svg> {escape(part.text)}</li>'
        for part in parts
    )
    words = escape(". ".join(f"{percent(part.share)} of the rows: {part.text}" for part in parts))
    return (
        '<svg width="0" height="0" aria-hidden="true"><defs><pattern id="imd-plain-hatch" '
        'width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect class="imd-plain-covered" width="3" height="6"/></pattern></defs></svg>'
        '<svg class="imd-plain-bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" '
        f'aria-label="{words}">{bars}</svg><ul class="imd-plain-key">{legend}</ul>'
    )


def rule_tables(diff: ModelDiff) -> str:
    """Return a table of the rules, one of the rules of agreement, and one of the groups."""
    parts = []
    if diff.rules:
        names = " → ".join(diff.names)
        head = ["rule", "where", names, "rows", "differ", "expected on new rows"]
        lines = [
            [
                str(number),
                conditions_text(rule.conditions),
                rule.title.text(arrow="→"),
                f"{rule.support:,}",
                percent(rule.rate) if rule.support else "",
                expected(rule),
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
                expected(rule),
            ]
            for number, rule in enumerate(diff.agreement, len(diff.rules))
        ]
        head = ["rule", "where", "rows", "agree", "expected on new rows"]
        parts.append(_table("Where they agree", head, lines))
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
