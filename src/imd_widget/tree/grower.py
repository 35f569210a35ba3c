"""Breadth-first growth of a joint tree from counts alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.shape import Path, Side, Step
from imd_widget.tree.source import CountSource
from imd_widget.tree.splitter import PAPER, NodeSplits, Objective


@dataclass(frozen=True)
class GrowthOptions:
    """How far a tree grows, what it looks for, and when its two halves part.

    Attributes
    ----------
    max_depth : int
        Largest number of decisions on the way to a leaf.
    min_samples_leaf : int
        Rows that both sides of a split keep at least.
    objective : Objective
        What a shared split makes pure. (Below an or-node: its own model.)
    parts : bool
        Whether the surrogates part at all; otherwise only the shared part is grown.
    alpha : float or None
        None: they part where one model can be made pure by a single split, the paper's condition
        (6). A number: where the two separate best splits together cost at most ``alpha`` times the
        best common one, condition (5); 1 parts them at the root.
    """

    max_depth: int
    min_samples_leaf: int
    objective: Objective = PAPER
    parts: bool = True
    alpha: float | None = None


@dataclass(frozen=True)
class _Open:
    """A node that may still be split, with all that is needed to decide it."""

    node: int
    path: Path
    histogram: Histogram


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
    options : GrowthOptions
    """

    def __init__(self, source: CountSource, builder: TreeBuilder, options: GrowthOptions) -> None:
        self._source = source
        self._builder = builder
        self._options = options
        self._target = source.target
        self._counts: dict[int, NDArray[np.float64]] = {}

    def grow(self, roots: Sequence[tuple[int, Path]]) -> None:
        """Grow below the nodes in ``roots``, shared leaves of the builder with their paths."""
        totals = self._source.totals([path for _, path in roots])
        self._counts = {node: own for (node, _), own in zip(roots, totals, strict=True)}
        opened = self._opened(roots)
        level: list[_Open] = []
        for depth in range(self._options.max_depth):
            level += [at for at in opened if len(at.path) == depth]
            parted = self._decide(level)
            if depth + 1 < self._options.max_depth:  # the last level's children stay leaves
                level = self._open_children(parted)

    def _opened(self, roots: Sequence[tuple[int, Path]]) -> list[_Open]:
        wanted = [
            (node, path)
            for node, path in roots
            if len(path) < self._options.max_depth and not self._settled(node)
        ]
        if not wanted:
            return []
        histograms = self._histograms(roots, [node for node, _ in wanted])
        return [_Open(node, path, histograms[node]) for node, path in wanted]

    def _histograms(
        self, roots: Sequence[tuple[int, Path]], wanted: list[int]
    ) -> dict[int, Histogram]:
        """Histograms of the wanted roots; of a large one what the others leave, if that is less."""
        rows = {node: self._rows(node) for node, _ in roots}
        everything = self._source.totals([()])[0]
        largest = max(wanted, key=lambda node: rows[node])
        by_rest = len(roots) > 1 and sum(rows.values()) == self._target.rows(everything)
        by_rest &= (
            2 * rows[largest]
            > sum(rows[node] for node in rows if node not in wanted) + rows[largest]
        )
        counted = [
            (node, path)
            for node, path in roots
            if (by_rest or node in wanted) and not (by_rest and node == largest)
        ]
        channels = [self._present(node) for node, _ in counted]
        histograms = self._source.count([path for _, path in counted], channels)
        found = {node: own for (node, _), own in zip(counted, histograms, strict=True)}
        if by_rest:
            whole = self._source.count([()], [self._target.present(everything)])[0]
            found[largest] = whole.rest(list(found.values()), self._present(largest))
        return found

    def _decide(self, level: list[_Open]) -> list[_Parted]:
        """Split, part or leave every node of a level."""
        parted: list[_Parted] = []
        minimum = self._options.min_samples_leaf
        for at in level:
            splits = NodeSplits(at.histogram, self._target, self._source.layout, minimum)
            if splits.none:
                continue
            nodes = [at.node]
            if self._builder.side[at.node] == Side.SHARED and self._diverges(splits):
                nodes = self._builder.make_or(at.node)
                self._counts |= dict.fromkeys(nodes, self._counts[at.node])
            parted += [self._split(node, at, splits) for node in nodes if not self._settled(node)]
        return parted

    def _split(self, node: int, at: _Open, splits: NodeSplits) -> _Parted:
        side = self._builder.side[node]
        if side == Side.SHARED:
            split, yes = splits.best_common(self._options.objective)
        else:
            split, yes = splits.best_for(Purpose(side - 1))
        children = self._builder.make_split(node, split)
        self._counts |= zip(children, (yes, self._counts[node] - yes), strict=True)
        return _Parted(at, children, Step(split.column, split.cut, split.missing, yes=True))

    def _diverges(self, splits: NodeSplits) -> bool:
        if not self._options.parts:
            return False
        first, second = (splits.best_for(Purpose(i))[0].cost for i in (0, 1))
        if self._options.alpha is None:
            return first == 0 or second == 0
        return first + second <= self._options.alpha * splits.best_common()[0].cost

    def _settled(self, node: int) -> bool:
        """Whether nothing that the node should make pure has more than one label there."""
        side = self._builder.side[node]
        if side != Side.SHARED:
            tasks = [Purpose(side - 1)]
        elif self._options.parts:
            tasks = [Purpose.FIRST, Purpose.SECOND]
        else:  # only where the models differ matters
            tasks = [Purpose.DIFFERS]
        return all(self._target.is_pure(task, self._counts[node]) for task in tasks)

    def _rows(self, node: int) -> int:
        return int(self._target.rows(self._counts[node]))

    def _present(self, node: int) -> NDArray[np.intp]:
        return self._target.present(self._counts[node])

    def _open_children(self, parted: list[_Parted]) -> list[_Open]:
        """Children that may be split further; of two the smaller is counted, the other is left."""
        wanted = [p for p in parted if not all(self._settled(node) for node in p.children)]
        smaller = [int(self._rows(p.children[1]) < self._rows(p.children[0])) for p in wanted]
        paths = [_child_path(p, second) for p, second in zip(wanted, smaller, strict=True)]
        channels = [
            self._present(p.children[second]) for p, second in zip(wanted, smaller, strict=True)
        ]
        counted = self._source.count(paths, channels) if paths else ()
        return list(self._children(zip(wanted, smaller, counted, strict=True)))

    def _children(self, counted: Iterable[tuple[_Parted, int, Histogram]]) -> Iterable[_Open]:
        for parted, smaller, histogram in counted:
            for second, node in enumerate(parted.children):
                if self._settled(node):
                    continue
                own = histogram
                if second != smaller:
                    own = parted.parent.histogram.rest([histogram], self._present(node))
                yield _Open(node, _child_path(parted, second), own)


def _child_path(parted: _Parted, second: int) -> Path:
    return (*parted.parent.path, parted.step._replace(yes=second == 0))
