"""Removes from columns, histograms and groups the values that a file does not need to name."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

import numpy as np

from imd_widget.comparison.by_groups import ByGroups, FurtherGroups
from imd_widget.comparison.record import DiffRecord
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.column_bins import OTHERS
from imd_widget.data.columns import Column
from imd_widget.data.derived import is_derived
from imd_widget.data.level_sets import LevelSets
from imd_widget.rules.languages import value_text
from imd_widget.tree.shape import Kind

#: Values of fewer rows than this are not named in the explanations of a page, nor as groups.
FEWEST_SHARED = 10


def used_columns(diff: DiffRecord) -> tuple[Column, ...]:
    """Return the columns of the tree with only the values that a split or a rule names.

    A split refers to a column by its index in ``tree.columns``, a condition by its position in the
    table. The two differ if rules may use some columns of the table only.
    """
    cuts, named = _asked(diff)
    return tuple(
        column.only(cuts.get(index, set()), named.get(column.position, set()))
        for index, column in enumerate(diff.tree.columns)
    )


def written_columns(diff: DiffRecord) -> tuple[int, ...]:
    """Return the indices of the columns that a file lists.

    The name of a derived column may hold a word of a text, or a level of a category, and is only
    written if a split or a rule uses it.
    """
    cuts, named = _asked(diff)
    return tuple(
        index
        for index, column in enumerate(diff.tree.columns)
        if not is_derived(column.name) or index in cuts or column.position in named
    )


def _asked(diff: DiffRecord) -> tuple[dict[int, set[int]], dict[int, set[Hashable]]]:
    """Return the cuts of splits by the index of a column, and values in rules by its position."""
    tree = diff.tree
    cuts: dict[int, set[int]] = {}
    for node in np.flatnonzero(tree.kind == Kind.SPLIT).tolist():
        step = tree.question(node)
        cuts.setdefault(step.column, set()).add(step.cut)
    named: dict[int, set[Hashable]] = {}
    for rule in (*diff.rules, *diff.agreement):
        for condition in rule.conditions:
            named.setdefault(condition.position, set()).update(condition.named)
    # all levels of a set are needed to distinguish it from the others
    for name in (tree.columns[index].name for index in cuts):
        if isinstance(name, LevelSets):
            named.setdefault(name.at, set()).update(name.levels)
    return cuts, named


def redacted_histograms(
    diff: DiffRecord, columns: Sequence[Column] | None = None
) -> dict[int, SplitHistogram]:
    """Return the histogram of every split; categories that nothing names share one bar.

    ``columns`` are those of `used_columns`, if they are at hand.
    """
    columns = used_columns(diff) if columns is None else columns
    redacted = {}
    for node, histogram in diff.split_histograms.items():
        if histogram.labels is not None:
            kept = columns[diff.tree.question(node).column]
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


def redacted_groups(diff: DiffRecord) -> ByGroups | None:
    """Return the rates by group; groups of fewer than `FEWEST_SHARED` rows have no name."""
    by = diff.group_rates
    if by is None:
        return None
    small = [at for at, group in enumerate(by.groups) if group.rows < FEWEST_SHARED]
    names = {at: f"small group {number}" for number, at in enumerate(small, start=1)}
    named = [
        tuple(replace(own, value=names.get(at, own.value)) for at, own in enumerate(groups))
        for groups in (by.groups, *by.rules)
    ]
    conditions = tuple(
        f"{by.name} is {names[at]}" if at in names else where
        for at, where in enumerate(by.conditions)
    )
    return replace(by, groups=named[0], rules=tuple(named[1:]), conditions=conditions)


def redacted_further(further: FurtherGroups, name: str) -> FurtherGroups:
    """Return the groups that are not shown; those of fewer than `FEWEST_SHARED` rows unnamed."""
    return replace(
        further,
        groups=tuple(
            group
            if group.rows >= FEWEST_SHARED
            else replace(group, where=f"a group of {group.rows:,} rows, by {name}")
            for group in further.groups
        ),
    )
