"""Removes from columns, histograms and groups the values that a file does not need to name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from imd_widget.comparison.by_groups import ByGroups
from imd_widget.comparison.results import Results
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.column_bins import OTHERS
from imd_widget.data.columns import Column
from imd_widget.rules.languages import value_text
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind

#: Values of fewer rows than this are not named in the explanations of a page, nor as groups.
FEWEST_SHARED = 10


def used_values(column: Column, tree: JointTree, rules: Sequence[Rule]) -> Column:
    """Return the column with only the thresholds or categories that the tree or a rule names."""
    position = column.position
    splits = np.flatnonzero((tree.kind == Kind.SPLIT) & (tree.column == position))
    cuts = {int(cut) for cut in tree.cut[splits]}
    named = {
        value
        for rule in rules
        for condition in rule.conditions
        if condition.position == position
        for value in condition.named
    }
    return column.only(cuts, named)


def redacted_histograms(results: Results) -> dict[int, SplitHistogram]:
    """Return the histogram of every split; categories that nothing names share one bar."""
    tree = results.tree
    redacted = {}
    for node, histogram in results.bars.items():
        if histogram.labels is not None:
            kept = used_values(tree.columns[int(tree.column[node])], tree, results.rules)
            labels = {value_text(category) for category in kept.categories or ()}
            histogram = _only(histogram, labels)
        redacted[node] = histogram
    return redacted


def _only(bars: SplitHistogram, known: Collection[str]) -> SplitHistogram:
    """Return the histogram with one bar per known category and one for all others."""
    labels = bars.labels or ()
    kept = [index for index, label in enumerate(labels) if label in known]
    rest = [index for index in range(len(labels)) if index not in kept]
    if not rest:
        return bars

    def merged(rows: tuple[int, ...]) -> tuple[int, ...]:
        return (*(rows[index] for index in kept), sum(rows[index] for index in rest))

    return replace(
        bars,
        labels=(*(labels[index] for index in kept), OTHERS),
        same=merged(bars.same),
        differ=merged(bars.differ),
    )


def redacted_groups(by: ByGroups) -> ByGroups:
    """Return the rates by group; groups of fewer than `FEWEST_SHARED` rows have no name."""
    small = [at for at, group in enumerate(by.groups) if group.rows < FEWEST_SHARED]
    names = {at: f"small group {number}" for number, at in enumerate(small, start=1)}
    named = [
        tuple(replace(own, value=names.get(at, own.value)) for at, own in enumerate(groups))
        for groups in (by.groups, *by.rules)
    ]
    return replace(by, groups=named[0], rules=tuple(named[1:]))
