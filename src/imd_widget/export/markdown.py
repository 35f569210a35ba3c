"""Headline and rules of a diff as Markdown, for pull requests."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget._base.markdown_text import cell, table_row
from imd_widget.comparison.by_groups import ByGroups, GroupRate, way_text
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.comparison.verdict import Check, Verdict
from imd_widget.explanations.api import explain as explain_diff
from imd_widget.explanations.selection import FewRowsError
from imd_widget.outputs.interface import LossView
from imd_widget.outputs.number_text import amount
from imd_widget.rules.languages import conditions_text, percent, with_interval
from imd_widget.rules.rule import Rule

#: Most rules that a report explains.
MOST_EXPLAINED = 5
#: The first line of a comment on a pull request: a comment with it is the one to update.
MARKER = "<!-- imd-widget -->"


def markdown(diff: ModelDiff, verdict: Verdict | None = None) -> str:
    """Return the verdict, the headline, a table of the rules, and the rates by group."""
    if verdict is None:
        return f"{MARKER}\n{report(diff)}"
    lines = [MARKER, f"**{'Passed' if verdict.passed else 'Failed'}**", ""]
    marks = {True: "✅", False: "❌"}
    shown, more = _folded(verdict.checks)
    lines += [f"- {marks[check.passed]} {cell(check.text)}" for check in shown]
    lines += [f"- {marks[True]} {text}" for text in more]
    if not verdict.checks:
        lines.append(cell(str(verdict)))
    lines += [f"- {cell(note)}" for note in verdict.notes]
    return "\n".join([*lines, "", report(diff)])


def _folded(checks: Sequence[Check]) -> tuple[list[Check], list[str]]:
    """Return the checks to list, and a sentence in place of several groups that pass."""
    groups = [one for one in checks if one.limit == "group_breaks" and one.passed]
    if len(groups) < 2:
        return list(checks), []
    limit = percent(groups[0].allowed, 1)
    n_above = sum(one.estimate > one.allowed for one in groups)
    parts = [(len(groups) - n_above, "within"), (n_above, "above")]
    texts = [
        f"{n:,} {'groups are' if n != 1 else 'group is'} {where} the limit of {limit}"
        for n, where in parts
        if n
    ]
    chance = ", but this may be chance" if n_above else ""
    return [one for one in checks if one not in groups], [f"{'; '.join(texts)}{chance}."]


def report(diff: ModelDiff, explain: bool = False) -> str:
    """Return the headline, a table of the rules, and the rates by group.

    With ``explain`` it also explains why the models differ inside the first rules.
    """
    one, two = map(cell, diff.names)
    lines = [f"# {one} and {two}: where they differ", "", cell(diff.summary()), ""]
    if len(diff.rules):
        holdout = diff.metrics.on_holdout
        judged = any(rule.right is not None and rule.right.known for rule in diff.rules)
        cv = diff.metrics.measured_by == "cv"
        head = ["rule", "where", f"{one} → {two}", "rows", "differ"]
        head += ["kept aside"] if holdout else ["held out"] if cv else []
        estimated = any(rule.measured_rate is None for rule in diff.rules)
        head += ["expected on new rows"] if estimated else []
        numbers = any(_has_errors(rule) for rule in diff.rules)
        errors = [f"{kind} {name}" for kind in ("MAE", "RMSE") for name in (one, two)]
        head += ["y", *errors] if numbers else []
        within = f" ({cell(diff.rules[0].within)})" if diff.rules[0].within else ""
        head += [f"fixes{within}", f"breaks{within}"] if judged else []
        tested = any(rule.confirmed is not None for rule in diff.rules)
        netted = any(_net(rule) for rule in diff.rules)
        head += ["net on rows not used"] if netted else []
        losses = [_loss(diff, rule) for rule in diff.rules]
        asked = next((loss for loss in losses if loss is not None), None)
        head += [] if asked is None else [f"mean {cell(asked.name)} {name}" for name in (one, two)]
        head += ["confirmed"] if tested else []
        lines += [table_row(head), table_row(["---"] * len(head))]
        for number, rule in enumerate(diff.rules):
            cells = [
                str(number),
                cell(conditions_text(rule.conditions)),
                cell(rule.title.text(arrow="→")),
                f"{rule.support:,}",
                percent(rule.rate) if rule.support else "",
            ]
            if holdout:
                rate = f"{percent(rule.holdout_rate)} of {rule.holdout_support:,}"
                cells.append(rate if rule.holdout_support else "no rows")
            elif cv:
                cells.append(_held_out(rule))
            cells += [expected(rule)] if estimated else []
            if numbers:
                cells += _errors(diff, rule)
            if judged and rule.right is not None:
                cells += [amount(rule.right.fixes), amount(rule.right.breaks)]
            cells += [_net(rule)] if netted else []
            if asked is not None:
                own = losses[number]
                cells += ["", ""] if own is None else own.means
            cells += [{True: "yes", False: "hint", None: ""}[rule.confirmed]] if tested else []
            lines.append(table_row(cells))
    if len(diff.agreement):
        head = ["rule", "where they agree", "rows", "agree", "expected on new rows"]
        lines += ["", table_row(head), table_row(["---"] * len(head))]
        for number, rule in enumerate(diff.agreement, len(diff.rules)):
            where = cell(conditions_text(rule.conditions))
            rows, rate = f"{rule.support:,}", percent(1 - rule.rate)
            lines.append(table_row([str(number), where, rows, rate, expected(rule)]))
    for sentence in diff.score_sentences:
        lines += ["", cell(sentence)]
    by = redacted_groups(diff)
    if by is not None:
        lines += ["", *_groups(by)]
    return "\n".join([*lines, *_why(diff)] if explain else lines) + "\n"


def _why(diff: ModelDiff) -> list[str]:
    """Why the models differ on all rows and inside the first rules, a paragraph each."""
    lines = ["", "## Why they differ"]
    rules = [None, *diff.rules[:MOST_EXPLAINED]]
    for number, rule in enumerate(rules, -1):
        name = "All rows" if rule is None else f"Rule {number}"
        try:
            e = explain_diff(diff, rule, shared=True)
            sentences = e.summary().splitlines()[1:]
        except FewRowsError as error:
            sentences = [str(error).removeprefix("where: ")]
        lines += ["", f"**{name}.** {cell(' '.join(sentences))}"]
    return lines


def _groups(by: ByGroups) -> list[str]:
    """Return a table with a row for each group, and one of the rates inside each rule."""
    judged = any(group.correctness for group in by.groups)
    head = [cell(by.name), "rows", "differ", "how", *(["fixes", "breaks", "net"] * judged)]
    lines = [table_row(head), table_row(["---", "---:", "---:", "---", *(["---:"] * 3 * judged)])]
    for group in by.groups:
        ways = ", ".join(cell(way_text(way).replace("->", "→")) for way in group.ways)
        cells = [cell(group.value), f"{group.rows:,}", _rate(group), ways]
        if judged:
            cells += right_of_group(group)
        lines.append(table_row(cells))
    return [*lines, "", *_groups_in_rules(by)] if by.rules else lines


def _rate(group: GroupRate) -> str:
    if group.rate is None:
        return ""
    return f"{group.differing:,}: {with_interval(group.rate, group.interval)}"


def right_of_group(group: GroupRate) -> list[str]:
    """Return what the change fixes and breaks in a group, and the net with its interval."""
    right = group.correctness
    if right is None or not right.known:
        return ["", "", ""]
    return [amount(right.fixes), amount(right.breaks), right.net_text(as_share=True)]


def _groups_in_rules(by: ByGroups) -> list[str]:
    """Return a table with a column for each group: all rows, then the rows inside each rule."""
    head = [f"share that differs, by {cell(by.name)}", *(cell(group.value) for group in by.groups)]
    lines = [table_row(head), table_row(["---", *(["---:"] * len(by.groups))])]
    inside = [(f"rule {number}", groups) for number, groups in enumerate(by.rules)]
    for name, groups in [("all rows", by.groups), *inside]:
        lines.append(table_row([name, *map(rate_of_group, groups)]))
    return lines


def rate_of_group(group: GroupRate) -> str:
    """Return the share of a group's rows that differ, and how many rows it has."""
    return "no rows" if group.rate is None else f"{percent(group.rate)} of {group.rows:,}"


def _net(rule: Rule) -> str:
    """Return the net of a rule on rows not used to fit, with its interval; empty if unknown."""
    right = rule.correctness
    if right is None or not right.known:
        return ""
    return f"{right.net_text(as_share=True)} of {amount(right.known)}"


def expected(rule: Rule) -> str:
    """Return the share of new rows that a rule is expected to be right about; empty if unknown."""
    rate = rule.expected_rate
    return "" if rate is None else percent(1 - rate if rule.agrees else rate)


def _held_out(rule: Rule) -> str:
    """Return the rate of a rule on rows not used to fit, after cross-fitting."""
    if rule.measured_rate is None:
        return "not found again"
    return with_interval(rule.measured_rate, rule.interval)


def _has_errors(rule: Rule) -> bool:
    return rule.right is not None and rule.right.mean_y is not None


def _loss(diff: ModelDiff, rule: Rule) -> LossView | None:
    """The loss that was asked for, on rows not used to find the rule."""
    right = rule.correctness
    return None if right is None else diff.tree.outputs.right_texts(right).loss


def _errors(diff: ModelDiff, rule: Rule) -> list[str]:
    """The mean of ``y`` and the errors of both models; empty cells if no row has ``y``."""
    if rule.right is None:
        return [""] * 5
    texts = diff.tree.outputs.right_texts(rule.right)
    return [texts.mean_y or "", *(texts.errors or ["", ""]), *(texts.rmse or ["", ""])]
