"""The refinement step of "imd" and "separate": split leaves for the model they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget.counting.channels import Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.requests import Histograms
from imd_widget.tree.shape import TreeShape
from imd_widget.tree.source import CountSource
from imd_widget.tree.splitter import NodeSplits


def split_leaves(
    tree: TreeShape, source: CountSource, leaves: Sequence[int], min_samples_leaf: int
) -> TreeShape:
    """Return a new tree in which each of ``leaves`` that has an allowed split is split once."""
    builder = TreeBuilder.thaw(tree)
    histograms = source.answer(Histograms([tree.path(leaf) for leaf in leaves]))
    for leaf, histogram in zip(leaves, histograms, strict=True):
        splits = leaf_splits(tree, source, leaf, histogram, min_samples_leaf)
        if not splits.none:
            builder.make_split(leaf, splits.best_for(Purpose(tree.side[leaf] - 1))[0])
    return builder.freeze()


def leaf_splits(
    tree: TreeShape, source: CountSource, leaf: int, histogram: Histogram, min_samples_leaf: int
) -> NodeSplits:
    """Return the allowed splits of a leaf of one model."""
    purposes, depth = [Purpose(tree.side[leaf] - 1)], len(tree.path(leaf))
    return NodeSplits(histogram, source.target, source.layout, min_samples_leaf, purposes, depth)
