"""Writes a diff as plain values, from which `imd_widget.load` restores it without its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from imd_widget._base.plain import to_json
from imd_widget._base.version import __version__
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import (
    redacted_groups,
    redacted_histograms,
    used_columns,
    written_columns,
)
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.boxes import yes_codes
from imd_widget.data.columns import Column
from imd_widget.methods import method_to_plain
from imd_widget.rules.conditions import condition
from imd_widget.rules.languages import condition_text
from imd_widget.rules.rule import rule_to_plain
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind

FORMAT = "imd-widget diff"
#: Incremented whenever a field changes its meaning or is removed.
VERSION = 1


def file_text(diff: ModelDiff) -> str:
    """Return a diff as the text of a JSON file, with one line for each node, rule and column."""
    parts = contents(diff)
    lines = [f" {json.dumps(name)}: {_part(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def contents(diff: ModelDiff) -> dict[str, Any]:
    """Return a diff as plain values."""
    tree = diff.tree
    by = redacted_groups(diff)
    columns = used_columns(diff)
    place = {index: number for number, index in enumerate(written_columns(diff))}
    bars = redacted_histograms(diff, columns)
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"imd-widget {__version__}",
        "origin": to_json(diff.origin),
        "names": list(diff.names),
        "summary": diff.summary(),
        "options": method_to_plain(diff.fitted_method),
        "refinements": diff.refinements,
        "outputs": tree.outputs.to_plain(),
        "counted": to_json(tree.target),
        "columns": [_column(columns[index], number) for index, number in place.items()],
        "nodes": [_node(tree, node, columns, place, bars) for node in range(tree.n_nodes)],
        "rules": [rule_to_plain(rule) for rule in diff.rules],
        "agreement": [rule_to_plain(rule) for rule in diff.agreement],
        "metrics": to_json(diff.metrics),
        "advice": to_json(diff.suggestions),
        "crosstab": to_json(diff.label_counts),
        "by": to_json(by),
        "further_groups": to_json(diff.further_groups),
        "right": to_json(diff.right),
        "holdout_right": to_json(diff.holdout_right),
        "has_own_holdout": diff.has_own_holdout,
        "has_known_rules": diff.has_known_rules,
        "identifiers": list(diff.identifiers),
        **({"no_scores": diff.no_scores} if diff.no_scores else {}),
        **({"derivations": list(diff.derivations)} if diff.derivations else {}),
        "refinable": list(diff.refinable),
    }


def _column(column: Column, index: int) -> dict[str, Any]:
    plain = column.to_plain()
    # rules may use some columns of the table only
    return plain if column.position == index else {**plain, "position": column.position}


def _part(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        records = ",\n  ".join(
            json.dumps(item, ensure_ascii=False, allow_nan=False) for item in value
        )
        return f"[\n  {records}\n ]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _node(
    tree: JointTree,
    node: int,
    columns: Sequence[Column],
    place: Mapping[int, int],
    bars: Mapping[int, SplitHistogram],
) -> dict[str, Any]:
    plain: dict[str, Any] = {"id": tree.ids[node], "kind": Kind(tree.kind[node]).name.lower()}
    if tree.kind[node] == Kind.SPLIT:
        step = tree.question(node)
        full, kept = tree.columns[step.column], columns[step.column]
        split_condition = condition(full, yes_codes(full, step.cut, step.missing))
        plain |= {
            "condition": condition_text(split_condition),
            "column": place[step.column],
            "cut": full.cut_in(kept, step.cut),
            "missing_says_yes": step.missing,
            "bars": to_json(bars[node]),
        }
    plain["counts"] = tree.counts[node].tolist()
    if tree.label_rows is not None:
        plain["label_rows"] = tree.label_rows[node].tolist()
    plain["sums"] = tree.sums[node][:4].tolist()
    return plain
