"""Breadth-first growth of a joint tree from counts alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from imd_widget.table import NumericColumn
from imd_widget.tree.histogram import CountSource
from imd_widget.tree.joint_tree import NONE, JointTree, Kind, Path, Side, Step
from imd_widget.tree.splitter import NodeSplits, Split


@dataclass(frozen=True)
class GrowthOptions:
    """How far the tree grows and when its two halves part.

    Attributes
    ----------
    max_depth : int
        Largest number of decisions on the way to a leaf.
    alpha : float or None
        None: the surrogates part where one model can be made pure by a single split, the paper's
        condition (6). A number: where the two separate best splits together cost at most ``alpha``
        times the best common one, condition (5); 1 parts them at the root.
    min_samples_leaf : int
        Rows that both sides of a split keep at least.
    """

    max_depth: int
    alpha: float | None
    min_samples_leaf: int


@dataclass
class TreeBuilder:
    """A joint tree while it grows; `freeze` gives the immutable one."""

    columns: tuple[NumericColumn, ...]
    labels: tuple[Hashable, ...]
    pairs: NDArray[np.int64]
    kind: list[Kind] = field(default_factory=list)
    side: list[Side] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
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
        self.counts.append(counts)
        return len(self.kind) - 1

    def make_split(self, node: int, split: Split, yes_counts: NDArray[np.int64]) -> list[int]:
        """Split ``node``; its "yes" and "no" child."""
        side, counts = self.side[node], self.counts[node]
        self.kind[node] = Kind.SPLIT
        self.column[node] = split.column
        self.cut[node] = split.cut
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
            counts=np.array(self.counts, dtype=np.int64),
        )


@dataclass(frozen=True)
class _Open:
    """A node that may still be split, with all that is needed to decide it."""

    node: int
    path: Path
    histogram: NDArray[np.int64]
    splits: NodeSplits


@dataclass(frozen=True)
class _Parted:
    """A node that was split: its children want histograms of their own."""

    parent: _Open
    children: list[int]
    step: Step


class Grower:
    """Grows a joint tree level by level; one request for counts a level.

    Parameters
    ----------
    source : CountSource
    builder : TreeBuilder
        Empty.
    options : GrowthOptions
    """

    def __init__(self, source: CountSource, builder: TreeBuilder, options: GrowthOptions) -> None:
        self._source = source
        self._builder = builder
        self._options = options

    def grow(self) -> JointTree:
        """The whole tree."""
        histogram = self._source.count([()])[0]
        splits = self._splits(histogram)
        root = self._builder.add(NONE, Side.SHARED, splits.counts)
        level = [_Open(root, (), histogram, splits)]
        for depth in range(self._options.max_depth):
            parted = self._decide(level)
            if depth + 1 < self._options.max_depth:  # the last level's children stay leaves
                level = self._open_children(parted)
        for node, side in enumerate(list(self._builder.side)):
            if side == Side.SHARED and self._builder.kind[node] == Kind.LEAF:
                self._builder.make_or(node)
        return self._builder.freeze()

    def _decide(self, level: list[_Open]) -> list[_Parted]:
        """Split, part or leave every node of a level."""
        parted: list[_Parted] = []
        queue = list(level)
        for at in queue:  # grows while it is walked: an or-node's branches lie on the same level
            side = self._builder.side[at.node]
            if at.splits.none or self._settled(at.node):
                continue
            if side == Side.SHARED and self._diverges(at.splits):
                branches = self._builder.make_or(at.node)
                queue += [_Open(node, at.path, at.histogram, at.splits) for node in branches]
                continue
            split = at.splits.best_common() if side == Side.SHARED else at.splits.best_for(side - 1)
            children = self._builder.make_split(at.node, split, at.splits.yes_counts(split))
            parted.append(_Parted(at, children, Step(split.column, split.cut, yes=True)))
        return parted

    def _diverges(self, splits: NodeSplits) -> bool:
        first, second = splits.best_for(0).cost, splits.best_for(1).cost
        if self._options.alpha is None:
            return first == 0 or second == 0
        return first + second <= self._options.alpha * splits.best_common().cost

    def _settled(self, node: int) -> bool:
        """Whether every model that the node speaks for gives a single label there."""
        side, counts = self._builder.side[node], self._builder.counts[node]
        models = (0, 1) if side == Side.SHARED else (side - 1,)
        marginals = self._source.layout.marginals
        return all(((counts @ marginals[model]) > 0).sum() <= 1 for model in models)

    def _open_children(self, parted: list[_Parted]) -> list[_Open]:
        """Children that may be split further; of two the smaller is counted, the other is left."""
        wanted = [p for p in parted if not all(self._settled(node) for node in p.children)]
        smaller = [
            int(self._builder.counts[no].sum() < self._builder.counts[yes].sum())
            for yes, no in (p.children for p in wanted)
        ]
        paths = [_child_path(p, second) for p, second in zip(wanted, smaller, strict=True)]
        counted = self._source.count(paths) if paths else ()
        return list(self._opened(zip(wanted, smaller, counted, strict=True)))

    def _opened(self, counted: Iterable[tuple[_Parted, int, NDArray[np.int64]]]) -> Iterable[_Open]:
        for parted, smaller, histogram in counted:
            rest = parted.parent.histogram - histogram
            both = (histogram, rest) if smaller == 0 else (rest, histogram)
            for second, (node, own) in enumerate(zip(parted.children, both, strict=True)):
                if not self._settled(node):
                    yield _Open(node, _child_path(parted, second), own, self._splits(own))

    def _splits(self, histogram: NDArray[np.int64]) -> NodeSplits:
        return NodeSplits(histogram, self._source.layout, self._options.min_samples_leaf)


def _child_path(parted: _Parted, second: int) -> Path:
    return (*parted.parent.path, parted.step._replace(yes=second == 0))
