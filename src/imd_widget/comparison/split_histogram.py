"""How the rows at a split are spread over the column that it asks about."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column, OrderedColumn
from imd_widget.rules.conditions import bound_value
from imd_widget.rules.languages import value_text
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind
from imd_widget.tree.source import CountSource

#: Most bars of a column with an order, and of one without.
MOST_BARS, MOST_CATEGORIES = 24, 10
#: What the bar of all other categories is called.
OTHERS = "all others"


@dataclass(frozen=True)
class SplitHistogram:
    """Rows by the value of a column, as few bars.

    Attributes
    ----------
    low, high : str
        Of a column with an order: where it begins and ends, as far as thresholds tell.
    cut : int or None
        Of a column with an order: the first bar that says no.
    labels : tuple of str or None
        Of a column without an order: what each bar stands for.
    same, differ : tuple of int
        Rows on which the models are the same, and on which they differ.
    missing : tuple of two int, or None
        The same of rows without a value.
    """

    low: str
    high: str
    cut: int | None
    labels: tuple[str, ...] | None
    same: tuple[int, ...]
    differ: tuple[int, ...]
    missing: tuple[int, int] | None


def split_histograms(tree: JointTree, source: CountSource) -> dict[int, SplitHistogram]:
    """How the rows at every split are spread, by its number."""
    nodes = np.flatnonzero(tree.kind == Kind.SPLIT).tolist()
    steps = [tree.question(node) for node in nodes]
    with source.session():
        counts = source.code_counts(
            [tree.path(node) for node in nodes], [step.column for step in steps]
        )
    return {
        node: split_histogram_of(tree.columns[step.column], step.cut, own)
        for node, step, own in zip(nodes, steps, counts, strict=True)
    }


def split_histogram_of(column: Column, cut: int, counts: NDArray[np.int64]) -> SplitHistogram:
    """SplitHistogram from counts by code (same, differ); ``cut`` is what the split asks about."""
    absent = None
    if column.has_missing:
        one, two = counts[column.n_values].tolist()
        absent = (one, two) if one + two else None
    values = counts[: column.n_values]
    if not isinstance(column, OrderedColumn):
        names = [*(value_text(name) for name in column.categories), "others"]
        return _categories(names, cut, values, absent)
    left = _groups(0, cut + 1, column.n_values)
    right = _groups(cut + 1, column.n_values, column.n_values)
    summed = np.array([values[start:stop].sum(axis=0) for start, stop in (*left, *right)])
    last = len(column.thresholds) - 1
    return SplitHistogram(
        low=f"< {value_text(bound_value(column, 0))}" if last >= 0 else "",
        high=f">= {value_text(bound_value(column, last))}" if last >= 0 else "",
        cut=len(left),
        labels=None,
        same=tuple(summed[:, 0].tolist()),
        differ=tuple(summed[:, 1].tolist()),
        missing=absent,
    )


def _categories(
    names: list[str], cut: int, values: NDArray[np.int64], absent: tuple[int, int] | None
) -> SplitHistogram:
    total = values.sum(axis=1)
    asked = [cut] if cut < len(values) else []  # else it asks whether there is a value
    order = [*asked, *(at for at in np.argsort(-total, kind="stable").tolist() if at not in asked)]
    kept = [at for at in order[:MOST_CATEGORIES] if total[at] or at in asked]
    rest = values[[at for at in order if at not in kept]].sum(axis=0)
    shown, labels = [values[at] for at in kept], [names[at] for at in kept]
    if rest.sum():
        shown.append(rest)
        labels.append(OTHERS)
    return SplitHistogram(
        low="",
        high="",
        cut=None,
        labels=tuple(labels),
        same=tuple(int(own[0]) for own in shown),
        differ=tuple(int(own[1]) for own in shown),
        missing=absent,
    )


def _groups(start: int, stop: int, n_values: int) -> list[tuple[int, int]]:
    """Codes from ``start`` to ``stop`` in groups, as many as their share of all bars."""
    size = stop - start
    n_bars = min(size, max(1, round(MOST_BARS * size / n_values)))
    edges = np.linspace(start, stop, n_bars + 1).round().astype(int).tolist()
    return list(pairwise(edges))
