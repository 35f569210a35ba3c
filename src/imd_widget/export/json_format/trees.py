"""Reads the joint tree from plain values and checks it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import Plain, fits, listed, shown, whole
from imd_widget.counting.channels import Channels
from imd_widget.data.columns import Column
from imd_widget.outputs.interface import Outputs
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind, Side, TreeShape


def tree_of(
    nodes: Sequence[Plain], columns: tuple[Column, ...], outputs: Outputs, target: Channels
) -> JointTree:
    """The joint tree. An id is a path from the root, so the ids determine the shape."""
    if target.n_label_channels != len(outputs.labels):
        raise ValueError("outputs and counts are of different kinds")
    ids = [str(node["id"]) for node in nodes]
    number = {name: at for at, name in enumerate(ids)}
    if len(number) != len(ids) or not ids or ids[0] != "r":
        raise ValueError("the ids of the nodes are not those of a tree")
    kinds = [Kind[node["kind"].upper()] for node in nodes]
    size = len(ids)
    parent = np.full(size, NONE, dtype=np.int32)
    children = np.full((size, 2), NONE, dtype=np.int32)
    side = np.zeros(size, dtype=np.int8)
    for at in range(1, size):
        above = number.get(ids[at][:-1], size)
        branches = {Kind.SPLIT: "yn", Kind.OR: "12"}.get(kinds[above] if above < at else Kind.LEAF)
        if branches is None or ids[at][-1] not in branches:
            raise ValueError(f"the node {shown(ids[at])} hangs nowhere")
        which = branches.index(ids[at][-1])
        parent[at], children[above, which] = above, at
        side[at] = which + 1 if kinds[above] == Kind.OR else side[above]
        if kinds[at] == Kind.OR and side[at] != Side.SHARED:
            raise ValueError(f"the or-node {ids[at]!r} lies below another one")
    for at, kind in enumerate(kinds):
        if (kind != Kind.LEAF) == (NONE in children[at].tolist()):
            raise ValueError(f"the node {ids[at]!r} lacks a branch")
        if kind == Kind.LEAF and side[at] == Side.SHARED:
            raise ValueError(f"the leaf {ids[at]!r} belongs to no model")
    asked = [_question(node, columns) for node in nodes]
    shape = TreeShape(
        columns=columns,
        kind=np.array(kinds, dtype=np.int8),
        side=side,
        parent=parent,
        children=children,
        column=np.array([one[0] for one in asked], dtype=np.int32),
        cut=np.array([one[1] for one in asked], dtype=np.int32),
        missing=np.array([one[2] for one in asked], dtype=bool),
    )
    counts = np.array([_counts(node) for node in nodes], dtype=np.int64)
    sums = np.array([node["sums"] for node in nodes], dtype=np.float64).reshape(size, -1)
    if counts.shape != (size, target.n_counts) or sums.shape != (size, target.n_sums):
        raise ValueError("the counts of the nodes have another form than the outputs")
    if not np.isfinite(sums).all():
        raise ValueError("a sum is no number")
    return JointTree.over(shape, target, outputs, counts, sums, _label_rows(nodes, target))


def _label_rows(nodes: Sequence[Plain], target: Channels) -> NDArray[np.int64] | None:
    """Rows by label if rows have weights; None if the file, one of the first, has none."""
    if not target.n_label_channels or "label_rows" not in nodes[0]:
        return None
    rows = np.array([listed(node, "label_rows") for node in nodes])
    shape = (len(nodes), 2, target.n_label_channels)
    if rows.shape != shape or rows.dtype.kind != "i" or rows.min() < 0:
        raise ValueError("the rows by label of the nodes have another form than the outputs")
    return rows


def _counts(node: Plain) -> tuple[int, ...]:
    counts = tuple(listed(node, "counts"))
    if not fits(counts, tuple[int, ...]):
        raise ValueError(f"the counts of {shown(node['id'])} are {shown(counts)}")
    return counts


def _question(node: Plain, columns: Sequence[Column]) -> tuple[int, int, bool]:
    if node["kind"] != "split":
        return NONE, NONE, False
    column = whole(node["column"], "the column of a question", 0, len(columns))
    cut = whole(node["cut"], "the cut of a question", 0, columns[column].n_codes)
    return column, cut, bool(node["missing_says_yes"])
