"""One more split of chosen leaves, each for its own model."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.histogram import CountSource
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.splitter import NodeSplits


def split_leaves(
    tree: JointTree, source: CountSource, leaves: Sequence[int], min_samples_leaf: int
) -> JointTree:
    """A new tree in which each of ``leaves`` is split once, where it can be."""
    builder = TreeBuilder.thaw(tree)
    histograms = source.count([tree.path(leaf) for leaf in leaves])
    for leaf, histogram in zip(leaves, histograms, strict=True):
        splits = NodeSplits(histogram, source.layout, min_samples_leaf)
        if not splits.none:
            builder.make_split(leaf, *splits.best_for(tree.side[leaf] - 1))
    return builder.freeze()
