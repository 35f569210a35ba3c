"""A joint tree while it grows; dropped when the immutable one is made of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from imd_widget.data.columns import Column
from imd_widget.tree.shape import NONE, Kind, Side, Step, TreeShape
from imd_widget.tree.splitter import Split


@dataclass
class TreeBuilder:
    """Nodes of a growing tree, each a leaf until it is made something else."""

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
        """A tree of one node, number 0, that both models share."""
        builder = cls(columns)
        builder._add(NONE, Side.SHARED)
        return builder

    @classmethod
    def thaw(cls, tree: TreeShape) -> TreeBuilder:
        """A builder that starts from a finished tree, which stays as it is."""
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
        """Split ``node``; its "yes" and "no" child."""
        self.kind[node] = Kind.SPLIT
        self.column[node] = split.column
        self.cut[node] = split.cut
        self.missing[node] = split.missing
        self.children[node] = [self._add(node, self.side[node]) for _ in range(2)]
        return self.children[node]

    def make_or(self, node: int) -> list[int]:
        """Let the models part at ``node``; the root of either branch."""
        self.kind[node] = Kind.OR
        self.children[node] = [self._add(node, side) for side in (Side.FIRST, Side.SECOND)]
        return self.children[node]

    def graft(self, node: int, tree: TreeShape, start: int) -> None:
        """Put all that hangs below ``start`` in ``tree`` below ``node``."""
        if tree.kind[start] == Kind.LEAF:
            return
        below = [int(child) for child in tree.children[start]]
        if tree.kind[start] == Kind.OR:
            grown = self.make_or(node)
        else:
            grown = self.make_split(node, tree.question(start))
        for own, theirs in zip(grown, below, strict=True):
            self.graft(own, tree, theirs)

    def close(self) -> None:
        """End every way down the shared part in an or-node with at least a leaf a model."""
        for node, side in enumerate(list(self.side)):
            if side == Side.SHARED and self.kind[node] == Kind.LEAF:
                self.make_or(node)

    def freeze(self) -> TreeShape:
        """The tree as it is now."""
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
