"""Histograms of the rows at a split over the column of the split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column
from imd_widget.rules.languages import value_text
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind
from imd_widget.tree.source import CountSource


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
    """The histogram from counts by code (same, differ) and the cut of the split."""
    absent = None
    if column.has_missing:
        one, two = counts[column.n_values].tolist()
        absent = (one, two) if one + two else None
    values = counts[: column.n_values]
    bins = column.bins(cut, values.sum(axis=1), value_text)
    summed = [values[codes].sum(axis=0).tolist() for codes in bins.codes]
    return SplitHistogram(
        low=bins.low,
        high=bins.high,
        cut=bins.cut,
        labels=bins.labels,
        same=tuple(own[0] for own in summed),
        differ=tuple(own[1] for own in summed),
        missing=absent,
    )
