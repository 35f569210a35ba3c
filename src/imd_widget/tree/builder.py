"""The mutable joint tree that the grower works on; `TreeBuilder.freeze` makes it immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from imd_widget.data.columns import Column
from imd_widget.tree.shape import NONE, Kind, Side, Step, TreeShape
from imd_widget.tree.splitter import Split


@dataclass
class TreeBuilder:
    """Nodes of a growing tree. A new node is a leaf until it becomes a split or an or-node."""

    columns: tuple[Column, ...]
    kind: list[Kind] = field(default_factory=list)
    side: list[Side] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    missing: list[bool] = field(default_factory=list)

    @classmethod
    def root(cls, columns: tuple[Column, ...]) -> TreeBuilder:
        """Return a tree of one shared node, number 0."""
        builder = cls(columns)
        builder._add(NONE, Side.SHARED)
        return builder

    @classmethod
    def thaw(cls, tree: TreeShape) -> TreeBuilder:
        """Return a builder that starts from a copy of a finished tree."""
        return cls(
            tree.columns,
            kind=[Kind(kind) for kind in tree.kind],
            side=[Side(side) for side in tree.side],
            parent=tree.parent.tolist(),
            children=tree.children.tolist(),
            column=tree.column.tolist(),
            cut=tree.cut.tolist(),
            missing=tree.missing.tolist(),
        )

    def make_split(self, node: int, split: Split | Step) -> list[int]:
        """Split ``node``; return its "yes" and "no" child."""
        self.kind[node] = Kind.SPLIT
        self.column[node] = split.column
        self.cut[node] = split.cut
        self.missing[node] = split.missing
        self.children[node] = [self._add(node, self.side[node]) for _ in range(2)]
        return self.children[node]

    def make_or(self, node: int) -> list[int]:
        """Turn ``node`` into an or-node; return the roots of the branches of model 1 and 2."""
        self.kind[node] = Kind.OR
        self.children[node] = [self._add(node, side) for side in (Side.FIRST, Side.SECOND)]
        return self.children[node]

    def graft(self, node: int, tree: TreeShape, start: int) -> None:
        """Copy the subtrees below ``start`` in ``tree`` to below ``node``."""
        if tree.kind[start] == Kind.LEAF:
            return
        sources = [int(child) for child in tree.children[start]]
        if tree.kind[start] == Kind.OR:
            children = self.make_or(node)
        else:
            children = self.make_split(node, tree.question(start))
        for child, source in zip(children, sources, strict=True):
            self.graft(child, tree, source)

    def close(self) -> None:
        """Turn every leaf of the shared part into an or-node with one leaf per model."""
        for node, side in enumerate(list(self.side)):
            if side == Side.SHARED and self.kind[node] == Kind.LEAF:
                self.make_or(node)

    def freeze(self) -> TreeShape:
        """Return the current tree as an immutable `TreeShape`."""
        return TreeShape(
            columns=self.columns,
            kind=np.array(self.kind, dtype=np.int8),
            side=np.array(self.side, dtype=np.int8),
            parent=np.array(self.parent, dtype=np.int32),
            children=np.array(self.children, dtype=np.int32),
            column=np.array(self.column, dtype=np.int32),
            cut=np.array(self.cut, dtype=np.int32),
            missing=np.array(self.missing, dtype=bool),
        )

    def _add(self, parent: int, side: Side) -> int:
        self.kind.append(Kind.LEAF)
        self.side.append(side)
        self.parent.append(parent)
        self.children.append([NONE, NONE])
        self.column.append(NONE)
        self.cut.append(NONE)
        self.missing.append(False)
        return len(self.kind) - 1
