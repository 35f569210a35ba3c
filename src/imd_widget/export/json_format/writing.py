"""Writing of a diff as JSON, with everything that is needed to show it and to predict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from imd_widget._base.version import __version__
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import needed, redacted_histograms
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.counting.channels import Channels, ClassChannels, ValueChannels
from imd_widget.data.boxes import yes_codes
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.export.json_format.values import to_plain
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.spec import ClassOutputs, Outputs
from imd_widget.rules.conditions import Condition, Interval, Membership, condition
from imd_widget.rules.languages import condition_text
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind

FORMAT = "imd-widget diff"
#: Increases when a field changes its meaning or is removed.
VERSION = 1


def file_text(diff: ModelDiff) -> str:
    """A diff as the text of a JSON file, with one line for each node, rule and column."""
    parts = contents(diff)
    lines = [f" {json.dumps(name)}: {_part(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def contents(diff: ModelDiff) -> dict[str, Any]:
    """A diff as a JSON object."""
    results, tree = diff._results, diff.tree
    columns = [needed(column, tree, diff.rules) for column in tree.columns]
    bars = redacted_histograms(results)
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"imd-widget {__version__}",
        "names": list(diff.names),
        "summary": diff.summary(),
        "options": asdict(results.options),
        "refinements": results.refinements,
        "outputs": _outputs(tree.outputs),
        "counted": _target(tree.target),
        "columns": [_column(column) for column in columns],
        "nodes": [_node(tree, node, columns, bars) for node in range(tree.n_nodes)],
        "rules": [_rule(rule) for rule in diff.rules],
        "metrics": asdict(results.metrics),
        "right": _right(results.right),
        "holdout_right": _right(results.holdout_right),
        "has_own_holdout": results.has_own_holdout,
        "refinable": list(results.refinable),
    }


def _part(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        records = ",\n  ".join(
            json.dumps(one, ensure_ascii=False, allow_nan=False) for one in value
        )
        return f"[\n  {records}\n ]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _column(column: Column) -> dict[str, Any]:
    plain = {
        "name": to_plain(column.name, "the column name"),
        "unique": column.unique,
        "unique_in_sql": column.unique_in_sql,
        "has_missing": column.has_missing,
        "storage": column.storage,
    }
    if isinstance(column, CategoryColumn):
        categories = [to_plain(c, "the category") for c in column.categories]
        return {**plain, "kind": "category", "categories": categories, "complete": column.complete}
    dtype = column.thresholds.dtype
    number = column.thresholds.view(np.int64) if dtype.kind in "mM" else column.thresholds
    order = None
    if column.categories is not None:
        order = [to_plain(category, "the category") for category in column.categories]
    return {
        **plain,
        "kind": "ordered",
        "dtype": str(dtype),
        # tolist() of longdouble returns NumPy scalars
        "thresholds": [
            to_plain(one, "the threshold") if isinstance(one, np.generic) else one
            for one in number.tolist()
        ],
        "order": order,
        "with_timezone": column.timezone is not None,
        "whole": column.whole,
        # for the first release, which does not read "storage"
        "python_dates": column.storage == "objects",
    }


def _node(
    tree: JointTree, node: int, columns: Sequence[Column], bars: Mapping[int, SplitHistogram]
) -> dict[str, Any]:
    plain: dict[str, Any] = {"id": tree.ids[node], "kind": Kind(tree.kind[node]).name.lower()}
    if tree.kind[node] == Kind.SPLIT:
        step = tree.question(node)
        full, kept = tree.columns[step.column], columns[step.column]
        is_yes = condition(full, yes_codes(full, step.cut, step.missing))
        plain |= {
            "condition": condition_text(is_yes),
            "column": step.column,
            "cut": _cut_among(full, step.cut, kept),
            "missing_says_yes": step.missing,
            "bars": asdict(bars[node]),
        }
    plain["counts"] = tree.counts[node].tolist()
    if tree.label_rows is not None:
        plain["label_rows"] = tree.label_rows[node].tolist()
    plain["sums"] = tree.sums[node][:4].tolist()
    return plain


def _cut_among(full: Column, cut: int, kept: Column) -> int:
    """Position of a cut among the thresholds or categories that are written."""
    if isinstance(full, OrderedColumn) and isinstance(kept, OrderedColumn):
        if cut == len(full.thresholds):  # the split on whether the value is missing
            return len(kept.thresholds)
        return int(np.searchsorted(kept.thresholds, full.thresholds[cut]))
    assert isinstance(full, CategoryColumn)
    assert isinstance(kept, CategoryColumn)
    if cut >= len(full.categories):  # any other category, or missing
        return len(kept.categories) + cut - len(full.categories)
    return kept.categories.index(full.categories[cut])


def _rule(rule: Rule) -> dict[str, Any]:
    plain = {name: value for name, value in vars(rule).items() if name not in _RULE_PARTS}
    return {
        "text": str(rule),
        "conditions": [_condition(c) for c in rule.conditions],
        "outcomes": [to_plain(outcome, "the label") for outcome in rule.outcomes],
        "other_outcomes": [
            {"outcomes": [to_plain(o, "the label") for o in other.outcomes], "share": other.share}
            for other in rule.other_outcomes
        ],
        **plain,
        "right": _right(rule.right),
        "holdout_right": _right(rule.holdout_right),
    }


_RULE_PARTS = ("conditions", "outcomes", "other_outcomes", "right", "holdout_right")


def _condition(c: Condition) -> dict[str, Any]:
    plain: dict[str, Any] = {"column": c.position}
    if isinstance(c, Interval):
        low, high = (to_plain(bound, "the bound") for bound in (c.low, c.high))
        return {**plain, "low": low, "high": high, "or_missing": c.missing}
    if isinstance(c, Membership):
        values = [to_plain(value, "the category") for value in c.values]
        which = "not_one_of" if c.negated else "one_of"
        return {**plain, which: values, "or_missing": c.missing}
    return {**plain, "is_missing": c.missing}


def _outputs(outputs: Outputs) -> Mapping[str, Any]:
    if isinstance(outputs, ClassOutputs):
        labels = [to_plain(label, "the label") for label in outputs.labels]
        return {"kind": "class", "labels": labels, "class_names": list(outputs.class_names)}
    return asdict(outputs)


def _target(target: Channels) -> Mapping[str, Any]:
    assert isinstance(target, ClassChannels | ValueChannels)
    return asdict(target)


def _right(right: Right | None) -> dict[str, Any] | None:
    return None if right is None else asdict(right)
