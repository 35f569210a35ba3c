"""A joint tree while it grows; dropped when the immutable one is made of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from imd_widget.columns import Column
from imd_widget.tree.joint_tree import NONE, JointTree, Kind, Side, Step
from imd_widget.tree.splitter import Split


@dataclass
class TreeBuilder:
    """Nodes of a growing tree, each a leaf until it is made something else."""

    columns: tuple[Column, ...]
    labels: tuple[Hashable, ...]
    pairs: NDArray[np.int64]
    kind: list[Kind] = field(default_factory=list)
    side: list[Side] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    missing: list[bool] = field(default_factory=list)
    counts: list[NDArray[np.int64]] = field(default_factory=list)

    @classmethod
    def thaw(cls, tree: JointTree) -> TreeBuilder:
        """A builder that starts from a fitted tree, which stays as it is."""
        return cls(
            tree.columns,
            tree.labels,
            tree.pairs,
            kind=[Kind(kind) for kind in tree.kind],
            side=[Side(side) for side in tree.side],
            parent=tree.parent.tolist(),
            children=tree.children.tolist(),
            column=tree.column.tolist(),
            cut=tree.cut.tolist(),
            missing=tree.missing.tolist(),
            counts=list(tree.counts),
        )

    def add(self, parent: int, side: Side, counts: NDArray[np.int64]) -> int:
        """A new node, a leaf until it is made something else; its number."""
        self.kind.append(Kind.LEAF)
        self.side.append(side)
        self.parent.append(parent)
        self.children.append([NONE, NONE])
        self.column.append(NONE)
        self.cut.append(NONE)
        self.missing.append(False)
        self.counts.append(counts)
        return len(self.kind) - 1

    def make_split(
        self, node: int, split: Split | Step, yes_counts: NDArray[np.int64]
    ) -> list[int]:
        """Split ``node``; its "yes" and "no" child."""
        side, counts = self.side[node], self.counts[node]
        self.kind[node] = Kind.SPLIT
        self.column[node] = split.column
        self.cut[node] = split.cut
        self.missing[node] = split.missing
        self.children[node] = [
            self.add(node, side, yes_counts),
            self.add(node, side, counts - yes_counts),
        ]
        return self.children[node]

    def make_or(self, node: int) -> list[int]:
        """Let the models part at ``node``; the root of either branch."""
        self.kind[node] = Kind.OR
        counts = self.counts[node]
        self.children[node] = [self.add(node, side, counts) for side in (Side.FIRST, Side.SECOND)]
        return self.children[node]

    def graft(self, node: int, tree: JointTree, start: int) -> None:
        """Put all that hangs below ``start`` in ``tree`` below ``node``."""
        if tree.kind[start] == Kind.LEAF:
            return
        below = [int(child) for child in tree.children[start]]
        if tree.kind[start] == Kind.OR:
            grown = self.make_or(node)
        else:
            grown = self.make_split(node, tree.question(start), tree.counts[below[0]])
        for own, theirs in zip(grown, below, strict=True):
            self.graft(own, tree, theirs)

    def freeze(self) -> JointTree:
        """The tree as it is now."""
        return JointTree(
            columns=self.columns,
            labels=self.labels,
            pairs=self.pairs,
            kind=np.array(self.kind, dtype=np.int8),
            side=np.array(self.side, dtype=np.int8),
            parent=np.array(self.parent, dtype=np.int32),
            children=np.array(self.children, dtype=np.int32),
            column=np.array(self.column, dtype=np.int32),
            cut=np.array(self.cut, dtype=np.int32),
            missing=np.array(self.missing, dtype=bool),
            counts=np.array(self.counts, dtype=np.int64),
        )
