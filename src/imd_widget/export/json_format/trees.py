"""Reads the joint tree from plain values and checks it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import Plain, listed, matches_type, shown, whole
from imd_widget.counting.channels import Channels
from imd_widget.data.columns import Column
from imd_widget.outputs.interface import Outputs
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind, Side, TreeShape


def tree_of(
    nodes: Sequence[Plain], columns: tuple[Column, ...], outputs: Outputs, target: Channels
) -> JointTree:
    """Return the joint tree; ValueError if the nodes do not form one.

    An id is a path from the root, so the ids determine the shape.
    """
    if target.n_label_channels != len(outputs.labels):
        raise ValueError("outputs and counts are of different kinds")
    ids = [str(node["id"]) for node in nodes]
    index = {name: node for node, name in enumerate(ids)}
    if len(index) != len(ids) or not ids or ids[0] != "r":
        raise ValueError("the ids of the nodes are not those of a tree")
    kinds = [Kind[node["kind"].upper()] for node in nodes]
    size = len(ids)
    parent = np.full(size, NONE, dtype=np.int32)
    children = np.full((size, 2), NONE, dtype=np.int32)
    side = np.zeros(size, dtype=np.int8)
    for node in range(1, size):
        above = index.get(ids[node][:-1], size)
        # a parent comes before its children
        parent_kind = kinds[above] if above < node else Kind.LEAF
        branches = {Kind.SPLIT: "yn", Kind.OR: "12"}.get(parent_kind)
        if branches is None or ids[node][-1] not in branches:
            raise ValueError(f"the node {shown(ids[node])} has no parent")
        branch = branches.index(ids[node][-1])
        parent[node], children[above, branch] = above, node
        side[node] = branch + 1 if kinds[above] == Kind.OR else side[above]
        if kinds[node] == Kind.OR and side[node] != Side.SHARED:
            raise ValueError(f"the or-node {ids[node]!r} lies below another one")
    for node, kind in enumerate(kinds):
        if (kind != Kind.LEAF) == (NONE in children[node].tolist()):
            raise ValueError(f"the node {ids[node]!r} lacks a branch")
        if kind == Kind.LEAF and side[node] == Side.SHARED:
            raise ValueError(f"the leaf {ids[node]!r} belongs to no model")
    splits = [_split(plain, columns) for plain in nodes]
    shape = TreeShape(
        columns=columns,
        kind=np.array(kinds, dtype=np.int8),
        side=side,
        parent=parent,
        children=children,
        column=np.array([split[0] for split in splits], dtype=np.int32),
        cut=np.array([split[1] for split in splits], dtype=np.int32),
        missing=np.array([split[2] for split in splits], dtype=bool),
    )
    counts = np.array([_counts(plain) for plain in nodes], dtype=np.int64)
    sums = np.array([plain["sums"] for plain in nodes], dtype=np.float64).reshape(size, -1)
    if counts.shape != (size, target.n_counts) or sums.shape != (size, target.n_sums):
        raise ValueError("the counts of the nodes have another form than the outputs")
    if not np.isfinite(sums).all():
        raise ValueError("a sum is not a number")
    return JointTree.over(shape, target, outputs, counts, sums, _label_rows(nodes, target))


def _label_rows(nodes: Sequence[Plain], target: Channels) -> NDArray[np.int64] | None:
    """Return the rows by label; None for numbers and for files of releases that wrote none."""
    if not target.n_label_channels or "label_rows" not in nodes[0]:
        return None
    rows = np.array([listed(node, "label_rows") for node in nodes])
    shape = (len(nodes), 2, target.n_label_channels)
    if rows.shape != shape or rows.dtype.kind != "i" or rows.min() < 0:
        raise ValueError("the rows by label of the nodes have another form than the outputs")
    return rows


def _counts(node: Plain) -> tuple[int, ...]:
    counts = tuple(listed(node, "counts"))
    if not matches_type(counts, tuple[int, ...]):
        raise ValueError(f"the counts of {shown(node['id'])} are {shown(counts)}")
    return counts


def _split(node: Plain, columns: Sequence[Column]) -> tuple[int, int, bool]:
    """Column, cut and whether missing values go to "yes"; (NONE, NONE, False) if not a split."""
    if node["kind"] != "split":
        return NONE, NONE, False
    column = whole(node["column"], "the column of a question", 0, len(columns))
    cut = whole(node["cut"], "the cut of a question", 0, columns[column].n_codes)
    return column, cut, bool(node["missing_says_yes"])
