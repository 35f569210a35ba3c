"""The report of a diff as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from imd_widget._base.plain import to_json
from imd_widget.cli.output import line
from imd_widget.cli.wording import Wording
from imd_widget.comparison.by_groups import ByGroups, GroupRate, way_text
from imd_widget.comparison.metrics import METRICS
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups
from imd_widget.comparison.summary import headline
from imd_widget.comparison.verdict import Check, Limits, Verdict
from imd_widget.deciding.labelled import LabelledNet
from imd_widget.export.markdown import rate_of_group
from imd_widget.outputs.correctness import RIGHT_COUNTS, RIGHT_NUMBERS, PairedLoss, Right
from imd_widget.outputs.number_text import amount
from imd_widget.rules.languages import condition_text, numbered, or_none, percent, rule_text
from imd_widget.rules.rule import Rule, rule_measures

#: Of the JSON document. The version increases when a field changes its meaning or is removed.
FORMAT, VERSION = "imd-widget report", 1


def text_report(
    d: ModelDiff,
    verdict: Verdict | None,
    written: Sequence[Path],
    labels: LabelledNet | None = None,
) -> str:
    """The verdict, the headline, the rules and the paths of the written files."""
    lines = [] if verdict is None else [f"{verdict}", *verdict.notes, ""]
    lines += [] if labels is None else [str(labels), ""]
    lines += [_headline(d), *_rules_text(d), *_groups_text(d)]
    if written:
        lines += ["", *(f"Written: {path}" for path in written)]
    return "\n".join(map(line, lines))


def _headline(d: ModelDiff) -> str:
    words, top = Wording(), headline(d)
    return " ".join(words.text(sentence) for sentence in (*top.sentences, *top.notes))


def _rules_text(d: ModelDiff) -> list[str]:
    """One line for each rule, after a line with the number of rows."""
    n_fit = int(d.tree.rows[0])
    lines = []
    if d.agreement:
        above = f"Where they agree, with counts of the {n_fit:,} rows used to find that:"
        lines += ["", above, *numbered(enumerate(d.agreement, len(d.rules)), d.names)]
    if d.rules:
        above = f"Rules, with counts of the {n_fit:,} rows used to find them:"
        lines += ["", above, *numbered(enumerate(d.rules), d.names)]
    if d.score_sentences:
        lines += ["", *d.score_sentences]
    return lines


def _groups_text(d: ModelDiff) -> list[str]:
    """The rate of each group, over all rows and inside each rule."""
    by = redacted_groups(d)
    if by is None:
        return []
    lines = ["", f"Rows that differ, by {by.name}:"]
    for group in by.groups:
        ways = ", ".join(map(way_text, group.ways))
        text = f"  {group.value}: {group.differing:,} of {group.rows:,}"
        text += f" ({percent(group.rate)}{': ' * bool(ways)}{ways})" if group.rate else ""
        right = group.correctness
        if right is not None and right.known:
            text += f"; fixes {amount(right.fixes)}, breaks {amount(right.breaks)}"
            text += f", net {right.net_text(as_share=True)}"
        lines.append(text)
    lines += ["", f"Share of the rows that differ, by {by.name}:"]
    inside = [(f"rule {number}", groups) for number, groups in enumerate(by.rules)]
    for name, groups in [("all rows", by.groups), *inside]:
        rates = (f"{group.value}: {rate_of_group(group)}" for group in groups)
        lines.append(f"  {name}: {'; '.join(rates)}")
    return lines


def json_report(
    d: ModelDiff,
    verdict: Verdict | None,
    remarks: Sequence[str],
    written: Sequence[Path],
    labels: LabelledNet | None = None,
) -> str:
    """The report as one JSON document; ``verdict`` is None if there is no limit."""
    by = redacted_groups(d)
    checks = () if verdict is None else verdict.checks
    allowed: dict[str, float] = {one.limit: one.allowed for one in checks}
    report = {
        "format": FORMAT,
        "version": VERSION,
        "verdict": None if verdict is None else _verdict(verdict),
        "names": list(d.names),
        "headline": _headline(d),
        "compared": d.outputs,
        "tolerance": _value(d.tolerance),
        **{one.name: _value(one.of(d.metrics)) for one in METRICS if one.in_report},
        "right": _right(d.right),
        "correctness": _right(d.correctness),
        "labels": None if labels is None else _labels(labels),
        "rules": [_rule(rule) for rule in d.rules],
        "agreement": [_rule(rule) for rule in d.agreement],
        "by": None if by is None else _groups(by),
        "allowed": {one.name: allowed.get(one.name) for one in fields(Limits)},
        "failed": verdict is not None and not verdict.passed,
        "remarks": list(remarks),
        "written": [str(path) for path in written],
    }
    return json.dumps(report, indent=2, allow_nan=False)


def _verdict(verdict: Verdict) -> dict[str, Any]:
    def plain(check: Check) -> dict[str, Any]:
        return {one.name: _value(getattr(check, one.name)) for one in fields(check)}

    return {
        "passed": verdict.passed,
        "text": str(verdict),
        "checks": [plain(check) for check in verdict.checks],
        "notes": list(verdict.notes),
    }


def _groups(by: ByGroups) -> dict[str, Any]:
    def group(one: GroupRate) -> dict[str, Any]:
        return {**asdict(one), "correctness": _right(one.correctness)}

    return {
        "name": by.name,
        "groups": [group(one) for one in by.groups],
        "rules": [[group(one) for one in groups] for groups in by.rules],
        "conditions": list(by.conditions),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "text": rule_text(rule),
        "conditions": [condition_text(condition) for condition in rule.conditions],
        "query": or_none(rule.to_query),
        "sql": or_none(rule.to_sql),
        "outcomes": [_label(outcome) for outcome in rule.outcomes],
        "outcome_share": _value(rule.outcome_share),
        "title": str(rule.title),
        **rule_measures(rule),
        "right": _right(rule.right),
        "holdout_right": _right(rule.holdout_right),
        "correctness": _right(rule.correctness),
    }


def _right(right: Right | None) -> dict[str, Any] | None:
    if right is None:
        return None
    counts = {name: _value(getattr(right, name)) for name in RIGHT_COUNTS}
    numbers = {name: _value(getattr(right, name)) for name in RIGHT_NUMBERS}
    return {
        **counts,
        "accuracy": [_value(share) for share in right.accuracy],
        **numbers,
        "net_interval": _value(right.net_interval),
        "net_share": _value(right.net_share),
        "net_share_interval": _value(right.net_share_interval),
        "p_value": _value(right.p_value),
        "losses": [_loss(loss) for loss in right.losses],
    }


def _labels(labels: LabelledNet) -> dict[str, Any]:
    names = ("labels", "fixes", "breaks", "net", "net_interval", "net_share", "net_share_interval")
    return {
        "text": str(labels),
        **{name: _value(getattr(labels, name)) for name in (*names, "p_value", "effective_rows")},
        "losses": [_loss(loss) for loss in labels.losses],
        "strata": to_json(labels.strata),
    }


def _loss(loss: PairedLoss) -> dict[str, Any]:
    names = ("name", "means", "difference", "interval", "p_value")
    return {name: _value(getattr(loss, name)) for name in names}


def _value(value: Any) -> Any:
    """A JSON value: NaN and infinities become null, tuples lists, other objects text."""
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _label(label: Any) -> Any:
    return str(label) if isinstance(label, tuple) else _value(label)
