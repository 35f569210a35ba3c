"""Histograms of the rows at a split over the column of the split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column
from imd_widget.rules.languages import column_value_text
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.requests import CodeCounts
from imd_widget.tree.shape import Kind
from imd_widget.tree.source import CountSource


@dataclass(frozen=True)
class SplitHistogram:
    """Numbers of rows by the value of a column, in a few bars.

    Attributes
    ----------
    low, high : str
        Ends of the range of an ordered column, as text; empty for other columns.
    cut : int or None
        Index of the first bar that goes to "no"; None for a column without order.
    labels : tuple of str or None
        Label of each bar; None for an ordered column.
    same, differ : tuple of int
        Numbers of rows on which the models agree and differ, by bar.
    missing : tuple of two int, or None
        The same two numbers for rows without a value; None if there are no such rows.
    """

    low: str
    high: str
    cut: int | None
    labels: tuple[str, ...] | None
    same: tuple[int, ...]
    differ: tuple[int, ...]
    missing: tuple[int, int] | None


def split_histograms(tree: JointTree, source: CountSource) -> dict[int, SplitHistogram]:
    """Return the histogram of the rows at every split, by node number."""
    nodes = np.flatnonzero(tree.kind == Kind.SPLIT).tolist()
    steps = [tree.question(node) for node in nodes]
    with source.session():
        paths = [tree.path(node) for node in nodes]
        counts = source.answer(CodeCounts(paths, [step.column for step in steps]))
    return {
        node: split_histogram_of(tree.columns[step.column], step.cut, node_counts)
        for node, step, node_counts in zip(nodes, steps, counts, strict=True)
    }


def split_histogram_of(column: Column, cut: int, counts: NDArray[np.int64]) -> SplitHistogram:
    """Return the histogram for counts of shape (n_codes, 2), by code and (same, differ)."""
    missing = None
    if column.has_missing:
        same, differ = counts[column.n_values].tolist()
        missing = (same, differ) if same + differ else None
    values = counts[: column.n_values]
    bins = column.bins(cut, values.sum(axis=1), partial(column_value_text, column.name))
    summed = [values[codes].sum(axis=0).tolist() for codes in bins.codes]
    return SplitHistogram(
        low=bins.low,
        high=bins.high,
        cut=bins.cut,
        labels=bins.labels,
        same=tuple(bar[0] for bar in summed),
        differ=tuple(bar[1] for bar in summed),
        missing=missing,
    )
