"""The headline, the rules and the tree of a diff as HTML, for a page without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import accumulate

from imd_widget.comparison.headline_bar import has_few
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.comparison.summary import headline
from imd_widget.export.markdown import expected, rate_of_group
from imd_widget.rules.languages import conditions_text, percent
from imd_widget.rules.rule import Rule


def plain_diff(diff: ModelDiff) -> str:
    """Return the bar of the headline, the tables of rules and the tree as text."""
    tree = f"<h2>The tree</h2><pre>{escape(diff.tree.to_text(names=diff.names))}</pre>"
    return "\n".join([headline_bar(diff), truth_bar(diff), rule_tables(diff), tree])


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


def truth_bar(diff: ModelDiff) -> str:
    """Return breaks to the left of the middle and fixes to the right; "" without ground truth."""
    truth = headline(diff).truth
    if truth is None:
        return ""
    most = max(truth.fixes, truth.breaks)
    breaks, fixes = (500 * rows / most for rows in (truth.breaks, truth.fixes))
    words = escape(f"With y: {truth.text}, {truth.net}")
    return (
        '<svg class="imd-plain-bar" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" '
        f'aria-label="{words}">'
        f'<rect class="imd-plain-breaks" x="{500 - breaks:.1f}" width="{breaks:.1f}" height="20"/>'
        f'<rect class="imd-plain-fixes" x="500" width="{fixes:.1f}" height="20"/></svg>'
        f"<p>{words}</p>"
    )


def rule_tables(diff: ModelDiff) -> str:
    """Return a table of the rules, one of the rules of agreement, and one of the groups."""
    parts = []
    if diff.rules:
        names = " → ".join(diff.names)
        head = ["rule", "where", names, "rows", "differ", "on rows not used to fit"]
        lines = [
            [
                str(number),
                conditions_text(rule.conditions),
                rule.title.text(arrow="→"),
                f"{rule.support:,}",
                percent(rule.rate) if rule.support else "",
                _measured(rule, diff),
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
                _measured(rule, diff),
            ]
            for number, rule in enumerate(diff.agreement, len(diff.rules))
        ]
        head = ["rule", "where", "rows", "agree", "on rows not used to fit"]
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


def _measured(rule: Rule, diff: ModelDiff) -> str:
    """Return the share, or count, of held-out rows that a rule is right about, else an estimate."""
    rate, rows = rule.measured_rate, rule.holdout_support
    if rate is None:
        estimate = expected(rule)
        return f"about {estimate}, estimated" if estimate else ""
    share = percent(1 - rate if rule.agrees else rate)
    if diff.metrics.measured_by == "cv" or not rows:
        return f"{share} of held-out rows"
    if has_few(diff, rows):
        right = rows - rule.holdout_differing if rule.agrees else rule.holdout_differing
        return f"{right} of {rows} held-out {'rows' if rows != 1 else 'row'}"
    return f"{share} of {rows:,} held-out rows"


def _table(caption: str, head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    heads = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    rows = "".join(
        f"<tr>{''.join(_cell(*cell) for cell in zip(head, line, strict=True))}</tr>"
        for line in lines
    )
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _cell(name: str, text: str) -> str:
    """Return a cell that holds the name of its column, for a narrow screen without a head."""
    return f'<td data-name="{escape(name)}">{escape(text)}</td>'
