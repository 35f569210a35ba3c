"""Removes from columns and histograms the values that neither the tree nor a rule names."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from imd_widget.comparison.results import Results
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.column_bins import OTHERS
from imd_widget.data.columns import Column
from imd_widget.rules.languages import value_text
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind


def needed(column: Column, tree: JointTree, rules: Sequence[Rule]) -> Column:
    """The column with only those thresholds or categories that the tree or a rule names."""
    at = column.position
    splits = np.flatnonzero((tree.kind == Kind.SPLIT) & (tree.column == at))
    cuts = {int(cut) for cut in tree.cut[splits]}
    named = {
        value
        for rule in rules
        for condition in rule.conditions
        if condition.position == at
        for value in condition.named
    }
    return column.only(cuts, named)


def redacted_histograms(found: Results) -> dict[int, SplitHistogram]:
    """The histogram of every split; categories that nothing names share one bar."""
    tree = found.tree
    bars = {}
    for node, own in found.bars.items():
        if own.labels is not None:
            kept = needed(tree.columns[int(tree.column[node])], tree, found.rules)
            own = _only(own, {value_text(category) for category in kept.categories or ()})
        bars[node] = own
    return bars


def _only(bars: SplitHistogram, known: Collection[str]) -> SplitHistogram:
    """The bars of known categories, and all others together."""
    labels = bars.labels or ()
    kept = [at for at, label in enumerate(labels) if label in known]
    rest = [at for at in range(len(labels)) if at not in kept]
    if not rest:
        return bars

    def merged(rows: tuple[int, ...]) -> tuple[int, ...]:
        return (*(rows[at] for at in kept), sum(rows[at] for at in rest))

    return replace(
        bars,
        labels=(*(labels[at] for at in kept), OTHERS),
        same=merged(bars.same),
        differ=merged(bars.differ),
    )
